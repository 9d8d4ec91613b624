import type { Adapter } from '../adapter.ts';
import type { OwnerView } from '../goal-view.ts';
import { kernelError } from '../kernel-error.ts';
import type { Scope } from '../scope.ts';
import { runGoal } from './run-goal.ts';
import type { RunParts, RunRequest } from './run-parts.ts';
import { createRunWatch } from './run-watch.ts';
import type { Slots } from './slots.ts';
import { createStopSwitch, type StopKind } from './stop-switch.ts';

/** The runs of this process: each goal at most once at a time. */
export interface ActiveRuns {
  /** Begins to run a goal; `done` rejects with `kernel/run-active` when this process runs it already. */
  start(scope: Scope, goalId: string, how: HowToRun): StartedRun;
  /** Tells the run of a goal to end, if there is one. */
  stop(scope: Scope, goalId: string, how: StopKind): void;
  /** Tells every run and worker to end at once, and waits for them. */
  stopAll(): Promise<void>;
  /** Counts something in that must have ended before the store is closed. */
  enter(stopIt: () => void, done: Promise<unknown>): void;
}

/** How one goal is run. */
export interface HowToRun {
  readonly adapters: readonly Adapter[];
  readonly slots: Slots;
  /** Whether tasks of other living processes are left to them. */
  readonly leavesBusy: boolean;
  readonly onWaiting: ((owner: OwnerView) => void) | undefined;
  /** Looked at before anything happens. */
  readonly permitted: () => Promise<void>;
}

/** One run, and how it is told to end. */
export interface StartedRun {
  readonly done: Promise<void>;
  readonly stop: (how: StopKind) => void;
}

/** Begins with no run. */
export function createActiveRuns(parts: RunParts): ActiveRuns {
  const active = new Map<string, (how: StopKind) => void>();
  const open = new Map<object, { readonly stop: () => void; readonly done: Promise<unknown> }>();

  const enter: ActiveRuns['enter'] = (stopIt, done) => {
    const entry = {};
    const ended = done.catch(() => undefined).finally(() => open.delete(entry));
    open.set(entry, { stop: stopIt, done: ended });
  };

  return {
    start(scope, goalId, how) {
      const name = nameOf(scope, goalId);
      const stop = createStopSwitch();
      const run = async (): Promise<void> => {
        if (active.has(name)) {
          throw kernelError(
            'kernel/run-active',
            'This process runs the goal already; wait for that run, or stop it.',
          );
        }
        active.set(name, (kind) => stop.stop(kind));
        try {
          await how.permitted();
          await watched(parts, { scope, goalId, stop, ...how });
        } finally {
          active.delete(name);
        }
      };
      const done = run();
      enter(() => stop.stop('now'), done);
      return { done, stop: (kind) => stop.stop(kind) };
    },
    stop(scope, goalId, how) {
      active.get(nameOf(scope, goalId))?.(how);
    },
    async stopAll() {
      const entries = [...open.values()];
      for (const { stop } of entries) stop();
      await Promise.all(entries.map(({ done }) => done));
    },
    enter,
  };
}

/** Runs a goal, and tells the observer of it if there is one. */
async function watched(parts: RunParts, request: Omit<RunRequest, 'watch'>): Promise<void> {
  const { observer } = parts;
  if (observer === null) return runGoal(parts, { ...request, watch: null });
  const watch = createRunWatch(observer, request);
  try {
    await runGoal(parts, { ...request, watch });
    watch.end(null);
  } catch (error) {
    watch.end(error);
    throw error;
  }
}

function nameOf({ tenant }: Scope, goalId: string): string {
  return JSON.stringify([tenant, goalId]);
}
