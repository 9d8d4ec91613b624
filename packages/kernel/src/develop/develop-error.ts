import { type JsonValue, MillforgeError } from '@millforge/contracts';
import type { DevelopErrorCode } from './error-codes.ts';

/** An error of this entry. */
export function developError(
  code: DevelopErrorCode,
  message: string,
  details?: JsonValue,
): MillforgeError {
  return new MillforgeError(code, message, details === undefined ? {} : { details });
}
