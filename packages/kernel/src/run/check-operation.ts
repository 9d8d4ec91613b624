import type { Operation } from '@millforge/contracts';
import { kernelError } from '../kernel-error.ts';

/** Refuses an operation that breaks the rules of the log; such a program is wrong, not its world. */
export function checkOperation({ key, step, describe }: Operation): void {
  if (key === '' || key.length > 256) throw invalid('a key has 1 to 256 characters', key);
  if (!Number.isSafeInteger(step) || step < 0) {
    throw invalid('a step is a whole number from 0', key);
  }
  if (describe.length > 1024)
    throw invalid('the line for a person has at most 1,024 characters', key);
}

function invalid(rule: string, key: string): Error {
  return kernelError(
    'kernel/operation-invalid',
    `The operation ${key.slice(0, 64)} is refused: ${rule}.`,
  );
}
