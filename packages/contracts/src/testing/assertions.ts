import { canonicalJson, type JsonValue, MillforgeError } from '@millforge/contracts';

/** What a promise rejects with; an outcome instead is a failed assertion. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw assertion('Expected a rejection, but the operation came to an outcome.');
}

/** Demands a suspension for that reason. */
export function suspended(error: unknown, reason: string): void {
  if (!MillforgeError.is(error, 'operation/suspended')) throw unexpected('a suspension', error);
  equal(detail(error, 'reason'), reason);
}

/** Demands a divergence: a durable log holds the run, one without holds says that it diverged. */
export function diverged(error: unknown, key: string | null): void {
  if (MillforgeError.is(error, 'operation/suspended')) {
    equal(detail(error, 'reason'), 'held');
    return;
  }
  if (!MillforgeError.is(error, 'operation/diverged')) throw unexpected('a divergence', error);
  if (key !== null) equal(detail(error, 'key'), key);
}

function detail(error: MillforgeError, name: string): JsonValue {
  const { details } = error;
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return null;
  return Object.entries(details).find(([key]) => key === name)?.[1] ?? null;
}

function unexpected(what: string, error: unknown): MillforgeError {
  return new MillforgeError('testing/assertion', `Expected ${what}.`, { cause: error });
}

/** Demands the same JSON. */
export function equal(actual: unknown, expected: unknown): void {
  const [found, wanted] = [textOf(actual), textOf(expected)];
  if (found !== wanted) throw assertion(`Expected ${wanted}, found ${found}.`);
}

function textOf(value: unknown): string {
  // Keys are sorted so that the order in which a log builds its outcome does not matter.
  return canonicalJson(JSON.parse(JSON.stringify(value) ?? 'null'), { newline: false });
}

function assertion(message: string): MillforgeError {
  return new MillforgeError('testing/assertion', message);
}
