import type { Millforge, RunRequest } from 'millforge';
import { toModelProfileCatalog } from 'millforge/compiler';
import { GRANTS, HARNESS } from '../crash/scripted-run.ts';

/** Compiles the harness of the scripted run. */
export function compiledPlan(millforge: Millforge): RunRequest['plan'] {
  const plan = millforge.compile(HARNESS, {
    profiles: toModelProfileCatalog(['test.small']),
    request: { grants: GRANTS },
  });
  if (!plan.ok) throw new Error(JSON.stringify(plan.diagnostics));
  return { bytes: new TextDecoder().decode(plan.bytes), sha256: plan.sha256 };
}
