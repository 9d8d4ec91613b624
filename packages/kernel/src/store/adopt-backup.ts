import type { Clock } from '@millforge/contracts';
import { restorePublications } from '../publication/restore-publications.ts';
import type { Database, Transaction } from '../sqlite/database.ts';
import { APPLICATION_ID, BACKUP_ID } from '../sqlite/migrate.ts';
import { isLegal } from '../states/transitions.ts';
import { changed, type RowChange } from './append-record.ts';
import { readLatestAttempt, readTasks } from './attempt-row.ts';
import { isInDoubt } from './attempt-rules.ts';
import { type GoalRow, toGoalRow } from './goal-row.ts';
import { openHold } from './open-hold.ts';
import { isEffectful } from './operation-rules.ts';
import { readContract } from './read-contract.ts';

/** Makes a trail of a backup: whatever could have gone on after it was made is a question to a person. */
export async function adoptBackup(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  actor: string,
): Promise<void> {
  for (let after = 0; ; ) {
    const next = await db.write('adopt-backup', (tx) => {
      if (!isBackup(tx)) return null;
      const row = tx.get(
        `SELECT * FROM goals WHERE tenant IS NOT NULL AND goal > ?
            AND (state IN ('ready', 'running', 'checking', 'held') OR goal IN (SELECT goal FROM publications
              WHERE tenant IS NOT NULL AND state IN ('approved', 'sending', 'unknown'))) ORDER BY goal LIMIT 1`,
        after,
      );
      if (row === undefined) {
        tx.run(`PRAGMA application_id = ${APPLICATION_ID}`);
        return null;
      }
      const goal = restorePublications(tx, toGoalRow(tx, row, clock.now()), actor);
      holdRestored(tx, goal, actor);
      return goal.goal;
    });
    if (next === null) return;
    after = next;
  }
}

function isBackup(tx: Transaction): boolean {
  return tx.get('PRAGMA application_id')?.['application_id'] === BACKUP_ID;
}

/** Holds an open goal that can have effects, once. */
function holdRestored(tx: Transaction, goal: GoalRow, actor: string): void {
  const contract = readContract(tx, goal);
  const rows = new Map(readTasks(tx, goal).map((row) => [row.task_id, row]));
  const open = contract.tasks.find(({ task_id, effect }) => {
    const state = rows.get(task_id)?.state ?? 'cancelled';
    return isEffectful({ effect }) && isLegal('tasks', state, 'cancelled');
  });
  const known = tx.get(
    `SELECT hold_id FROM holds WHERE goal = ? AND tenant = ? AND reason = 'restored' AND state = 'open'`,
    goal.goal,
    goal.tenant,
  );
  if (open === undefined || known !== undefined) return;
  tx.run('DELETE FROM leases WHERE goal = ? AND tenant = ?', goal.goal, goal.tenant);
  const left = contract.tasks.flatMap((task): readonly RowChange[] => {
    const attempt = readLatestAttempt(tx, goal, task.task_id);
    if (attempt?.state !== 'admitted' && attempt?.state !== 'running') return [];
    const isOpen = attempt.state === 'running' && isInDoubt(task);
    return [
      changed('attempts', {
        task_id: task.task_id,
        number: attempt.number,
        ...(isOpen
          ? { state: 'ambiguous', is_settled: 1 }
          : { state: 'suspended', suspended_by: 'held' }),
      }),
      ...(task.task_id === open.task_id || isOpen || rows.get(task.task_id)?.state !== 'running'
        ? []
        : [changed('tasks', { task_id: task.task_id, state: 'ready' })]),
    ];
  });
  openHold(tx, goal, {
    hold: {
      reason: 'restored',
      message:
        'This goal comes from a backup; what was done after it was made is not known here, and would be done again.',
      taskId: open.task_id,
      attempt: null,
      operationKey: null,
      facts: {},
    },
    actor,
    changes: left,
  });
}
