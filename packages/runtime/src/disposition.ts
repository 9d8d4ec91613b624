import {
  type Disposition,
  inferDisposition,
  type PlanNode,
  type RunStatus,
} from '@millforge/contracts';

/** What the acceptance of a terminal means for the caller; a version 1.0 plan does not declare it. */
export function dispositionOf({ binding, disposition, terminal_result }: PlanNode): Disposition {
  return disposition ?? inferDisposition(binding.tool_id, terminal_result ?? '');
}

/** The status of a run that ended with a terminal of that disposition. */
export function statusOf(disposition: Disposition): RunStatus {
  return disposition === 'escalated' ? 'blocked' : disposition;
}
