import { MillforgeError } from '@millforge/contracts';

/** A wrong option, path or workspace: exit status 64, one sentence, no stack. */
export function usageError(message: string, cause?: unknown): MillforgeError {
  return new MillforgeError('cli/usage', message, cause === undefined ? {} : { cause });
}

/** A document that is wrong: exit status 65, one sentence, no stack. */
export function documentError(message: string, cause?: unknown): MillforgeError {
  return new MillforgeError('cli/document', message, cause === undefined ? {} : { cause });
}
