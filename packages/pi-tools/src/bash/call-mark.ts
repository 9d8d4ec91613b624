import { sha256 } from '@millforge/contracts';

/**
 * Number that bash sets as a limit for the processes of a call: the microseconds, thousands of years, that
 * one with real-time priority may run without a pause. Whoever empties its environment and leaves its
 * group, as servers do that go to the background, keeps its limits.
 */
export function callMark(idempotencyKey: string): string {
  return BigInt(`0x1${sha256(idempotencyKey).slice(0, 15)}`).toString();
}

/** Name of the variable in which bash is told the mark; commands do not see it. */
export const CALL_MARK = 'MILLFORGE_CALL_MARK';
