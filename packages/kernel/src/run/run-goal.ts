import { MillforgeError } from '@millforge/contracts';
import type { Adapter } from '../adapter.ts';
import type { CompleteTask } from '../contract/read-goal-contract.ts';
import { kernelError } from '../kernel-error.ts';
import { goalStanding } from '../states/next-task-states.ts';
import { bindingSha256 } from '../store/admit-goal.ts';
import type { Position } from '../store/read-position.ts';
import type { Standing } from '../store/standing.ts';
import { claimTask } from './claim-task.ts';
import { releaseAttempt } from './release-attempt.ts';
import { resolveAttempt } from './resolve-attempt.ts';
import { runAttempt } from './run-attempt.ts';
import type { RunParts, RunRequest } from './run-parts.ts';
import type { AttemptWatch } from './run-watch.ts';
import { createStopSwitch } from './stop-switch.ts';

/** Runs a goal until it ends, is held, or is stopped; tasks that depend on nothing unfinished run at the same time. */
export async function runGoal(parts: RunParts, request: RunRequest): Promise<void> {
  const { goalId, scope } = request;
  const attempts = createStopSwitch();
  const leave = request.stop.onStop((how) => attempts.stop(how));
  const running = new Map<string, Promise<void>>();
  // What this run let go stays as it is: another run takes it up.
  const parked = new Set<string>();
  const faults: unknown[] = [];
  const busy: unknown[] = [];

  const start = (standing: Standing, free: () => void): void => {
    const { task_id } = standing.task;
    const work = async (): Promise<void> => {
      try {
        const isParked = await runTask(parts, { ...request, stop: attempts }, standing);
        if (isParked) parked.add(task_id);
      } catch (error) {
        if (MillforgeError.is(error, 'kernel/run-active')) {
          // The rest of the goal may go on here.
          busy.push(error);
          parked.add(task_id);
        } else {
          faults.push(error);
          attempts.stop('soon');
        }
      } finally {
        free();
        running.delete(task_id);
      }
    };
    running.set(task_id, work());
  };

  try {
    for (;;) {
      const position = await read(parts, request, faults);
      const open = position === null ? [] : openTasks(position, parked, running);
      let isWaiting = false;
      if (position !== null && faults.length === 0 && !attempts.isStopped()) {
        if (position.goal.state === 'checking') {
          await parts.store.goals.check(scope.tenant, goalId, { actor: scope.actor });
          continue;
        }
        if (hasFailed(position)) {
          // Attempts stop first: whoever of them ends last ends the goal.
          attempts.stop('soon');
          continue;
        }
        for (const standing of open) {
          const free = request.slots.take();
          isWaiting = free === null;
          if (free === null) break;
          start(standing, free);
        }
      }
      if (running.size === 0 && !isWaiting) {
        if (position !== null && faults.length === 0) {
          if (hasFailed(position) && (await releaseAll(parts, request, position))) continue;
          if (position.goal.state === 'held') await releaseOrphans(parts, request, position);
        }
        break;
      }
      await Promise.race([...running.values(), ...(isWaiting ? [request.slots.freed()] : [])]);
    }
  } finally {
    leave();
  }
  if (faults.length > 0) throw faults[0];
  if (busy.length > 0 && !attempts.isStopped()) throw busy[0];
}

async function read(
  { store }: RunParts,
  { scope, goalId, watch }: RunRequest,
  faults: unknown[],
): Promise<Position | null> {
  try {
    const position = await store.goals.position(scope.tenant, goalId);
    watch?.see(position);
    return position;
  } catch (error) {
    faults.push(error);
    return null;
  }
}

/** The tasks that could be run here, in their order. */
function openTasks(
  { goal, standings }: Position,
  parked: ReadonlySet<string>,
  running: ReadonlyMap<string, unknown>,
): readonly Standing[] {
  if (goal.state !== 'ready' && goal.state !== 'running') return [];
  return standings.filter(
    ({ task, taskRow }) =>
      (taskRow.state === 'ready' || taskRow.state === 'running') &&
      !parked.has(task.task_id) &&
      !running.has(task.task_id),
  );
}

/** Whether a task failed that the goal needs. */
function hasFailed({ goal, contract, standings }: Position): boolean {
  if (goal.state !== 'running') return false;
  const standing = new Map(standings.map(({ task, taskRow }) => [task.task_id, taskRow]));
  return goalStanding(contract.tasks, standing) === 'failed';
}

/** Runs, resolves or claims one task; tells whether this run has let it go. */
async function runTask(parts: RunParts, request: RunRequest, standing: Standing): Promise<boolean> {
  const { attempt, task, contract, goal } = standing;
  if (attempt?.state === 'ambiguous') {
    await resolveAttempt(parts, request, { ...standing, attempt });
    return false;
  }
  const adapter = findAdapter(request.adapters, task);
  const claimed = await claimTask(parts, request, {
    standing,
    hasDrifted: bindingSha256(adapter) !== standing.taskRow.binding_sha256,
  });
  if (claimed === null) return request.leavesBusy;
  const { watch } = request;
  const run = (watching: AttemptWatch | null): Promise<boolean> =>
    runAttempt(parts, request, {
      ...claimed,
      contract,
      task,
      adapter,
      admittedBy: goal.admitted_by,
      watch: watching,
    });
  return !(await (watch === null ? run(null) : watch.attempt(task, claimed.claim, run)));
}

/** Lets go what other processes left of a goal that has failed; tells whether there was any. */
async function releaseAll(
  parts: RunParts,
  request: RunRequest,
  { standings }: Position,
): Promise<boolean> {
  let hasReleased = false;
  for (const standing of standings) {
    const { attempt } = standing;
    if (attempt === null) continue;
    if (attempt.state === 'ambiguous') {
      await resolveAttempt(parts, request, { ...standing, attempt });
      hasReleased = true;
    } else if (attempt.state === 'admitted' || attempt.state === 'running') {
      hasReleased = (await releaseAttempt(parts, request, { ...standing, attempt })) || hasReleased;
    }
  }
  return hasReleased;
}

/** Lets go what dead processes left of a goal that waits for a person: nothing counts as running that nobody runs. */
async function releaseOrphans(
  parts: RunParts,
  request: RunRequest,
  { standings }: Position,
): Promise<void> {
  for (const standing of standings) {
    const { attempt } = standing;
    if (attempt?.state !== 'admitted' && attempt?.state !== 'running') continue;
    await releaseAttempt(parts, request, { ...standing, attempt });
  }
}

/** The adapter of that kind and name; whether it drifted is another question. */
function findAdapter(adapters: readonly Adapter[], { adapter }: CompleteTask): Adapter {
  const found = adapters.find(({ kind, name }) => kind === adapter.kind && name === adapter.name);
  if (found !== undefined) return found;
  throw kernelError(
    'kernel/adapter-missing',
    `The goal needs the ${adapter.kind} adapter ${adapter.name}, which was not given.`,
  );
}
