import { toDiagnosticJson } from '@millforge/contracts';
import { retrieve } from './artifacts/captured-revision.ts';
import { collectArtifacts } from './artifacts/collect-artifacts.ts';
import { readGoalContract } from './contract/read-goal-contract.ts';
import type { GoalView } from './goal-view.ts';
import type { GoalRun, Kernel, RunGoalOptions } from './kernel.ts';
import { kernelError } from './kernel-error.ts';
import { readOwner } from './owner/owner.ts';
import { createActiveRuns } from './run/active-runs.ts';
import { attemptName } from './run/attempt-rules.ts';
import { operationName } from './run/operation-rules.ts';
import type { RunParts } from './run/run-parts.ts';
import { type RunWorkerOptions, runWorker, type Worker } from './run/run-worker.ts';
import { createSlots } from './run/slots.ts';
import { checkScope, type Permission, type Scope } from './scope.ts';
import { backUp } from './sqlite/back-up.ts';
import { examineStore } from './sqlite/examine-store.ts';
import { admitGoal } from './store/admit-goal.ts';
import { type AttemptRow, readTasks } from './store/attempt-row.ts';
import { cancelGoal } from './store/cancel-goal.ts';
import { decideHold, ended } from './store/decide-hold.ts';
import { readGoalRow } from './store/goal-row.ts';
import type { OperationRow } from './store/operation-row.ts';
import { readGoalSummaries, readGoalView } from './store/read-goal-view.ts';
import { readOperationView } from './store/read-operation-view.ts';
import { refuseImported } from './store/refuse-imported.ts';
import { exportTrail } from './trail/export-trail.ts';
import { importTrail, readExport } from './trail/import-trail.ts';
import { readTrail } from './trail/read-trail.ts';
import { verifyTenant } from './trail/verify-trail.ts';

