import type { Transaction } from '../sqlite/database.ts';
import { isLegal } from '../states/transitions.ts';
import { appendRecord, changed, type RowChange } from './append-record.ts';
import type { GoalRow } from './goal-row.ts';

/** Cancels a goal and all of it that has not ended; what was reserved is settled. */
export function cancelGoal(
  tx: Transaction,
  goal: GoalRow,
  cancellation: {
    readonly actor: string;
    readonly reason: string;
  },
): GoalRow {
  const { actor, reason } = cancellation;
  tx.run('DELETE FROM leases WHERE goal = ? AND tenant = ?', goal.goal, goal.tenant);
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
  tx: Transaction,
  goal: GoalRow,
  table: keyof typeof KEYS,
): readonly RowChange[] {
  const key = KEYS[table];
  return tx
    .all(
      `SELECT ${key.join(', ')}, state FROM ${table} WHERE goal = ? AND tenant = ? ORDER BY rowid`,
      goal.goal,
      goal.tenant,
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

function openHolds(tx: Transaction, goal: GoalRow): readonly string[] {
  return tx
    .all(
      `SELECT hold_id FROM holds WHERE goal = ? AND tenant = ? AND state = 'open' ORDER BY rowid`,
      goal.goal,
      goal.tenant,
    )
    .map((row) => String(row['hold_id']));
}
