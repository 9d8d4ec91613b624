import type { JsonObject, JsonValue } from '@millforge/contracts';
import type { WorkPhase } from './develop-contract.ts';
import { developError } from './develop-error.ts';
import type { TreeDigests } from './look-at-trees.ts';
import type { PhaseContext, PhaseReport, Shortfall } from './phase-worker.ts';
import type { PlannedTask } from './task-plan.ts';
import type { VerifyEvidence } from './verify-evidence.ts';

/** The digests that a task left behind; a verdict holds them in its evidence. */
export function digestsIn(outputs: JsonObject, taskId: string | null): TreeDigests {
  const output = fieldsOf(outputs[taskId ?? '']);
  const fields = output.has('evidence') ? fieldsOf(output.get('evidence')) : output;
  const [candidate, checks] = [fields.get('candidate_sha256'), fields.get('checks_sha256')];
  if (typeof candidate === 'string' && (checks === null || typeof checks === 'string')) {
    return { candidate_sha256: candidate, checks_sha256: checks };
  }
  throw developError('develop/not-a-development', `The task ${taskId} left no digests of trees.`);
}

/** What the phases before a task reported in its round. */
export function reportsIn(outputs: JsonObject, { reads }: PlannedTask): PhaseContext['reports'] {
  return reads.flatMap((taskId): (PhaseReport & { readonly phase: WorkPhase })[] => {
    const fields = fieldsOf(outputs[taskId]);
    const [phase, summary, data] = [fields.get('phase'), fields.get('summary'), fields.get('data')];
    const known = WORK_PHASES.find((one) => one === phase);
    if (known === undefined || typeof summary !== 'string') return [];
    return [{ phase: known, summary, data: data ?? null }];
  });
}

/** What the round before a task fell short of, without a word on what is hidden. */
export function shortfallIn(outputs: JsonObject, { round, reads }: PlannedTask): Shortfall | null {
  if (round < 2) return null;
  const evidence = evidenceIn(outputs[reads[0] ?? '']);
  if (evidence === null) return null;
  const failed = evidence.results.filter(({ passed }) => !passed);
  return {
    failed: failed
      .filter(({ hidden }) => !hidden)
      .map(({ name, exit_code, timed_out, output }) => ({ name, exit_code, timed_out, output })),
    hidden_failed: failed.filter(({ hidden }) => hidden).length,
  };
}

/** The evidence of a recorded verdict of `verify`. */
export function evidenceIn(output: JsonValue | undefined): VerifyEvidence | null {
  const evidence = fieldsOf(output).get('evidence');
  if (fieldsOf(evidence).get('kind') !== 'develop_verdict') return null;
  // Verdicts come from the kernel only, and this kind of evidence from `verify` only.
  return evidence as unknown as VerifyEvidence;
}

function fieldsOf(value: JsonValue | undefined): ReadonlyMap<string, JsonValue> {
  return new Map(
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value)
      : [],
  );
}

const WORK_PHASES: readonly WorkPhase[] = ['plan', 'research', 'build', 'debug'];
