import type { Transaction } from '../sqlite/database.ts';
import { changed, type RowChange } from './append-record.ts';
import { type AttemptRow, readTask } from './attempt-row.ts';
import type { GoalRow } from './goal-row.ts';

/** The changes by which a repeat replaces an attempt in doubt; its units stay counted. */
export function supersedeAttempt(
  tx: Transaction,
  goal: GoalRow,
  {
    taskId,
    attempt,
    newKey,
  }: { readonly taskId: string; readonly attempt: AttemptRow; readonly newKey: boolean },
): readonly RowChange[] {
  const { retries } = readTask(tx, goal, taskId);
  return [
    changed('attempts', {
      task_id: taskId,
      number: attempt.number,
      state: 'superseded',
      ended_at: goal.at,
      generation: attempt.generation + (newKey ? 1 : 0),
    }),
    changed('tasks', { task_id: taskId, retries: retries + 1 }),
    changed('goals', {
      units_reserved: goal.units_reserved - attempt.units,
      units_settled: goal.units_settled + attempt.units,
    }),
  ];
}
