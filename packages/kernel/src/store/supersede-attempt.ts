import type { CompleteContract } from '../contract/read-goal-contract.ts';
import { advanceGoal } from './advance-goal.ts';
import { changed, type RowChange } from './append-record.ts';
import { type AttemptRow, readTask } from './attempt-row.ts';
import type { GoalRow } from './goal-row.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** The changes by which a repeat replaces an attempt in doubt; its units stay counted. */
export function supersedeAttempt(
  tx: StoreTransaction,
  goal: GoalRow,
  {
    taskId,
    contract,
    attempt,
    newKey,
    isHeld,
  }: {
    readonly taskId: string;
    readonly contract: CompleteContract;
    readonly attempt: AttemptRow;
    readonly newKey: boolean;
    /** Whether another hold stays open. */
    readonly isHeld: boolean;
  },
): readonly RowChange[] {
  const { retries } = readTask(tx, goal, taskId);
  // The goal may have lost another task meanwhile, and waited for this answer to fail.
  const advance = advanceGoal(tx, goal, {
    contract,
    event: { endsAttempt: true, taskId, state: 'ready', verdict: null },
    isHeld,
    units: {
      reserved: goal.units_reserved - attempt.units,
      settled: goal.units_settled + attempt.units,
    },
  });
  const hasEnded = advance.goal['state'] === 'failed';
  return [
    changed('attempts', {
      task_id: taskId,
      number: attempt.number,
      state: 'superseded',
      ended_at: goal.at,
      generation: attempt.generation + (newKey ? 1 : 0),
    }),
    changed('tasks', {
      task_id: taskId,
      retries: retries + 1,
      ...(hasEnded ? {} : { state: 'ready' }),
    }),
    ...advance.changes,
    changed('goals', advance.goal),
  ];
}
