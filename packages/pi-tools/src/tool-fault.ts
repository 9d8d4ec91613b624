import {
  MillforgeError,
  type ToolErrorCode,
  type ToolRefusal,
  type ToolResult,
} from '@millforge/contracts';

/** A failure on the way of a tool, thrown to where the tool answers; its code is `tool/<code>`. */
export function toolFault(code: ToolErrorCode, message: string, cause?: unknown): MillforgeError {
  return new MillforgeError(`${PREFIX}${code}`, message, cause === undefined ? {} : { cause });
}

/** The `errno` name of a system error, such as `ENOENT`; null for any other value. */
export function errnoOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null;
}

/** Runs the act of a tool; a failure of the file system becomes a result that the model can read. */
export async function answering(act: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await act();
  } catch (error) {
    return { kind: 'failed', ...explain(error), data: { truncated: false } };
  }
}

/** Prepares a tool; a failure of the file system becomes a refusal that the model can read. */
export async function refusing<T>(prepare: () => Promise<T>): Promise<T | ToolRefusal> {
  try {
    return await prepare();
  } catch (error) {
    const { code, text } = explain(error);
    return { kind: 'refused', code, message: text };
  }
}

/** What a failure means to the model; one that is no failure of the file system is thrown again. */
function explain(error: unknown): { readonly code: ToolErrorCode; readonly text: string } {
  const code = errnoOf(error);
  if (code === null || !(error instanceof Error)) throw error;
  const own = TOOL_CODES.find((one) => code === `${PREFIX}${one}`);
  if (code === 'ERR_INVALID_ARG_VALUE') return { code: 'invalid_arguments', text: error.message };
  if (own === undefined && !('errno' in error)) throw error;
  return { code: own ?? ERRNO_CODES[code] ?? 'io_error', text: error.message };
}

const PREFIX = 'tool/';
const TOOL_CODES = [
  'invalid_arguments',
  'not_found',
  'permission_denied',
  'conflict',
  'cancelled',
  'io_error',
] as const;
const ERRNO_CODES: { readonly [code: string]: ToolErrorCode } = {
  ENOENT: 'not_found',
  ENOTDIR: 'not_found',
  EACCES: 'permission_denied',
  EPERM: 'permission_denied',
  EROFS: 'permission_denied',
};
