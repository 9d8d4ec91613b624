import { MillforgeError } from '@millforge/contracts';
import type { PiToolsErrorCode } from '../error-codes.ts';

/** The error for an option of which nothing can be made. */
export function invalidOption(message: string): MillforgeError {
  const code: PiToolsErrorCode = 'pi-tools/invalid-option';
  return new MillforgeError(code, message);
}
