import type { JsonValue } from '@millforge/contracts';
import type { PhaseWorker } from './phase-worker.ts';
import type { PlannedTask } from './task-plan.ts';

/** What a contract and an adapter of the same phase agree on. */
export function bindingOf(
  phase: PlannedTask['phase'],
  worker: PhaseWorker | null,
): { readonly name: string; readonly version: string; readonly parameters: JsonValue } {
  return {
    name: `develop.${phase}`,
    version: '1',
    parameters:
      worker === null
        ? null
        : { name: worker.name, version: worker.version, parameters: worker.parameters },
  };
}
