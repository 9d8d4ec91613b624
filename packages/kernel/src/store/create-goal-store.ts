import { kernelError } from '../kernel-error.ts';
import { admitGoal } from './admit-goal.ts';
import { type AttemptRow, readTasks } from './attempt-row.ts';
import { attemptName } from './attempt-rules.ts';
import { cancelGoal } from './cancel-goal.ts';
import { checkGoal } from './check-goal.ts';
import { readOwner } from './create-owner-store.ts';
import { type Deciding, decideHold, ended } from './decide-hold.ts';
import { type GoalRow, readGoalRow } from './goal-row.ts';
import type { GoalStore, OwnActs } from './goal-store.ts';
import type { OperationRow } from './operation-row.ts';
import { operationName } from './operation-rules.ts';
import { readContract } from './read-contract.ts';
import { readGoalSummaries, readGoalView } from './read-goal-view.ts';
import { readOperationView } from './read-operation-view.ts';
import { readPosition } from './read-position.ts';
import { readWaiting } from './read-waiting.ts';
import { refuseImported } from './refuse-imported.ts';
import type { StoreParts } from './store-parts.ts';

/** Puts the transactions about goals together. */
export function createGoalStore({ db, clock, isAlive }: StoreParts): GoalStore {
  const owners = { isAlive, read: readOwner };

  /** What the store cannot know by itself about the acts of a goal. */
  const living = (
    { goal_uid: goalUid }: GoalRow,
    here: OwnActs,
  ): Pick<Deciding, 'mayStillAct' | 'mayStillRun' | 'isOwnerAlive'> => ({
    mayStillAct: (operation: OperationRow, taskId: string): boolean =>
      operation.owner_id === here.ownerId
        ? here.isActing(operationName({ goalUid, taskId }, operation.key))
        : !operation.is_settled && isAlive(operation.owner_id),
    mayStillRun: (attempt: AttemptRow, taskId: string): boolean =>
      attempt.owner_id === here.ownerId
        ? here.isActing(attemptName({ goalUid, taskId }, attempt.number))
        : !attempt.is_settled && isAlive(attempt.owner_id),
    isOwnerAlive: (ownerId: string): boolean => ownerId === here.ownerId || isAlive(ownerId),
  });

  return {
    async admit(scope, { contract, goalUid }) {
      await db.write('admit-goal', (tx) =>
        admitGoal(tx, scope, { contract, goalUid, now: clock.now() }),
      );
    },
    async assertKnown(tenant, goalId) {
      await db.read((tx) => readGoalRow(tx, tenant, { goalId, now: clock.now() }));
    },
    read: (tenant, goalId) =>
      db.read((tx) => readGoalView(tx, tenant, { goalId, now: clock.now(), owners })),
    list: (tenant, page) =>
      db.read((tx) => readGoalSummaries(tx, tenant, { ...page, now: clock.now(), owners })),
    readOperation: (tenant, goalId, { taskId, key }) =>
      db.read((tx) => {
        const goal = readGoalRow(tx, tenant, { goalId, now: clock.now() });
        const [task] = readTasks(tx, goal);
        return readOperationView(tx, goal, { taskId: taskId ?? task?.task_id ?? '', key });
      }),
    position: (tenant, goalId) =>
      db.read((tx) => readPosition(tx, tenant, { goalId, now: clock.now() })),
    waiting: (after) => db.read((tx) => readWaiting(tx, after)),
    check: (tenant, goalId, { actor }) =>
      db.write('check-goal', (tx) => {
        const goal = readGoalRow(tx, tenant, { goalId, now: clock.now() });
        checkGoal(tx, goal, { contract: readContract(tx, goal), actor });
      }),
    decide: (scope, goalId, { decision, receiptId, here }) =>
      db.write('decide-hold', (tx) => {
        const goal = readGoalRow(tx, scope.tenant, { goalId, now: clock.now() });
        refuseImported(tx, goal);
        decideHold(tx, goal, {
          decision,
          actor: scope.actor,
          receiptId,
          ...living(goal, here),
        });
      }),
    cancel: (scope, goalId, { version, reason }) =>
      db.write('cancel-goal', (tx) => {
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
      }),
  };
}
