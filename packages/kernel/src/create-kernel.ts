import { toDiagnosticJson } from '@millforge/contracts';
import { retrieve } from './artifacts/captured-revision.ts';
import { collectArtifacts } from './artifacts/collect-artifacts.ts';
import {
  checkDecision,
  checkLines,
  checkMilliseconds,
  checkReason,
  checkWholeNumber,
} from './check-arguments.ts';
import { readGoalContract } from './contract/read-goal-contract.ts';
import type { GoalView } from './goal-view.ts';
import type { GoalRun, Kernel, RunGoalOptions } from './kernel.ts';
import { kernelError, notFound } from './kernel-error.ts';
import { keepInternals } from './kernel-internals.ts';
import { createActiveRuns } from './run/active-runs.ts';
import type { RunParts } from './run/run-parts.ts';
import { type RunWorkerOptions, runWorker, type Worker } from './run/run-worker.ts';
import { createSlots } from './run/slots.ts';
import { checkScope, type Permission, type Scope } from './scope.ts';
import { backUp } from './sqlite/back-up.ts';
import { examineStore } from './sqlite/examine-store.ts';
import type { StoreFile } from './sqlite/store-file.ts';
import type { OwnActs } from './store/goal-store.ts';
import { readTrail } from './trail/read-trail.ts';

