import type { CompleteContract, CompleteTask } from '../contract/read-goal-contract.ts';
import { type Advance, advanceGoal } from './advance-goal.ts';
import { appendRecord, changed, type RowChange, type RowPatch } from './append-record.ts';
import { dropLease, readTask } from './attempt-row.ts';
import { beginning, type Claim, readClaimedGoal } from './claim.ts';
import type { GoalRow } from './goal-row.ts';
import { openHold } from './open-hold.ts';
import { countOpenHolds } from './open-holds.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** Why an attempt was let go, as its row keeps it. */
export interface Suspension {
  /** What let it go. */
  readonly by: 'stopped' | 'unavailable' | 'held';
  /** Which side could not be reached. */
  readonly failureClass: string | null;
  /** Why. */
  readonly code: string | null;
  /** The same for people. */
  readonly message: string | null;
}

/** Lets an attempt go; it can be claimed again, with the same number and units. */
export function suspendAttempt(
  tx: StoreTransaction,
  claim: Claim,
  {
    suspension,
    contract,
    elapsedMs,
    now,
  }: {
    readonly suspension: Suspension;
    readonly contract: CompleteContract;
    readonly elapsedMs: number;
    readonly now: number;
  },
): void {
  const { goal } = readClaimedGoal(tx, claim, now);
  dropLease(tx, goal, claim.taskId);
  const task = readTask(tx, goal, claim.taskId);
  // A hold keeps the task where it is, and one that was decided meanwhile has set it free already.
  const isTaskHeld = task.state === 'held';
  const isTaskRunning = task.state === 'running';
  const advance = advanceGoal(tx, goal, {
    contract,
    event: {
      endsAttempt: true,
      taskId: claim.taskId,
      state: isTaskHeld ? 'held' : 'ready',
      verdict: null,
    },
    isHeld: countOpenHolds(tx, goal) > 0,
    units: { reserved: goal.units_reserved, settled: goal.units_settled },
  });
  const hasEnded = advance.goal['state'] === 'failed';
  appendRecord(tx, goal, {
    type: 'attempt-suspended',
    actor: claim.actor,
    changes: [
      ...(hasEnded || !isTaskRunning
        ? []
        : [changed('tasks', { task_id: claim.taskId, state: 'ready' })]),
      changed('attempts', {
        task_id: claim.taskId,
        number: claim.number,
        state: hasEnded ? 'cancelled' : 'suspended',
        elapsed_ms: elapsedMs,
        ...(hasEnded ? { ended_at: goal.at } : {}),
        suspended_by: suspension.by,
        failure_class: suspension.failureClass,
        failure_code: suspension.code,
        failure_message: suspension.message,
      }),
      ...advance.changes,
      ...(hasEnded ? [changed('goals', advance.goal)] : []),
    ],
  });
}

/** How an attempt failed. */
export interface AttemptFailure {
  /** Why. */
  readonly code: string;
  /** The same for people. */
  readonly message: string;
  /** Whether it is known that it had no effect. */
  readonly isClean: boolean;
}

/** Ends an attempt that failed; another one may follow, or the task fails, or a person is asked about a check. */
export function failAttempt(
  tx: StoreTransaction,
  claim: Claim,
  failed: {
    readonly failure: AttemptFailure;
    readonly task: CompleteTask;
    readonly contract: CompleteContract;
    readonly elapsedMs: number;
    readonly now: number;
  },
): void {
  const { goal, attemptState } = readClaimedGoal(tx, claim, failed.now);
  dropLease(tx, goal, claim.taskId);
  writeFailure(tx, goal, {
    ...failed,
    // Whoever repeats knows of its own performance only: one before it may have had, or may still have, its effect.
    failure: { ...failed.failure, isClean: failed.failure.isClean && !claim.isRepeat },
    number: claim.number,
    units: claim.units,
    actor: claim.actor,
    type: 'attempt-failed',
    before: beginning(claim, attemptState),
    about: { elapsed_ms: failed.elapsedMs },
  });
}

/** Appends the record of a failed attempt, in the hands of a process or in doubt before. */
export function writeFailure(
  tx: StoreTransaction,
  goal: GoalRow,
  failed: {
    readonly failure: AttemptFailure;
    readonly task: CompleteTask;
    readonly contract: CompleteContract;
    readonly number: number;
    readonly units: number;
    readonly actor: string;
    readonly type: string;
    readonly before: readonly RowChange[];
    /** Columns of the attempt that go with it. */
    readonly about?: RowPatch;
    /** Whether nothing was begun, so that another attempt follows and its units are given back. */
    readonly isFree?: boolean;
  },
): void {
  const { task, failure, units } = failed;
  const { task_id } = task;
  const row = readTask(tx, goal, task_id);
  const isFree = failed.isFree === true;
  const isLast =
    !isFree &&
    (failed.number >= task.max_attempts + row.retries ||
      goal.units_reserved + goal.units_settled + task.units > goal.units_limit);
  // Whatever cannot be known about a check is a question to a person, not a verdict.
  const isAsked = isLast && task.adapter.kind === 'verify';
  const state = isLast && !isAsked ? 'failed' : 'ready';
  const advance: Advance = advanceGoal(tx, goal, {
    contract: failed.contract,
    event: { endsAttempt: true, taskId: task_id, state, verdict: null, failure },
    isHeld: isAsked || countOpenHolds(tx, goal) > 0,
    units: {
      reserved: goal.units_reserved - units,
      settled: goal.units_settled + (isFree ? 0 : units),
    },
  });
  const hasEnded = advance.goal['state'] === 'failed' && state === 'ready';
  const head = appendRecord(tx, goal, {
    type: failed.type,
    actor: failed.actor,
    changes: [
      ...failed.before,
      changed('attempts', {
        task_id,
        number: failed.number,
        state: 'failed',
        ended_at: goal.at,
        failure_code: failure.code,
        failure_message: failure.message,
        is_clean: failure.isClean ? 1 : 0,
        ...failed.about,
      }),
      ...(hasEnded || isAsked
        ? []
        : [
            changed('tasks', {
              task_id,
              state,
              ...(isFree ? { retries: row.retries + 1 } : {}),
            }),
          ]),
      ...advance.changes,
      changed('goals', advance.goal),
    ],
  });
  if (!isAsked) return;
  openHold(tx, head, {
    hold: {
      reason: 'check-unknown',
      message: `The check ${task.check ?? task_id} gave no verdict: ${failure.message}`,
      taskId: task_id,
      attempt: failed.number,
      operationKey: null,
      facts: { failure: { code: failure.code, message: failure.message } },
    },
    actor: failed.actor,
    changes: [],
  });
}
