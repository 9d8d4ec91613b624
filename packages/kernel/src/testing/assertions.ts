import { canonicalJson, MillforgeError } from '@millforge/contracts';

/** Demands the same JSON, whatever the order of its keys. */
export function equal(actual: unknown, expected: unknown): void {
  const [found, wanted] = [textOf(actual), textOf(expected)];
  if (found !== wanted) throw assertion(`Expected ${wanted}, found ${found}.`);
}

/** Demands a rejection with this code. */
export async function refused(work: Promise<unknown>, code: string): Promise<void> {
  const error = await rejection(work);
  if (MillforgeError.is(error, code)) return;
  throw new MillforgeError('testing/assertion', `Expected a rejection with ${code}.`, {
    cause: error,
  });
}

/** Demands that a claim does not hold any more, for this reason. */
export async function superseded(
  work: Promise<unknown>,
  reason: 'lease-lost' | 'cancelled',
): Promise<void> {
  const error = await rejection(work);
  const details = MillforgeError.is(error, 'operation/suspended') ? error.details : null;
  equal(details, { reason });
}

async function rejection(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw assertion('Expected a rejection, but it resolved.');
}

function textOf(value: unknown): string {
  return canonicalJson(JSON.parse(JSON.stringify(value) ?? 'null'), { newline: false });
}

function assertion(message: string): MillforgeError {
  return new MillforgeError('testing/assertion', message);
}
