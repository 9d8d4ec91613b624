import type { Standing } from '../store/standing.ts';
import type { RunParts, RunRequest } from './run-parts.ts';

/**
 * Lets go what a dead process left of a goal that is held or has failed meanwhile; what it may have done stays a question.
 *
 * False when its process lives: that one ends it.
 */
export async function releaseAttempt(
  { owner, store }: RunParts,
  { scope }: RunRequest,
  standing: Standing,
): Promise<boolean> {
  const { lease } = standing;
  const isOthers = lease !== null && lease.owner_id !== owner.id;
  if (isOthers && (await store.owners.isAlive(lease.owner_id))) return false;
  await store.attempts.release(standing, { actor: scope.actor });
  return true;
}
