import {
  MillforgeError,
  type ToolErrorCode,
  type ToolRefusal,
  type ToolResult,
} from '@millforge/contracts';
import { pathRuleOf, toolCodeOf } from './paths/path-fault.ts';

/** A failure on the way of a tool, thrown to where the tool answers; its code is `tool/<code>`. */
export function toolFault(code: ToolErrorCode, message: string): MillforgeError {
  return new MillforgeError(`tool/${code}`, message, { details: { code } });
}

/** Prepares a call; what a tool foresees becomes a refusal that the model can read. */
export async function refusing<T>(prepare: () => Promise<T>): Promise<T | ToolRefusal> {
  try {
    return await prepare();
  } catch (error) {
    return refusal(error);
  }
}

/** Runs the act of a call; what a tool foresees becomes a result that the model can read. */
export async function answering(
  signal: AbortSignal,
  act: () => Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    return await act();
  } catch (error) {
    const { code, message } = refusal(error);
    return { kind: 'failed', code: signal.aborted ? 'cancelled' : code, text: message };
  }
}

/** Checks a call purely; null when nothing speaks against it. */
export function checking(check: () => void): ToolRefusal | null {
  try {
    check();
    return null;
  } catch (error) {
    return refusal(error);
  }
}

/** What a foreseen failure means to the model; anything else is thrown again. */
export function refusal(error: unknown): ToolRefusal {
  const rule = pathRuleOf(error);
  if (rule !== null && error instanceof Error) {
    return { kind: 'refused', code: toolCodeOf(rule), message: error.message };
  }
  if (MillforgeError.is(error)) {
    const code = CODES.find((one) => error.code === `tool/${one}`);
    if (code !== undefined) return { kind: 'refused', code, message: error.message };
  }
  throw error;
}

/** The codes that tools of this package fail with, beside those of paths. */
const CODES: readonly ToolErrorCode[] = [
  'invalid_arguments',
  'policy_denied',
  'not_found',
  'conflict',
  'cancelled',
  'io_error',
  'terminal_intent_invalid',
];
