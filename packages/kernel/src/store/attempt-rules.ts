import { digest } from '@millforge/contracts';
import type { CompleteTask } from '../contract/read-goal-contract.ts';
import { isEffectful } from './operation-rules.ts';
import type { Standing } from './standing.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** Whether an interruption of the whole callback leaves in doubt what it did. */
export function isInDoubt(task: Pick<CompleteTask, 'doubt' | 'effect' | 'repeat'>): boolean {
  return task.doubt === 'attempt' && isEffectful(task) && task.repeat === 'unsafe';
}

/** The key that the receiver of a whole attempt sees: no number is in it, for a repeat in doubt carries the first. */
export function attemptKey(
  { goalUid, taskId }: { readonly goalUid: string; readonly taskId: string },
  generation: number,
): string {
  return digest({ goal_uid: goalUid, task_id: taskId, generation });
}

/**
 * The generation of the attempt that follows: a clean failure is performed anew under a new key, unless an earlier
 * attempt under the same key may have had its effect.
 */
export function nextGeneration(
  tx: StoreTransaction,
  { goal, task, attempt }: Pick<Standing, 'goal' | 'task' | 'attempt'>,
): number {
  if (attempt === null) return 1;
  if (attempt.state !== 'failed' || !attempt.is_clean) return attempt.generation;
  const doubtful = tx.find('attempts', {
    goal: goal.goal,
    tenant: goal.tenant,
    task_id: task.task_id,
    generation: attempt.generation,
    is_clean: 0,
  });
  return attempt.generation + (doubtful === undefined ? 1 : 0);
}

/** Names a whole attempt among all acts of a process. */
export function attemptName(
  { goalUid, taskId }: { readonly goalUid: string; readonly taskId: string },
  number: number,
): string {
  return `${goalUid}/${taskId}#${number}`;
}
