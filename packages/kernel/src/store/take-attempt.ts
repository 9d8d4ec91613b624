import type { HoldView } from '../goal-view.ts';
import { changed } from './append-record.ts';
import { type AttemptRow, dropLease } from './attempt-row.ts';
import { nextGeneration } from './attempt-rules.ts';
import type { ClaimedTask, Claimer, Watched } from './attempt-store.ts';
import { admitAttempt, claimAttempt } from './claim.ts';
import { readBeat } from './create-owner-store.ts';
import { doubtLeftAttempt } from './doubt-attempt.ts';
import { openHold } from './open-hold.ts';
import { readStanding } from './read-position.ts';
import type { Standing } from './standing.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** Admits a new attempt of a task that stands as it was seen; null otherwise. */
export function takeNewAttempt(
  tx: StoreTransaction,
  seen: Standing,
  { ownerId, actor, now }: Claimer & At,
): ClaimedTask | null {
  const current = readAgain(tx, seen, now);
  if (!isSame(current, seen) || current.taskRow.state !== 'ready') return null;
  // Any other attempt is gone on with, and may still be its process's.
  if (current.attempt !== null && !FOLLOWED.has(current.attempt.state)) return null;
  const { task } = current;
  const claim = admitAttempt(tx, current.goal, {
    taskId: task.task_id,
    number: current.taskRow.attempts + 1,
    ownerId,
    actor,
    units: task.units,
    generation: nextGeneration(tx, current),
  });
  return {
    claim,
    elapsedMs: 0,
    othersElapsedMs: otherElapsed(tx, current),
    admittedAt: current.goal.at,
  };
}

/** States of an attempt that another one follows. */
const FOLLOWED: ReadonlySet<AttemptRow['state']> = new Set(['failed', 'superseded']);

/** Claims the latest attempt of a task again that stands as it was seen; null otherwise. */
export function takeAttemptAgain(
  tx: StoreTransaction,
  seen: Standing,
  { ownerId, actor, beat, now }: Claimer & Watched & At,
): ClaimedTask | null {
  const current = readAgain(tx, seen, now);
  const { attempt } = current;
  if (attempt === null || !isSame(current, seen) || hasBeaten(tx, current, beat)) return null;
  const elapsedMs = elapsedOf(tx, current, attempt);
  const claim = claimAttempt(tx, current.goal, {
    attempt,
    elapsedMs,
    taskIsRunning: current.taskRow.state === 'running',
    wasCrash: attempt.state !== 'suspended',
    claim: {
      taskId: current.task.task_id,
      number: attempt.number,
      ownerId,
      actor,
      units: attempt.units,
      generation: attempt.generation,
    },
  });
  return {
    claim,
    elapsedMs,
    othersElapsedMs: otherElapsed(tx, current),
    admittedAt: attempt.admitted_at,
  };
}

/** Marks what another process left in the middle as something that nobody knows the end of. */
export function doubtSeenAttempt(
  tx: StoreTransaction,
  seen: Standing,
  {
    actor,
    beat,
    now,
    isAlive,
  }: Watched & At & { readonly actor: string; readonly isAlive: (ownerId: string) => boolean },
): void {
  const current = readAgain(tx, seen, now);
  const { attempt } = current;
  if (attempt === null || !isSame(current, seen) || hasBeaten(tx, current, beat)) return;
  doubtLeftAttempt(tx, current.goal, {
    taskId: current.task.task_id,
    attempt,
    actor,
    elapsedMs: elapsedOf(tx, current, attempt),
    isSettled: !isAlive(attempt.owner_id),
  });
}

/** Holds a task that must not be run as it is. */
export function holdSeenTask(
  tx: StoreTransaction,
  seen: Standing,
  question: At & {
    readonly reason: HoldView['reason'];
    readonly message: string;
    readonly actor: string;
  },
): void {
  const current = readAgain(tx, seen, question.now);
  if (!isSame(current, seen)) return;
  const { attempt, goal } = current;
  const taskId = current.task.task_id;
  const isLeft = attempt?.state === 'admitted' || attempt?.state === 'running';
  dropLease(tx, goal, taskId);
  openHold(tx, goal, {
    hold: {
      reason: question.reason,
      message: question.message,
      taskId,
      attempt: attempt?.number ?? null,
      operationKey: null,
      facts: {},
    },
    actor: question.actor,
    changes:
      attempt !== null && isLeft
        ? [
            changed('attempts', {
              task_id: taskId,
              number: attempt.number,
              state: 'suspended',
              suspended_by: 'held',
            }),
          ]
        : [],
  });
}

/** When it happens, by the caller's clock. */
interface At {
  readonly now: number;
}

/** Reads a standing once more, inside the transaction that acts on it. */
export function readAgain(tx: StoreTransaction, { goal, task }: Standing, now: number): Standing {
  return readStanding(tx, goal.tenant, { goalId: goal.goal_id, taskId: task.task_id, now });
}

/** Whether nobody changed the task since it was looked at, and the goal still runs. */
function isSame(current: Standing, before: Standing): boolean {
  return (
    (current.goal.state === 'ready' || current.goal.state === 'running') &&
    current.taskRow.version === before.taskRow.version &&
    current.attempt?.number === before.attempt?.number &&
    current.attempt?.version === before.attempt?.version &&
    current.lease?.fence === before.lease?.fence
  );
}

/** Whether the owner showed that it goes on between the last look and this transaction. */
function hasBeaten(tx: StoreTransaction, { lease }: Standing, beat: number | null): boolean {
  return beat !== null && lease !== null && readBeat(tx, lease.owner_id) !== beat;
}

function elapsedOf(tx: StoreTransaction, standing: Standing, attempt: AttemptRow): number {
  return Math.max(
    attempt.elapsed_ms,
    standing.lease?.elapsed_ms ?? 0,
    lastElapsed(tx, standing, attempt.number),
  );
}

/** Time under a lease of all other attempts of the goal. */
function otherElapsed(tx: StoreTransaction, { goal, task, attempt }: Standing): number {
  return tx
    .list('attempts', { goal: goal.goal, tenant: goal.tenant })
    .filter((row) => row['task_id'] !== task.task_id || row['number'] !== attempt?.number)
    .reduce((sum, row) => sum + Number(row['elapsed_ms']), 0);
}

/** Time under the lease that the last operation of a dead process still told. */
function lastElapsed(tx: StoreTransaction, { goal, task }: Standing, number: number): number {
  const row = tx.find(
    'operations',
    { goal: goal.goal, tenant: goal.tenant, task_id: task.task_id, attempt: number },
    { orderBy: 'elapsed_ms', descending: true, columns: ['elapsed_ms'] },
  );
  return Number(row?.['elapsed_ms'] ?? 0);
}
