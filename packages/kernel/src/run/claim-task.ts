import type { HoldView } from '../goal-view.ts';
import { kernelError } from '../kernel-error.ts';
import { readBeat, readOwner } from '../owner/owner.ts';
import type { Transaction } from '../sqlite/database.ts';
import { changed } from '../store/append-record.ts';
import { type AttemptRow, dropLease, type LeaseRow } from '../store/attempt-row.ts';
import { admitAttempt, claimAttempt } from '../store/claim.ts';
import { openHold } from '../store/open-hold.ts';
import { type Position, readPosition } from './read-position.ts';
import type { ClaimedTask, RunParts, RunRequest } from './run-parts.ts';

/** Takes the task of a goal into this process; null when the goal changed meanwhile and is to be looked at again. */
export async function claimTask(
  parts: RunParts,
  request: RunRequest,
  { position, hasDrifted }: { readonly position: Position; readonly hasDrifted: boolean },
): Promise<ClaimedTask | null> {
  const { attempt, lease } = position;
  const watched = lease === null ? null : await waitForOwner(parts, request, { position, lease });
  if (lease !== null && watched === null) return null;
  if (hasDrifted) {
    await hold(parts, request, {
      position,
      reason: 'adapter-drift',
      message: `The adapter ${position.task.adapter.name} is not what it was at admission: version or parameters differ.`,
    });
    return null;
  }
  if (attempt === null || attempt.state === 'failed') return admit(parts, request, position);
  const wasCrash = attempt.state !== 'suspended';
  if (wasCrash && attempt.resumes + 1 > position.task.max_resumes) {
    await hold(parts, request, {
      position,
      reason: 'resume-limit',
      message: `The attempt was interrupted ${attempt.resumes + 1} times without ending; something in it may kill the process.`,
    });
    return null;
  }
  return claimAgain(parts, request, { position, attempt, beat: watched?.beat ?? null });
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
  { position, lease }: { readonly position: Position; readonly lease: LeaseRow },
): Promise<Watched | null> {
  const { clock, db, owner } = parts;
  const { stop, scope, goalId } = request;
  // Every run of this process is counted; a lease of ours that no run has was left by a fault.
  if (lease.owner_id === owner.id) return { beat: null };
  if (!owner.isAlive(lease.owner_id)) return { beat: null };
  const seen = await db.read((tx) => ({
    beat: readBeat(tx, lease.owner_id),
    view: readOwner(tx, lease.owner_id),
  }));
  request.onWaiting?.(seen.view);
  const start = clock.monotonicMs();
  for (;;) {
    const left = position.task.lease_ms - (clock.monotonicMs() - start);
    if (left <= 0) return { beat: seen.beat };
    await clock.delay(Math.min(left, POLL_MS), stop.signal).catch(() => undefined);
    if (stop.isStopped()) return null;
    const current = await db.read((tx) => ({
      beat: readBeat(tx, lease.owner_id),
      lease: readPosition(tx, scope.tenant, { goalId, now: clock.now() }).lease,
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

async function admit(
  parts: RunParts,
  { scope, goalId }: RunRequest,
  position: Position,
): Promise<ClaimedTask | null> {
  const { clock, db, owner } = parts;
  return db.write('admit-attempt', (tx) => {
    const current = readPosition(tx, scope.tenant, { goalId, now: clock.now() });
    if (!isSame(current, position) || current.taskRow.state !== 'ready') return null;
    const claim = admitAttempt(tx, current.goal, {
      taskId: position.task.task_id,
      number: current.taskRow.attempts + 1,
      ownerId: owner.id,
      actor: scope.actor,
      units: position.task.units,
    });
    return { claim, elapsedMs: 0, admittedAt: current.goal.at };
  });
}

async function claimAgain(
  parts: RunParts,
  { scope, goalId }: RunRequest,
  {
    position,
    attempt,
    beat,
  }: {
    readonly position: Position;
    readonly attempt: AttemptRow;
    readonly beat: number | null;
  },
): Promise<ClaimedTask | null> {
  const { clock, db, owner } = parts;
  return db.write('claim-attempt', (tx) => {
    const current = readPosition(tx, scope.tenant, { goalId, now: clock.now() });
    if (!isSame(current, position)) return null;
    const { lease } = current;
    // The owner showed that it goes on between the last look and this transaction.
    if (beat !== null && lease !== null && readBeat(tx, lease.owner_id) !== beat) return null;
    const elapsedMs = Math.max(
      attempt.elapsed_ms,
      lease?.elapsed_ms ?? 0,
      lastElapsed(tx, current, attempt.number),
    );
    const claim = claimAttempt(tx, current.goal, {
      attempt,
      elapsedMs,
      taskIsRunning: current.taskRow.state === 'running',
      wasCrash: attempt.state !== 'suspended',
      claim: {
        taskId: position.task.task_id,
        number: attempt.number,
        ownerId: owner.id,
        actor: scope.actor,
        units: attempt.units,
      },
    });
    return { claim, elapsedMs, admittedAt: attempt.admitted_at };
  });
}

/** Holds a goal that must not be run as it is. */
async function hold(
  parts: RunParts,
  { scope, goalId }: RunRequest,
  question: {
    readonly position: Position;
    readonly reason: HoldView['reason'];
    readonly message: string;
  },
): Promise<void> {
  const { clock, db } = parts;
  await db.write('open-hold', (tx) => {
    const current = readPosition(tx, scope.tenant, { goalId, now: clock.now() });
    if (!isSame(current, question.position)) return;
    const { attempt, task } = current;
    const isLeft = attempt !== null && attempt.state !== 'suspended' && attempt.state !== 'failed';
    dropLease(tx, current.goal, task.task_id);
    openHold(tx, current.goal, {
      hold: {
        reason: question.reason,
        message: question.message,
        taskId: task.task_id,
        attempt: attempt?.number ?? null,
        operationKey: null,
        facts: {},
      },
      actor: scope.actor,
      changes: isLeft
        ? [
            changed('attempts', {
              task_id: task.task_id,
              number: attempt.number,
              state: 'suspended',
              suspended_by: 'held',
            }),
          ]
        : [],
    });
  });
}

/** Whether nobody changed the goal since it was looked at. */
function isSame(current: Position, before: Position): boolean {
  return (
    current.goal.fence === before.goal.fence &&
    current.goal.version === before.goal.version &&
    current.lease?.fence === before.lease?.fence
  );
}

/** Time under the lease that the last operation of a dead process still told. */
function lastElapsed(tx: Transaction, { goal, task }: Position, number: number): number {
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
