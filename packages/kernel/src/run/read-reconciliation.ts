import type { JsonObject, JsonValue, Reconciliation, Redactor } from '@millforge/contracts';
import { toPayload } from '../store/payloads.ts';

/** An answer that can be recorded, and how it is told. */
export interface ReadReconciliation {
  readonly answer: Reconciliation;
  readonly facts: JsonObject;
}

/**
 * Reads what looking gave, which is code of the host: whatever cannot be recorded, or is no answer, does not know.
 *
 * To take it for more would perform again what happened, or record what nobody saw.
 */
export function readReconciliation(given: Reconciliation, redactor: Redactor): ReadReconciliation {
  try {
    return told(checked(given), redactor);
  } catch {
    // Reading a foreign object may throw whatever it likes.
    return told(unknownBecause('answer-invalid'), redactor);
  }
}

function checked(given: Reconciliation | null | undefined): Reconciliation {
  // A program without types can give anything, also nothing.
  if (given === null || given === undefined) return unknownBecause('answer-invalid');
  switch (given.kind) {
    case 'happened':
      return lengthOf(given.value) > MAX_OUTCOME_BYTES
        ? unknownBecause('output-too-large')
        : { ...given, ...evidenceOf(given) };
    case 'not-happened':
    case 'unknown':
      return { kind: given.kind, ...evidenceOf(given) };
    default:
      return unknownBecause('answer-invalid');
  }
}

function evidenceOf({ evidence = null }: Reconciliation): { readonly evidence: JsonValue } {
  return {
    evidence: lengthOf(evidence) > MAX_EVIDENCE_BYTES ? { error: 'evidence-too-large' } : evidence,
  };
}

function told(answer: Reconciliation, redactor: Redactor): ReadReconciliation {
  const evidence = redactor.value(answer.evidence ?? null);
  return { answer, facts: { kind: answer.kind, evidence } };
}

function lengthOf(value: JsonValue): number {
  return toPayload(value).text.length;
}

function unknownBecause(error: string): Reconciliation {
  return { kind: 'unknown', evidence: { error } };
}

const MAX_OUTCOME_BYTES = 1_048_576;
// It is told in a record, which holds at most 64 KiB.
const MAX_EVIDENCE_BYTES = 32_768;
