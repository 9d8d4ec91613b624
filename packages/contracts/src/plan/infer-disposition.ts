import type { Disposition } from '../trail/run-outcome.ts';

/**
 * What the end at a terminal means where nobody has said it.
 *
 * The tools made for rejecting and escalating say so by what they are, and three results by what they
 * are called, exactly; everything else is a success. Nothing is guessed from a part of a name.
 */
export function inferDisposition(toolId: string, result: string): Disposition {
  return BY_TOOL.get(toolId) ?? BY_RESULT.get(result) ?? 'success';
}

const BY_TOOL = new Map<string, Disposition>([
  ['builtin.terminal.reject', 'rejected'],
  ['builtin.terminal.escalate', 'escalated'],
]);

const BY_RESULT = new Map<string, Disposition>([
  ['COMPLETE', 'success'],
  ['BLOCKED', 'blocked'],
  ['REJECTED', 'rejected'],
]);
