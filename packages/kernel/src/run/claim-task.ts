import type { HoldView } from '../goal-view.ts';
import { kernelError } from '../kernel-error.ts';
import { readBeat, readOwner } from '../owner/owner.ts';
import type { Transaction } from '../sqlite/database.ts';
import { changed } from '../store/append-record.ts';
import { type AttemptRow, dropLease, type LeaseRow, readLease } from '../store/attempt-row.ts';
import { admitAttempt, claimAttempt } from '../store/claim.ts';
import { doubtLeftAttempt } from '../store/doubt-attempt.ts';
import { openHold } from '../store/open-hold.ts';
import { isInDoubt, nextGeneration } from './attempt-rules.ts';
import { readStanding } from './read-position.ts';
import type { ClaimedTask, RunParts, RunRequest } from './run-parts.ts';
import type { Standing } from './standing.ts';

/** Takes a task of a goal into this process; null when it changed meanwhile and is to be looked at again. */
export async function claimTask(
  parts: RunParts,
  request: RunRequest,
  { standing, hasDrifted }: { readonly standing: Standing; readonly hasDrifted: boolean },
): Promise<ClaimedTask | null> {
  const { attempt, lease, task } = standing;
  const watched = lease === null ? null : await waitForOwner(parts, request, { standing, lease });
  if (lease !== null && watched === null) return null;
  if (hasDrifted) {
    await hold(parts, request, {
      standing,
      reason: 'adapter-drift',
      message: `The adapter ${task.adapter.name} is not what it was at admission: version or parameters differ.`,
    });
    return null;
  }
  if (attempt === null || attempt.state === 'failed' || attempt.state === 'superseded') {
    return admit(parts, request, standing);
  }
  const beat = watched?.beat ?? null;
  // Its callback began, and nobody saw what it did.
  if (attempt.state === 'running' && isInDoubt(task)) {
    await doubtLeft(parts, request, { standing, attempt, beat });
    return null;
  }
  const wasCrash = attempt.state !== 'suspended';
  if (wasCrash && attempt.resumes + 1 > task.max_resumes) {
    await hold(parts, request, {
      standing,
      reason: 'resume-limit',
      message: `The attempt was interrupted ${attempt.resumes + 1} times without ending; something in it may kill the process.`,
    });
    return null;
  }
  return claimAgain(parts, request, { standing, attempt, beat });
}

/** What was seen of a silent owner; the claim compares it once more. */
interface Watched {
  readonly beat: number | null;
}

/**
 * Waits until an owner's lease may be taken: at once from a dead process, from a living one after its heartbeat stood
 * still for the whole lease on this process's own clock. Null when the goal moved on, or the wait was stopped.
 *
 * @throws `kernel/run-active` as soon as the owner shows that it goes on.
 */
async function waitForOwner(
  parts: RunParts,
  request: RunRequest,
  { standing, lease }: { readonly standing: Standing; readonly lease: LeaseRow },
): Promise<Watched | null> {
  const { clock, db, owner } = parts;
  const { stop } = request;
  // Every run of this process is counted; a lease of ours that no run has was left by a fault.
  if (lease.owner_id === owner.id) return { beat: null };
  if (!owner.isAlive(lease.owner_id)) return { beat: null };
  if (request.leavesBusy) return watchSilence(parts, standing, lease);
  const seen = await db.read((tx) => ({
    beat: readBeat(tx, lease.owner_id),
    view: readOwner(tx, lease.owner_id),
  }));
  request.onWaiting?.(seen.view);
  const start = clock.monotonicMs();
  for (;;) {
    const left = standing.task.lease_ms - (clock.monotonicMs() - start);
    if (left <= 0) return { beat: seen.beat };
    await clock.delay(Math.min(left, POLL_MS), stop.signal).catch(() => undefined);
    if (stop.isStopped()) return null;
    const current = await db.read((tx) => ({
      beat: readBeat(tx, lease.owner_id),
      lease: readLease(tx, standing.goal, standing.task.task_id),
    }));
    if (current.lease?.fence !== lease.fence) return null;
    if (!owner.isAlive(lease.owner_id)) return { beat: null };
    if (current.beat === seen.beat) continue;
    throw kernelError(
      'kernel/run-active',
      `Process ${seen.view.pid} on ${seen.view.host} runs this goal; stop it there, or wait until it ends.`,
      { owner: { ...seen.view } },
    );
  }
}

/** Looks once and remembers: a worker, which comes by again, waits for nobody. */
async function watchSilence(
  { db, clock, silences }: RunParts,
  { goal, task }: Standing,
  { owner_id, fence }: LeaseRow,
): Promise<Watched | null> {
  const beat = await db.read((tx) => readBeat(tx, owner_id));
  const name = `${goal.goal_uid}/${task.task_id}`;
  const known = silences.get(name);
  const now = clock.monotonicMs();
  // An owner without leases shows nothing, so the silence of a lease begins with the lease.
  if (known?.beat === beat && known.fence === fence) {
    return now - known.since >= task.lease_ms ? { beat } : null;
  }
  if (silences.size >= MAX_SILENCES) silences.clear();
  silences.set(name, { beat, fence, since: now });
  return null;
}

const MAX_SILENCES = 4096;

