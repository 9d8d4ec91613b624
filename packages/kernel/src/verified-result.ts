import { deepFreeze, type JsonValue } from '@millforge/contracts';
import { kernelError } from './kernel-error.ts';
import { toPayload } from './store/payloads.ts';

/**
 * A verdict that the kernel made for one attempt of a verify task.
 *
 * It is recognised by identity: a copy, or JSON that looks like it, is none. Once it is recorded, the receipt
 * is its authority.
 */
export interface VerifiedResult {
  /** Type of this document. */
  readonly kind: 'verified_result';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** The check that it decides. */
  readonly check: string;
  /** What it says. */
  readonly verdict: 'pass' | 'fail';
  /** Random name of the goal. */
  readonly goal_uid: string;
  /** Digest of the contract. */
  readonly contract_sha256: string;
  /** Digest of what was looked at: the inputs, and the outputs that the task depends on. */
  readonly input_sha256: string;
  /** What was seen. */
  readonly evidence: JsonValue;
}

/** Makes verdicts for one attempt, and knows its own. */
export interface VerdictIssuer {
  issue(kind: 'pass' | 'fail', evidence: JsonValue): VerifiedResult;
  /** The verdict of a result that was made here; null for everything else. */
  verdictOf(result: unknown): 'pass' | 'fail' | null;
}

/** Begins with no verdict made. */
export function createVerdictIssuer(
  bound: Pick<VerifiedResult, 'check' | 'goal_uid' | 'contract_sha256' | 'input_sha256'>,
): VerdictIssuer {
  const issued = new WeakSet<object>();
  return {
    issue(kind, evidence) {
      if (kind !== 'pass' && kind !== 'fail') {
        throw kernelError(
          'kernel/operation-invalid',
          'A verdict is pass or fail; throw when it is neither.',
        );
      }
      const { text } = toPayload(evidence);
      if (text.length > MAX_EVIDENCE_BYTES) {
        throw kernelError(
          'kernel/operation-invalid',
          'The evidence of a verdict is larger than 256 KiB; save it as an artifact and name its digest.',
        );
      }
      const plain = JSON.parse(text) as JsonValue; // JSON.parse gives nothing but JSON values.
      const result = deepFreeze<VerifiedResult>({
        kind: 'verified_result',
        schema_version: '1.0',
        ...bound,
        verdict: kind,
        evidence: plain,
      });
      issued.add(result);
      return result;
    },
    verdictOf(result) {
      if (typeof result !== 'object' || result === null || !issued.has(result)) return null;
      // Only what was made above is in the set.
      return (result as VerifiedResult).verdict;
    },
  };
}

const MAX_EVIDENCE_BYTES = 262_144;
