import { digest } from '@millforge/contracts';
import type { CompleteTask } from '../contract/read-goal-contract.ts';
import type { AttemptRow } from '../store/attempt-row.ts';
import { isEffectful } from './operation-rules.ts';

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

/** The generation of the attempt that follows: a clean failure is performed anew under a new key. */
export function nextGeneration(last: AttemptRow | null): number {
  if (last === null) return 1;
  return last.state === 'failed' && last.is_clean ? last.generation + 1 : last.generation;
}

/** Names a whole attempt among all acts of a process. */
export function attemptName(
  { goalUid, taskId }: { readonly goalUid: string; readonly taskId: string },
  number: number,
): string {
  return `${goalUid}/${taskId}#${number}`;
}
