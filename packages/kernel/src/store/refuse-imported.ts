import { kernelError } from '../kernel-error.ts';
import type { Transaction } from '../sqlite/database.ts';
import type { GoalRow } from './goal-row.ts';

/** When a goal was taken over from another file; null for one that belongs here. */
export function importedAt(
  tx: Transaction,
  { goal, tenant }: Pick<GoalRow, 'goal' | 'tenant'>,
): string | null {
  const row = tx.get('SELECT imported_at FROM imports WHERE goal = ? AND tenant = ?', goal, tenant);
  return row === undefined ? null : String(row['imported_at']);
}

/** Refuses to change a goal whose trail was made elsewhere. */
export function refuseImported(tx: Transaction, goal: GoalRow): void {
  const at = importedAt(tx, goal);
  if (at === null) return;
  throw kernelError(
    'kernel/imported',
    `The goal ${goal.goal_id} was imported at ${at}; it can be read and verified here, and goes on only where it came from.`,
  );
}
