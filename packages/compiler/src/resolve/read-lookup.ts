/** Answer of a catalog, reduced to what the compiler can rely on. */
export type ReadLookup =
  | { readonly kind: 'found'; readonly entry: unknown }
  | { readonly kind: 'missing'; readonly evidence: Evidence }
  | { readonly kind: 'invalid'; readonly errorCode: string | null; readonly evidence: Evidence }
  /** Not an answer at all: nothing, a promise, an unknown classification, evidence without form. */
  | { readonly kind: 'malformed' };

/** Details by key, keys in the form of diagnostic fields. */
export type Evidence = { readonly [key: string]: string };

/** Reads the answer of a catalog that any program may have written. */
export function readLookup(answer: unknown): ReadLookup {
  if (typeof answer !== 'object' || answer === null || !('classification' in answer))
    return MALFORMED;
  const { classification } = answer;
  const entry: unknown = 'entry' in answer ? answer.entry : undefined;
  const errorCode: unknown = 'errorCode' in answer ? answer.errorCode : undefined;
  const evidence = readEvidence('evidence' in answer ? answer.evidence : undefined);
  if (classification === 'found') {
    const isRight = entry !== undefined && entry !== null && errorCode === undefined;
    return isRight && evidence !== null && Object.keys(evidence).length === 0
      ? { kind: 'found', entry }
      : MALFORMED;
  }
  const code = readErrorCode(errorCode);
  if (evidence === null || code === null || entry !== undefined) return MALFORMED;
  if (classification === 'missing') return { kind: 'missing', evidence };
  if (classification === 'invalid') return { kind: 'invalid', errorCode: code.value, evidence };
  return MALFORMED;
}

const MALFORMED: ReadLookup = { kind: 'malformed' };

function readErrorCode(code: unknown): { readonly value: string | null } | null {
  if (code === undefined) return { value: null };
  const isRight = typeof code === 'string' && code.trim() !== '' && code.length <= 128;
  return isRight ? { value: code } : null;
}

function readEvidence(evidence: unknown): Evidence | null {
  if (evidence === undefined) return {};
  if (typeof evidence !== 'object' || evidence === null) return null;
  const read: { [key: string]: string } = {};
  for (const [key, value] of Object.entries(evidence)) {
    if (!FIELD_KEY.test(key) || typeof value !== 'string') return null;
    read[key] = value;
  }
  return read;
}

const FIELD_KEY = /^[a-z][a-z0-9_]{0,63}$/;
