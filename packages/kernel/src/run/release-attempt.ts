import { advanceGoal } from '../store/advance-goal.ts';
import { appendRecord, changed } from '../store/append-record.ts';
import { type AttemptRow, dropLease } from '../store/attempt-row.ts';
import { doubtLeftAttempt } from '../store/doubt-attempt.ts';
import { countOpenHolds } from '../store/open-holds.ts';
import { isInDoubt } from './attempt-rules.ts';
import { readStanding } from './read-position.ts';
import type { RunParts, RunRequest } from './run-parts.ts';
import type { Standing } from './standing.ts';

/**
 * Lets go what a dead process left of a goal that is held or has failed meanwhile; what it may have done stays a question.
 *
 * False when its process lives: that one ends it.
 */
export async function releaseAttempt(
  { clock, db, owner }: RunParts,
  { scope, goalId }: RunRequest,
  standing: Standing & { readonly attempt: AttemptRow },
): Promise<boolean> {
  const { lease, attempt, task } = standing;
  if (lease !== null && lease.owner_id !== owner.id && owner.isAlive(lease.owner_id)) return false;
  const taskId = task.task_id;
  return db.write('suspend-attempt', (tx) => {
    const current = readStanding(tx, scope.tenant, { goalId, taskId, now: clock.now() });
    const { goal, contract } = current;
    const isOpen = goal.state === 'running' || goal.state === 'held';
    if (current.attempt?.version !== attempt.version || !isOpen) return true;
    const elapsedMs = Math.max(attempt.elapsed_ms, lease?.elapsed_ms ?? 0);
    if (attempt.state === 'running' && isInDoubt(task)) {
      doubtLeftAttempt(tx, goal, {
        taskId,
        attempt,
        actor: scope.actor,
        elapsedMs,
        isSettled: true,
      });
      return true;
    }
    dropLease(tx, goal, taskId);
    const advance = advanceGoal(tx, goal, {
      contract,
      event: {
        endsAttempt: true,
        taskId,
        state: current.taskRow.state === 'held' ? 'held' : 'ready',
        verdict: null,
      },
      isHeld: countOpenHolds(tx, goal) > 0,
      units: { reserved: goal.units_reserved, settled: goal.units_settled },
    });
    const hasEnded = advance.goal['state'] === 'failed';
    appendRecord(tx, goal, {
      type: 'attempt-suspended',
      actor: scope.actor,
      changes: [
        // A hold keeps the task where it is, and one that was decided meanwhile has set it free already.
        ...(hasEnded || current.taskRow.state !== 'running'
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
    return true;
  });
}
