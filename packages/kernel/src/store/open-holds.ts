import type { GoalRow } from './goal-row.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** Counts the holds of a goal that nobody has decided, but for one that is decided right now. */
export function countOpenHolds(
  tx: StoreTransaction,
  { goal, tenant }: Pick<GoalRow, 'goal' | 'tenant'>,
  except = '',
): number {
  return tx
    .list('holds', { goal, tenant, state: 'open' }, { columns: ['hold_id'] })
    .filter((row) => row['hold_id'] !== except).length;
}
