import type { Disposition, PlanNode, RunStatus } from '@millforge/contracts';

/**
 * What the acceptance of a terminal means for the caller.
 *
 * A version 1.0 plan does not declare it: the tools made for rejecting and escalating say so by what
 * they are, and three results by what they are called, exactly. Nothing is guessed from a part of a name.
 */
export function dispositionOf(node: PlanNode): Disposition {
  return (
    BY_TOOL.get(node.binding.tool_id) ?? BY_RESULT.get(node.terminal_result ?? '') ?? 'success'
  );
}

/** The status of a run that ended with a terminal of that disposition. */
export function statusOf(disposition: Disposition): RunStatus {
  return disposition === 'escalated' ? 'blocked' : disposition;
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
