import type { Transaction } from '../sqlite/database.ts';
import type { GoalRow } from './goal-row.ts';

/** Counts the holds of a goal that nobody has decided, but for one that is decided right now. */
export function countOpenHolds(
  tx: Transaction,
  { goal, tenant }: Pick<GoalRow, 'goal' | 'tenant'>,
  except = '',
): number {
  const row = tx.get(
    `SELECT count(*) AS count FROM holds WHERE goal = ? AND tenant = ? AND state = 'open' AND hold_id <> ?`,
    goal,
    tenant,
    except,
  );
  return Number(row?.['count'] ?? 0);
}
