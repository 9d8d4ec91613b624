import { advanceGoal } from './advance-goal.ts';
import { appendRecord, changed } from './append-record.ts';
import { dropLease } from './attempt-row.ts';
import { isInDoubt } from './attempt-rules.ts';
import { doubtLeftAttempt } from './doubt-attempt.ts';
import { countOpenHolds } from './open-holds.ts';
import type { Standing } from './standing.ts';
import type { StoreTransaction } from './store-transaction.ts';
import { readAgain } from './take-attempt.ts';

/** Lets go what a dead process left of a goal that is held or has failed meanwhile; what it may have done stays a question. */
export function releaseLeftAttempt(
  tx: StoreTransaction,
  seen: Standing,
  { actor, now }: { readonly actor: string; readonly now: number },
): void {
  const { goal, contract, attempt, lease, task, taskRow } = readAgain(tx, seen, now);
  const isOpen = goal.state === 'running' || goal.state === 'held';
  if (attempt === null || attempt.version !== seen.attempt?.version || !isOpen) return;
  const taskId = task.task_id;
  const elapsedMs = Math.max(attempt.elapsed_ms, lease?.elapsed_ms ?? 0);
  if (attempt.state === 'running' && isInDoubt(task)) {
    doubtLeftAttempt(tx, goal, { taskId, attempt, actor, elapsedMs, isSettled: true });
    return;
  }
  dropLease(tx, goal, taskId);
  const advance = advanceGoal(tx, goal, {
    contract,
    event: {
      endsAttempt: true,
      taskId,
      state: taskRow.state === 'held' ? 'held' : 'ready',
      verdict: null,
    },
    isHeld: countOpenHolds(tx, goal) > 0,
    units: { reserved: goal.units_reserved, settled: goal.units_settled },
  });
  const hasEnded = advance.goal['state'] === 'failed';
  appendRecord(tx, goal, {
    type: 'attempt-suspended',
    actor,
    changes: [
      // A hold keeps the task where it is, and one that was decided meanwhile has set it free already.
      ...(hasEnded || taskRow.state !== 'running'
        ? []
        : [changed('tasks', { task_id: taskId, state: 'ready' })]),
      changed('attempts', {
        task_id: taskId,
        number: attempt.number,
        state: hasEnded ? 'cancelled' : 'suspended',
        elapsed_ms: elapsedMs,
        ...(hasEnded ? { ended_at: goal.at } : {}),
        suspended_by: 'stopped',
      }),
      ...advance.changes,
      ...(hasEnded ? [changed('goals', advance.goal)] : []),
    ],
  });
}
