import type { CompiledHarnessPlan, RunArtifacts } from '@millforge/contracts';
import type { Baseline } from './baseline/baseline.ts';
import { toolFault } from './tool-faults.ts';

/** What the built-in tools are told about a run; the host says it, never the model. */
export interface BuiltinRun {
  /** What the run is asked to do. */
  readonly task: string;
  /** Capabilities granted, in the order in which they were given. */
  readonly grants: readonly string[];
  /** The plan that runs: its artifacts and terminals. */
  readonly plan: CompiledHarnessPlan;
  /** Where its artifacts are kept. */
  readonly artifacts: RunArtifacts;
  /** The workspace as it was at the beginning; null where it was not captured. */
  readonly baseline: Baseline | null;
}

/** Finds what is known about a run by its id; null for a run that the host has not told of. */
export type FindRun = (runId: string) => BuiltinRun | null;

/**
 * The run of a call.
 *
 * @throws `tool/policy_denied` when the host has told nothing about it.
 */
export function runOf(findRun: FindRun, runId: string): BuiltinRun {
  const run = findRun(runId);
  if (run !== null) return run;
  throw toolFault('policy_denied', 'run_unknown: the host keeps no artifacts of this run.');
}

/** Ids of the artifacts that a run has, sorted, at most 200. */
export async function artifactRefs(
  run: BuiltinRun,
): Promise<{ readonly refs: readonly string[]; readonly isCut: boolean }> {
  const ids = (await run.artifacts.list()).map((entry) => entry.artifact_id);
  return { refs: ids.slice(0, MAX_REFS), isCut: ids.length > MAX_REFS };
}

const MAX_REFS = 200;
