import { isLegal } from '../states/transitions.ts';
import { appendRecord, changed, type RowChange } from './append-record.ts';
import type { GoalRow } from './goal-row.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** Cancels a goal and all of it that has not ended; what was reserved is settled. */
export function cancelGoal(
  tx: StoreTransaction,
  goal: GoalRow,
  cancellation: {
    readonly actor: string;
    readonly reason: string;
  },
): GoalRow {
  const { actor, reason } = cancellation;
  tx.remove('leases', { goal: goal.goal, tenant: goal.tenant });
  return appendRecord(tx, goal, {
    type: 'goal-cancelled',
    actor,
    changes: [
      changed('goals', {
        state: 'cancelled',
        units_reserved: 0,
        units_settled: goal.units_settled + goal.units_reserved,
      }),
      ...openRows(tx, goal, 'tasks'),
      ...openRows(tx, goal, 'attempts').map((change) =>
        changed('attempts', { ...change.row, ended_at: goal.at }),
      ),
      ...openRows(tx, goal, 'operations'),
      ...openHolds(tx, goal).map((holdId) =>
        changed('holds', {
          hold_id: holdId,
          state: 'decided',
          decision: 'cancel',
          decided_by: actor,
          decision_reason: reason,
          decided_at: goal.at,
        }),
      ),
    ],
    facts: { reason },
  });
}

const KEYS = {
  tasks: ['task_id'],
  attempts: ['task_id', 'number'],
  operations: ['task_id', 'key'],
} as const;

/** The rows that have not ended: those whose state has a way out. */
export function openRows(
  tx: StoreTransaction,
  goal: GoalRow,
  table: keyof typeof KEYS,
): readonly RowChange[] {
  const key = KEYS[table];
  return tx
    .list(
      table,
      { goal: goal.goal, tenant: goal.tenant },
      { orderBy: 'rowid', columns: [...key, 'state'] },
    )
    .filter(({ state }) => isLegal(table, String(state), 'cancelled'))
    .map((row) =>
      changed(table, {
        ...Object.fromEntries(
          key.map((column) => [
            column,
            column === 'number' ? Number(row[column]) : String(row[column]),
          ]),
        ),
        state: 'cancelled',
      }),
    );
}

function openHolds(tx: StoreTransaction, goal: GoalRow): readonly string[] {
  return tx
    .list('holds', { goal: goal.goal, tenant: goal.tenant, state: 'open' })
    .map((row) => String(row['hold_id']));
}