/** Puts the parts of an open store together. */
export function createKernel(parts: RunParts): Kernel {
  const { db, clock, ids, owner, artifacts } = parts;
  const owners = { isAlive: owner.isAlive, read: readOwner };
  const runs = createActiveRuns(parts);

  /** Whoever sees nothing learns nothing: what a scope cannot see is not found before it is not permitted. */
  const permit = async (
    scope: Scope,
    permission: Permission,
    goalId: string | null,
  ): Promise<void> => {
    checkScope(scope);
    if (scope.permissions.includes(permission)) return;
    if (goalId !== null) {
      await db.read((tx) => readGoalRow(tx, scope.tenant, { goalId, now: clock.now() }));
    }
    throw kernelError(
      'kernel/not-permitted',
      `${scope.actor} lacks the permission ${permission}; ask whoever gives permissions here.`,
    );
  };

  const view = (scope: Scope, goalId: string): Promise<GoalView> =>
    db.read((tx) => readGoalView(tx, scope.tenant, { goalId, now: clock.now(), owners }));

  const cancel = async (
    scope: Scope,
    goalId: string,
    { version, reason }: { readonly version: number | null; readonly reason: string },
  ): Promise<GoalView> => {
    await db.write('cancel-goal', (tx) => {
      const goal = readGoalRow(tx, scope.tenant, { goalId, now: clock.now() });
      refuseImported(tx, goal);
      if (['completed', 'failed', 'cancelled'].includes(goal.state)) throw ended(goal);
      if (version !== null && goal.version !== version) {
        throw kernelError(
          'kernel/stale-version',
          `The goal has version ${goal.version} by now; read it again and decide on what it says.`,
        );
      }
      cancelGoal(tx, goal, { actor: scope.actor, reason });
    });
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
      how.signal.addEventListener('abort', stop);
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

  const mayStillAct = (goalUid: string) => ({
    mayStillAct: (operation: OperationRow, taskId: string): boolean =>
      operation.owner_id === owner.id
        ? parts.unsettled.has(operationName({ goalUid, taskId }, operation.key))
        : !operation.is_settled && owner.isAlive(operation.owner_id),
    isOwnerAlive: (ownerId: string): boolean => ownerId === owner.id || owner.isAlive(ownerId),
    mayStillRun: (attempt: AttemptRow, taskId: string): boolean =>
      attempt.owner_id === owner.id
        ? parts.unsettled.has(attemptName({ goalUid, taskId }, attempt.number))
        : !attempt.is_settled && owner.isAlive(attempt.owner_id),
  });

  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    await runs.stopAll();
    try {
      await owner.release(parts.unsettled);
    } finally {
      db.close();
    }
  };

  return {
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
      await db.write('admit-goal', (tx) =>
        admitGoal(tx, scope, { contract: read.value, goalUid, now: clock.now() }),
      );
      return view(scope, read.value.goal_id);
    },
    async readGoal(scope, goalId) {
      await permit(scope, 'goal.read', goalId);
      return view(scope, goalId);
    },
    async listGoals(scope, { limit = 100, before } = {}) {
      await permit(scope, 'goal.read', null);
      return db.read((tx) =>
        readGoalSummaries(tx, scope.tenant, { limit, before: before ?? null, now: clock.now() }),
      );
    },
    runGoal(scope, goalId, options) {
      checkScope(scope);
      return start(scope, goalId, options);
    },
    async decide(scope, goalId, decision) {
      await permit(scope, 'goal.decide', goalId);
      const receiptId = ids.newId('receipt');
      await db.write('decide-hold', (tx) => {
        const goal = readGoalRow(tx, scope.tenant, { goalId, now: clock.now() });
        refuseImported(tx, goal);
        decideHold(tx, goal, {
          decision,
          actor: scope.actor,
          receiptId,
          ...mayStillAct(goal.goal_uid),
        });
      });
      if (decision.decision === 'cancel') runs.stop(scope, goalId, 'cancelled');
      return view(scope, goalId);
    },
    async cancelGoal(scope, goalId, options) {
      await permit(scope, 'goal.cancel', goalId);
      return cancel(scope, goalId, options);
    },
    async *readTrail(scope, goalId, options = {}) {
      await permit(scope, 'goal.read', goalId);
      yield* readTrail(parts, { tenant: scope.tenant, goalId }, options);
    },
    async verifyTrail(scope, goalId) {
      await permit(scope, 'goal.read', goalId ?? null);
      return verifyTenant(parts, scope.tenant, goalId ?? null);
    },
    async readOperation(scope, goalId, { taskId, key }) {
      await permit(scope, 'goal.read', goalId);
      return db.read((tx) => {
        const goal = readGoalRow(tx, scope.tenant, { goalId, now: clock.now() });
        const [task] = readTasks(tx, goal);
        return readOperationView(tx, goal, { taskId: taskId ?? task?.task_id ?? '', key });
      });
    },
    artifacts(scope) {
      checkScope(scope);
      return {
        async put(bytes, options) {
          await permit(scope, 'goal.admit', null);
          return artifacts.put(scope.tenant, bytes, options);
        },
        async *open(digest) {
          await permit(scope, 'goal.read', null);
          yield* artifacts.open(scope.tenant, digest);
        },
      };
    },
    runWorker: work,
    async *exportTrail(scope, goalId) {
      await permit(scope, 'trail.export', goalId);
      yield* exportTrail(parts, { tenant: scope.tenant, goalId });
    },
    async importTrail(scope, lines) {
      await permit(scope, 'goal.admit', null);
      const { tenant, actor } = scope;
      const read = await readExport(lines, tenant);
      await db.write('import-trail', (tx) =>
        importTrail(tx, read, { tenant, actor, now: clock.now() }),
      );
      return view(scope, read.goalId);
    },
    async retrieve(scope, query) {
      await permit(scope, 'goal.read', null);
      return retrieve({ open: (digest) => artifacts.open(scope.tenant, digest) }, query);
    },
    collectArtifacts: ({ graceMs = COLLECTION_GRACE_MS } = {}) =>
      collectArtifacts(parts, { graceMs }),
    backup: (directory) => backUp(parts, directory),
    examine: () => examineStore(parts),
    [Symbol.asyncDispose]() {
      closing ??= close();
      return closing;
    },
  };
}
// More attempts at once help no goal that people have written.
const DEFAULT_CONCURRENCY = 16;
/** Longer than any save of an artifact should take. */
const COLLECTION_GRACE_MS = 86_400_000;