async function admit(
  parts: RunParts,
  { scope, goalId }: RunRequest,
  standing: Standing,
): Promise<ClaimedTask | null> {
  const { clock, db, owner } = parts;
  const { task } = standing;
  return db.write('admit-attempt', (tx) => {
    const current = readStanding(tx, scope.tenant, {
      goalId,
      taskId: task.task_id,
      now: clock.now(),
    });
    if (!isSame(current, standing) || current.taskRow.state !== 'ready') return null;
    const claim = admitAttempt(tx, current.goal, {
      taskId: task.task_id,
      number: current.taskRow.attempts + 1,
      ownerId: owner.id,
      actor: scope.actor,
      units: task.units,
      generation: nextGeneration(tx, current),
    });
    return {
      claim,
      elapsedMs: 0,
      othersElapsedMs: otherElapsed(tx, current),
      admittedAt: current.goal.at,
    };
  });
}

async function claimAgain(
  parts: RunParts,
  { scope, goalId }: RunRequest,
  { standing, attempt, beat }: Left,
): Promise<ClaimedTask | null> {
  const { clock, db, owner } = parts;
  const { task } = standing;
  return db.write('claim-attempt', (tx) => {
    const current = readStanding(tx, scope.tenant, {
      goalId,
      taskId: task.task_id,
      now: clock.now(),
    });
    if (!isSame(current, standing) || hasBeaten(tx, current, beat)) return null;
    const elapsedMs = elapsedOf(tx, current, attempt);
    const claim = claimAttempt(tx, current.goal, {
      attempt,
      elapsedMs,
      taskIsRunning: current.taskRow.state === 'running',
      wasCrash: attempt.state !== 'suspended',
      claim: {
        taskId: task.task_id,
        number: attempt.number,
        ownerId: owner.id,
        actor: scope.actor,
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
  });
}

/** An attempt that another process had, and the heartbeat at which that was last seen. */
interface Left {
  readonly standing: Standing;
  readonly attempt: AttemptRow;
  readonly beat: number | null;
}

async function doubtLeft(
  parts: RunParts,
  { scope, goalId }: RunRequest,
  { standing, attempt, beat }: Left,
): Promise<void> {
  const { clock, db, owner } = parts;
  const taskId = standing.task.task_id;
  await db.write('doubt-attempt', (tx) => {
    const current = readStanding(tx, scope.tenant, { goalId, taskId, now: clock.now() });
    if (!isSame(current, standing) || hasBeaten(tx, current, beat)) return;
    doubtLeftAttempt(tx, current.goal, {
      taskId,
      attempt,
      actor: scope.actor,
      elapsedMs: elapsedOf(tx, current, attempt),
      isSettled: !owner.isAlive(attempt.owner_id),
    });
  });
}

/** Whether the owner showed that it goes on between the last look and this transaction. */
function hasBeaten(tx: Transaction, { lease }: Standing, beat: number | null): boolean {
  return beat !== null && lease !== null && readBeat(tx, lease.owner_id) !== beat;
}

function elapsedOf(tx: Transaction, standing: Standing, attempt: AttemptRow): number {
  return Math.max(
    attempt.elapsed_ms,
    standing.lease?.elapsed_ms ?? 0,
    lastElapsed(tx, standing, attempt.number),
  );
}

/** Time under a lease of all other attempts of the goal. */
function otherElapsed(tx: Transaction, { goal, task, attempt }: Standing): number {
  const row = tx.get(
    'SELECT sum(elapsed_ms) AS elapsed_ms FROM attempts WHERE goal = ? AND tenant = ? AND NOT (task_id = ? AND number = ?)',
    goal.goal,
    goal.tenant,
    task.task_id,
    attempt?.number ?? 0,
  );
  return Number(row?.['elapsed_ms'] ?? 0);
}

/** Holds a goal that must not be run as it is. */
async function hold(
  parts: RunParts,
  { scope, goalId }: RunRequest,
  question: {
    readonly standing: Standing;
    readonly reason: HoldView['reason'];
    readonly message: string;
  },
): Promise<void> {
  const { clock, db } = parts;
  const taskId = question.standing.task.task_id;
  await db.write('open-hold', (tx) => {
    const current = readStanding(tx, scope.tenant, { goalId, taskId, now: clock.now() });
    if (!isSame(current, question.standing)) return;
    const { attempt } = current;
    const isLeft = attempt?.state === 'admitted' || attempt?.state === 'running';
    dropLease(tx, current.goal, taskId);
    openHold(tx, current.goal, {
      hold: {
        reason: question.reason,
        message: question.message,
        taskId,
        attempt: attempt?.number ?? null,
        operationKey: null,
        facts: {},
      },
      actor: scope.actor,
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
  });
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

/** Time under the lease that the last operation of a dead process still told. */
function lastElapsed(tx: Transaction, { goal, task }: Standing, number: number): number {
  const row = tx.get(
    'SELECT max(elapsed_ms) AS elapsed_ms FROM operations WHERE goal = ? AND tenant = ? AND task_id = ? AND attempt = ?',
    goal.goal,
    goal.tenant,
    task.task_id,
    number,
  );
  return Number(row?.['elapsed_ms'] ?? 0);
}

const POLL_MS = 250;
