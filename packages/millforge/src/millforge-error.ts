import { MillforgeError, type MillforgeErrorOptions } from '@millforge/contracts';
import type { MillforgeErrorCode } from './error-codes.ts';

/** Makes an error with one of this package's codes. */
export function millforgeError(
  code: MillforgeErrorCode,
  message: string,
  options: MillforgeErrorOptions = {},
): MillforgeError {
  return new MillforgeError(code, message, options);
}
