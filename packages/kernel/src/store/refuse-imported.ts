import { kernelError } from '../kernel-error.ts';
import type { GoalRow } from './goal-row.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** When a goal was taken over from another file; null for one that belongs here. */
export function importedAt(
  tx: StoreTransaction,
  { goal, tenant }: Pick<GoalRow, 'goal' | 'tenant'>,
): string | null {
  const row = tx.find('imports', { goal, tenant });
  return row === undefined ? null : String(row['imported_at']);
}

/** Refuses to change a goal whose trail was made elsewhere. */
export function refuseImported(tx: StoreTransaction, goal: GoalRow): void {
  const at = importedAt(tx, goal);
  if (at === null) return;
  throw kernelError(
    'kernel/imported',
    `The goal ${goal.goal_id} was imported at ${at}; it can be read and verified here, and goes on only where it came from.`,
  );
}
