import { digest, type Operation } from '@millforge/contracts';
import type { Claim } from './claim.ts';

/** Whether something outside may be different after it. */
export function isEffectful({ effect }: Pick<Operation, 'effect'>): boolean {
  return effect === 'write' || effect === 'external';
}

/** Whether its record must be durable before it is performed. */
export function needsAdmission(operation: Pick<Operation, 'effect' | 'metered'>): boolean {
  return operation.metered || isEffectful(operation);
}

/** The key that a receiver sees: the same for every repeat in doubt, so no attempt is in it. */
export function idempotencyKey(
  { goalUid, taskId }: Pick<Claim, 'goalUid' | 'taskId'>,
  { key, generation }: { readonly key: string; readonly generation: number },
): string {
  return digest({ goal_uid: goalUid, task_id: taskId, key, generation });
}

/** Names an operation among all of a process. */
export function operationName(
  { goalUid, taskId }: Pick<Claim, 'goalUid' | 'taskId'>,
  key: string,
): string {
  return `${goalUid}/${taskId}/${key}`;
}
