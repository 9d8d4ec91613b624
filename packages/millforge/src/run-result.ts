import {
  type FailureClass,
  type JsonValue,
  type RunHold,
  type RunOutcome,
  type RunResult,
  unreachable,
} from '@millforge/contracts';
import type { GoalView, HoldView, OperationView } from '@millforge/kernel';
import { attestationTemplate } from './attestation.ts';

/** What a goal says about the run it holds. */
export function toRunResult(
  goal: GoalView,
  parts: { readonly trailPath: string; readonly holds: readonly RunHold[] },
): RunResult {
  const outcome = outcomeOf(goal);
  const status = statusOf(goal, outcome);
  return {
    kind: 'run_result',
    schema_version: '1.0',
    run_id: goal.goal_id,
    status,
    failure_class: outcome?.failure_class ?? failureClassOf(goal, status),
    failure_message:
      outcome?.failure_message ?? goal.failure?.message ?? goal.interruption?.message ?? null,
    terminal_result: outcome?.terminal_result ?? null,
    terminal_node_id: outcome?.terminal_node_id ?? null,
    disposition: outcome?.disposition ?? null,
    summary: outcome?.summary ?? null,
    selected_output: outcome?.selected_output ?? null,
    partial_work: outcome?.partial_work ?? null,
    plan_sha256: textOf(goal.inputs['plan_sha256']),
    usage: goal.usage,
    // The kernel settles what was reserved; a person wants to know what was needed.
    budget: { ...goal.budget, used: outcome?.turns ?? goal.budget.used },
    trail_path: parts.trailPath,
    holds: parts.holds,
  };
}

/** The result of a run that nothing was kept of; `limit` is the number of turns that it had. */
export function toTransientResult(runId: string, outcome: RunOutcome, limit: number): RunResult {
  return {
    kind: 'run_result',
    schema_version: '1.0',
    run_id: runId,
    status: outcome.status,
    failure_class: outcome.failure_class,
    failure_message: outcome.failure_message,
    terminal_result: outcome.terminal_result,
    terminal_node_id: outcome.terminal_node_id,
    disposition: outcome.disposition,
    summary: outcome.summary,
    selected_output: outcome.selected_output,
    partial_work: outcome.partial_work,
    plan_sha256: outcome.plan_sha256,
    usage: outcome.usage,
    budget: { limit, reserved: 0, used: outcome.turns },
    trail_path: null,
    holds: [],
  };
}

/** A hold in the words of a run, with what a person needs to decide. */
export function toRunHold(hold: HoldView, operation: OperationView | null): RunHold {
  return {
    hold_id: hold.hold_id,
    version: hold.version,
    reason: hold.reason,
    question: hold.message,
    decisions: hold.decisions,
    opened_at: hold.opened_at,
    operation: hold.operation_key,
    describe: operation?.describe ?? hold.facts.describe ?? null,
    input: operation?.input?.at(-1) ?? hold.facts.input_sha256 ?? null,
    reconciliation: toJson(hold.facts.reconciliation ?? null),
    former_owner_alive: hold.facts.former_owner?.alive ?? null,
    outcome_template: attestationTemplate(operation),
  };
}

function statusOf(goal: GoalView, outcome: RunOutcome | null): RunResult['status'] {
  switch (goal.state) {
    case 'held':
      return 'held';
    case 'cancelled':
      return 'cancelled';
    case 'completed':
      // Runs never complete without an outcome; reviews and developments have none.
      return outcome?.status ?? 'success';
    case 'failed':
      return outcome?.status ?? (goal.failure?.code === 'timeout' ? 'deadline' : 'failed');
    case 'ready':
    case 'running':
    case 'checking':
      if (goal.is_running) return 'running';
      return goal.interruption?.reason === 'unavailable' ? 'failed' : 'interrupted';
    default:
      return unreachable(goal.state, 'state of a goal');
  }
}

function failureClassOf(goal: GoalView, status: RunResult['status']): FailureClass | null {
  if (goal.interruption !== null) return goal.interruption.failure_class;
  if (status === 'cancelled') return 'cancelled';
  if (status === 'deadline') return 'deadline_expired';
  return status === 'failed' ? 'internal_error' : null;
}

function outcomeOf(goal: GoalView): RunOutcome | null {
  const output = goal.tasks[0]?.output;
  return isRunOutcome(output) ? output : null;
}

// The kernel stored what this package's adapter returned; kind and version say that it is that.
function isRunOutcome(value: unknown): value is RunOutcome {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    value.kind === 'run_outcome' &&
    'schema_version' in value &&
    value.schema_version === '1.0'
  );
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}
