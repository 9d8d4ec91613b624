import { appendRecord, changed } from './append-record.ts';
import { type AttemptRow, dropLease } from './attempt-row.ts';
import { beginning, type Claim, readClaimedGoal } from './claim.ts';
import type { GoalRow } from './goal-row.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** Why nobody knows what an attempt did. */
export interface AttemptDoubt {
  readonly code: string;
  readonly message: string;
  /** Whether its callback is known to have ended. */
  readonly isSettled: boolean;
}

/** Lets an attempt go whose effect may have happened; it is looked for before a person is asked. */
export function doubtAttempt(
  tx: StoreTransaction,
  claim: Claim,
  {
    doubt,
    elapsedMs,
    now,
  }: { readonly doubt: AttemptDoubt; readonly elapsedMs: number; readonly now: number },
): void {
  const { goal, attemptState } = readClaimedGoal(tx, claim, now);
  dropLease(tx, goal, claim.taskId);
  appendRecord(tx, goal, {
    type: 'attempt-doubted',
    actor: claim.actor,
    changes: [
      ...beginning(claim, attemptState),
      changed('attempts', {
        task_id: claim.taskId,
        number: claim.number,
        state: 'ambiguous',
        elapsed_ms: elapsedMs,
        failure_code: doubt.code,
        failure_message: doubt.message,
        is_settled: doubt.isSettled ? 1 : 0,
      }),
    ],
  });
}

/** Marks what a dead or silent process left behind; its lease goes with it. */
export function doubtLeftAttempt(
  tx: StoreTransaction,
  goal: GoalRow,
  left: {
    readonly taskId: string;
    readonly attempt: AttemptRow;
    readonly actor: string;
    readonly elapsedMs: number;
    /** Whether the process that left it is dead. */
    readonly isSettled: boolean;
  },
): void {
  dropLease(tx, goal, left.taskId);
  appendRecord(tx, goal, {
    type: 'attempt-doubted',
    actor: left.actor,
    changes: [
      // A process that is only silent finds its fence superseded, so that it can commit nothing more.
      changed('goals', { fence: goal.fence + 1 }),
      changed('attempts', {
        task_id: left.taskId,
        number: left.attempt.number,
        state: 'ambiguous',
        fence: goal.fence + 1,
        elapsed_ms: left.elapsedMs,
        failure_code: 'interrupted',
        failure_message: 'The process that ran it ended, or was silent for too long.',
        is_settled: left.isSettled ? 1 : 0,
      }),
    ],
  });
}