/** Puts the parts of an open store together. */
export function createKernel(parts: RunParts, storeFile: StoreFile | null): Kernel {
  const { store, clock, ids, owner, artifacts } = parts;
  const here: OwnActs = { ownerId: owner.id, isActing: (name) => parts.unsettled.has(name) };
  const runs = createActiveRuns(parts);
  const file = (): StoreFile => {
    if (storeFile !== null) return storeFile;
    throw kernelError(
      'kernel/no-file',
      'This kernel stands on a store of its own, which has no file; copy, collect and examine with the means of that store.',
    );
  };

  /** Whoever sees nothing learns nothing: what a scope cannot see is not found before it is not permitted. */
  const permit = async (
    scope: Scope,
    permission: Permission,
    goalId: string | null,
  ): Promise<void> => {
    checkScope(scope);
    // What is no name names nothing.
    if (goalId !== null && typeof goalId !== 'string') throw notFound('goal');
    if (scope.permissions.includes(permission)) return;
    if (goalId !== null) {
      await store.goals.assertKnown(scope.tenant, goalId);
    }
    throw kernelError(
      'kernel/not-permitted',
      `${scope.actor} lacks the permission ${permission}; ask whoever gives permissions here.`,
    );
  };

  const view = (scope: Scope, goalId: string): Promise<GoalView> =>
    store.goals.read(scope.tenant, goalId);

  const cancel = async (
    scope: Scope,
    goalId: string,
    { version, reason }: { readonly version: number | null; readonly reason: string },
  ): Promise<GoalView> => {
    await store.goals.cancel(scope, goalId, { version, reason });
    runs.stop(scope, goalId, 'cancelled');
    return view(scope, goalId);
  };

  const start = (scope: Scope, goalId: string, options: RunGoalOptions): GoalRun => {
    const run = runs.start(scope, goalId, {
      adapters: options.adapters,
      onWaiting: options.onWaiting,
      leavesBusy: false,
      slots: createSlots(options.concurrency ?? DEFAULT_CONCURRENCY),
      permitted: () => permit(scope, 'goal.admit', goalId),
    });
    const done = run.done.then(() => view(scope, goalId));
    // Whoever only stops a run need not wait for it.
    done.catch(() => undefined);
    return {
      done,
      stop: ({ now = false } = {}) => run.stop(now ? 'now' : 'soon'),
      async cancel(reason) {
        await permit(scope, 'goal.cancel', goalId);
        checkReason(reason);
        return cancel(scope, goalId, { version: null, reason });
      },
    };
  };

  const work = (options: RunWorkerOptions): Worker => {
    const closing = new AbortController();
    const signal = AbortSignal.any([options.signal, closing.signal]);
    const done = runWorker(parts, { ...options, signal }, async (scope, goalId, how) => {
      const run = runs.start(scope, goalId, {
        ...how,
        leavesBusy: true,
        onWaiting: undefined,
        permitted: async () => undefined,
      });
      const stop = (): void => run.stop('soon');
      how.signal.addEventListener('abort', stop, { once: true });
      try {
        if (how.signal.aborted) stop();
        await run.done;
      } finally {
        how.signal.removeEventListener('abort', stop);
      }
    });
    runs.enter(() => closing.abort(), done);
    done.catch(() => undefined);
    return { done };
  };

  let closing: Promise<void> | null = null;
  /** What asks no store is told by nobody else. */
  const refuseClosed = (): void => {
    if (closing !== null)
      throw kernelError('kernel/closed', 'The kernel was closed; open it again.');
  };
  const close = async (): Promise<void> => {
    await runs.stopAll();
    try {
      await owner.release(parts.unsettled);
    } finally {
      await store.close();
    }
  };

  const kernel: Kernel = {
    ownerId: owner.id,
    async admitGoal(scope, contract) {
      await permit(scope, 'goal.admit', null);
      const read = readGoalContract(contract);
      if (!read.ok) {
        const [first] = read.diagnostics;
        throw kernelError(
          'kernel/contract-invalid',
          `The contract cannot be admitted: ${first?.path ?? '/'}: ${first?.message ?? ''}`,
          { diagnostics: read.diagnostics.map((diagnostic) => toDiagnosticJson(diagnostic)) },
        );
      }
      const goalUid = ids.newId('goal');
      await store.goals.admit(scope, { contract: read.value, goalUid });
      return view(scope, read.value.goal_id);
    },
    async readGoal(scope, goalId) {
      await permit(scope, 'goal.read', goalId);
      return view(scope, goalId);
    },
    async listGoals(scope, { limit = 100, before } = {}) {
      await permit(scope, 'goal.read', null);
      checkWholeNumber('limit', limit, 0);
      return store.goals.list(scope.tenant, { limit, before: before ?? null });
    },
    runGoal(scope, goalId, options) {
      checkScope(scope);
      return start(scope, goalId, options);
    },
    async decide(scope, goalId, decision) {
      await permit(scope, 'goal.decide', goalId);
      checkDecision(decision);
      await store.goals.decide(scope, goalId, {
        decision,
        receiptId: ids.newId('receipt'),
        here,
      });
      if (decision.decision === 'cancel') runs.stop(scope, goalId, 'cancelled');
      return view(scope, goalId);
    },
    async cancelGoal(scope, goalId, options) {
      await permit(scope, 'goal.cancel', goalId);
      checkReason(options.reason);
      return cancel(scope, goalId, options);
    },
    async *readTrail(scope, goalId, options = {}) {
      await permit(scope, 'goal.read', goalId);
      if (options.from !== undefined) checkWholeNumber('from', options.from, 0);
      yield* readTrail({ trails: store.trails, clock }, { tenant: scope.tenant, goalId }, options);
    },
    async verifyTrail(scope, goalId) {
      await permit(scope, 'goal.read', goalId ?? null);
      return store.trails.verify(scope.tenant, goalId ?? null);
    },
    async readOperation(scope, goalId, { taskId, key }) {
      await permit(scope, 'goal.read', goalId);
      return store.goals.readOperation(scope.tenant, goalId, { taskId: taskId ?? null, key });
    },
    artifacts(scope) {
      checkScope(scope);
      return {
        async put(bytes, options) {
          await permit(scope, 'goal.admit', null);
          refuseClosed();
          return artifacts.put(scope.tenant, bytes, options);
        },
        async *open(digest) {
          await permit(scope, 'goal.read', null);
          refuseClosed();
          yield* artifacts.open(scope.tenant, digest);
        },
      };
    },
    runWorker: work,
    async *exportTrail(scope, goalId) {
      await permit(scope, 'trail.export', goalId);
      yield* store.trails.export(scope.tenant, goalId);
    },
    async importTrail(scope, lines) {
      await permit(scope, 'goal.admit', null);
      checkLines(lines);
      return view(scope, await store.trails.import(scope, lines));
    },
    async retrieve(scope, query) {
      await permit(scope, 'goal.read', null);
      refuseClosed();
      return retrieve({ open: (digest) => artifacts.open(scope.tenant, digest) }, query);
    },
    async collectArtifacts({ graceMs = COLLECTION_GRACE_MS } = {}) {
      checkMilliseconds('graceMs', graceMs);
      return collectArtifacts({ ...parts, db: file().db }, { graceMs });
    },
    async backup(directory) {
      return backUp({ ...parts, ...file() }, directory);
    },
    async examine() {
      return examineStore({ db: file().db, clock });
    },
    [Symbol.asyncDispose]() {
      closing ??= close();
      return closing;
    },
  };
  return keepInternals(kernel, {
    parts,
    file,
    permit,
    enter: (stopIt, done) => runs.enter(stopIt, done),
  });
}
// More attempts at once help no goal that people have written.
const DEFAULT_CONCURRENCY = 16;
/** Longer than any save of an artifact should take. */
const COLLECTION_GRACE_MS = 86_400_000;
