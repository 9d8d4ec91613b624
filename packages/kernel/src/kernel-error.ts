import { type JsonValue, MillforgeError } from '@millforge/contracts';
import type { KernelErrorCode } from './error-codes.ts';

/** Makes an error with one of this package's codes. */
export function kernelError(
  code: KernelErrorCode,
  message: string,
  details?: JsonValue,
): MillforgeError {
  return new MillforgeError(code, message, details === undefined ? {} : { details });
}

/** The one answer for whatever a scope cannot see, whether it exists or not. */
export function notFound(what: string): MillforgeError {
  return kernelError('kernel/not-found', `There is no such ${what} here; list what there is.`);
}

/** A change of state that the table does not have. */
export function illegalTransition(table: string, from: string, to: string): MillforgeError {
  return kernelError(
    'kernel/illegal-transition',
    `A row of ${table} cannot go from ${from} to ${to}.`,
  );
}
