import type { FindRun } from '../builtin-run.ts';
import { type BuiltinRun, runOf } from '../builtin-run.ts';
import { toolFault } from '../tool-faults.ts';

/** What the tools of artifacts share. */
export interface ArtifactAccess {
  readonly findRun: FindRun;
}

/**
 * The run of a call whose plan declares an artifact.
 *
 * @throws `tool/policy_denied` for an artifact that the plan does not declare.
 */
export function declaringRun(
  { findRun }: ArtifactAccess,
  runId: string,
  artifactId: string,
): BuiltinRun {
  const run = runOf(findRun, runId);
  const declared = run.plan.artifact_policy.declared_artifact_ids;
  if (declared.includes(artifactId)) return run;
  const known = declared.length === 0 ? 'it declares none' : `declared are ${declared.join(', ')}`;
  throw toolFault(
    'policy_denied',
    `artifact_undeclared: the harness does not declare ${artifactId.slice(0, 128)}; ${known}.`,
  );
}
