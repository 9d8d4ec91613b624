import { type BuiltinToolOptions, builtinTools } from '@millforge/builtin-tools';
import type { WorkPhase } from '@millforge/kernel/develop';
import { piTools } from '@millforge/pi-tools';
import { createRegistry, type RegistrySnapshot } from '@millforge/registry';
import type { DevelopBoundary } from './choose-boundary.ts';

/** Gives the tools of each phase: the same descriptors, and the code that the phase may have. */
export function phaseTools(
  options: BuiltinToolOptions,
  { commandsOf }: Pick<DevelopBoundary, 'commandsOf'>,
): (phase: WorkPhase) => RegistrySnapshot {
  const { environment = {} } = options;
  const make = (onlyReads: boolean): RegistrySnapshot => {
    const registry = createRegistry();
    registry.register(
      ...builtinTools(options),
      ...piTools({
        environment,
        // Where there is a boundary, a phase that may only read gets its tree read-only.
        ...(commandsOf === null ? {} : { runCommand: commandsOf({ onlyReads }) }),
      }),
    );
    return registry.freeze();
  };
  const [reading, writing] = [make(true), make(false)];
  return (phase) => (phase === 'build' ? writing : reading);
}
