import { MillforgeError } from '@millforge/contracts';

/** Codes of the errors that this package makes; `main` turns them into a sentence and an exit status. */
export type CliErrorCode =
  /** A wrong option, path or workspace: 64. */
  | 'cli/usage'
  /** A document is wrong: 65. */
  | 'cli/document'
  /** The system refuses a file or a directory of ours: 1. */
  | 'cli/file';

/** A wrong option, path or workspace: exit status 64, one sentence, no stack. */
export function usageError(message: string, cause?: unknown): MillforgeError {
  return cliError('cli/usage', message, cause === undefined ? {} : { cause });
}

/** A document that is wrong: exit status 65, one sentence, no stack. */
export function documentError(message: string, cause?: unknown): MillforgeError {
  return cliError('cli/document', message, cause === undefined ? {} : { cause });
}

/** A file or directory of ours that the system refuses: exit status 1, one sentence, no stack. */
export function fileError(doing: string, cause: unknown): MillforgeError {
  const code = systemCode(cause);
  return cliError(
    'cli/file',
    `${doing} (${code ?? 'unknown reason'}); ${ADVICE[code ?? ''] ?? 'choose another place.'}`,
    { cause },
  );
}

/** The code of a system error, such as `ENOENT`; null for any other error. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null;
}

function cliError(
  code: CliErrorCode,
  message: string,
  options: { readonly cause?: unknown },
): MillforgeError {
  return new MillforgeError(code, message, options);
}

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'make it accessible to you, or choose another place.',
  EPERM: 'make it accessible to you, or choose another place.',
  EROFS: 'the file system is read-only; choose another place.',
  ENOSPC: 'the disk is full; free some space and try again.',
  EDQUOT: 'the quota is used up; free some space and try again.',
};
