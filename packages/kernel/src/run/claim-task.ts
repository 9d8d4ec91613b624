import { kernelError } from '../kernel-error.ts';
import type { LeaseRow } from '../store/attempt-row.ts';
import { isInDoubt } from '../store/attempt-rules.ts';
import type { ClaimedTask, Watched } from '../store/attempt-store.ts';
import type { Standing } from '../store/standing.ts';
import type { RunParts, RunRequest } from './run-parts.ts';

/** Takes a task of a goal into this process; null when it changed meanwhile and is to be looked at again. */
export async function claimTask(
  parts: RunParts,
  request: RunRequest,
  { standing, hasDrifted }: { readonly standing: Standing; readonly hasDrifted: boolean },
): Promise<ClaimedTask | null> {
  const { owner, store } = parts;
  const { actor } = request.scope;
  const { attempt, lease, task } = standing;
  const watched = lease === null ? null : await waitForOwner(parts, request, { standing, lease });
  if (lease !== null && watched === null) return null;
  if (hasDrifted) {
    await store.attempts.hold(standing, {
      actor,
      reason: 'adapter-drift',
      message: `The adapter ${task.adapter.name} is not what it was at admission: version or parameters differ.`,
    });
    return null;
  }
  if (attempt === null || attempt.state === 'failed' || attempt.state === 'superseded') {
    return store.attempts.admit(standing, { ownerId: owner.id, actor });
  }
  const beat = watched?.beat ?? null;
  // Its callback began, and nobody saw what it did.
  if (attempt.state === 'running' && isInDoubt(task)) {
    await store.attempts.doubtLeft(standing, { actor, beat });
    return null;
  }
  const wasCrash = attempt.state !== 'suspended';
  if (wasCrash && attempt.resumes + 1 > task.max_resumes) {
    await store.attempts.hold(standing, {
      actor,
      reason: 'resume-limit',
      message: `The attempt was interrupted ${attempt.resumes + 1} times without ending; something in it may kill the process.`,
    });
    return null;
  }
  return store.attempts.claim(standing, { ownerId: owner.id, actor, beat });
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
  const { clock, owner, store } = parts;
  const { stop } = request;
  // Every run of this process is counted; a lease of ours that no run has was left by a fault.
  if (lease.owner_id === owner.id) return { beat: null };
  if (!(await store.owners.isAlive(lease.owner_id))) return { beat: null };
  if (request.leavesBusy) return watchSilence(parts, standing, lease);
  const seen = await store.owners.read(lease.owner_id);
  request.onWaiting?.(seen.view);
  const start = clock.monotonicMs();
  for (;;) {
    const left = standing.task.lease_ms - (clock.monotonicMs() - start);
    if (left <= 0) return { beat: seen.beat };
    await clock.delay(Math.min(left, POLL_MS), stop.signal).catch(() => undefined);
    if (stop.isStopped()) return null;
    const current = await store.owners.read(lease.owner_id);
    const { standings } = await store.goals.position(standing.goal.tenant, standing.goal.goal_id);
    const now = standings.find(({ task }) => task.task_id === standing.task.task_id);
    if (now?.lease?.fence !== lease.fence) return null;
    if (!(await store.owners.isAlive(lease.owner_id))) return { beat: null };
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
  { store, clock, silences }: RunParts,
  { goal, task }: Standing,
  { owner_id, fence }: LeaseRow,
): Promise<Watched | null> {
  const { beat } = await store.owners.read(owner_id);
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

const POLL_MS = 250;
