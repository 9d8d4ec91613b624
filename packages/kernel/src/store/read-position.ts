import type { CompleteContract } from '../contract/read-goal-contract.ts';
import { readLatestAttempt, readLease, readTasks } from './attempt-row.ts';
import { type GoalRow, readGoalRow } from './goal-row.ts';
import { damagedContract, readContract } from './read-contract.ts';
import { refuseImported } from './refuse-imported.ts';
import type { Standing } from './standing.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** Where a goal stands, as a run sees it. */
export interface Position {
  /** The goal. */
  readonly goal: GoalRow;
  /** Its contract. */
  readonly contract: CompleteContract;
  /** Its tasks in their order. */
  readonly standings: readonly Standing[];
}

/** Reads where a goal stands. */
export function readPosition(
  tx: StoreTransaction,
  tenant: string,
  which: { readonly goalId: string; readonly now: number },
): Position {
  const goal = readGoalRow(tx, tenant, which);
  refuseImported(tx, goal);
  const contract = readContract(tx, goal);
  const rows = new Map(readTasks(tx, goal).map((row) => [row.task_id, row]));
  const standings = contract.tasks.map((task): Standing => {
    const taskRow = rows.get(task.task_id);
    if (taskRow === undefined) throw damagedContract(goal.goal_id);
    return {
      goal,
      contract,
      task,
      taskRow,
      attempt: readLatestAttempt(tx, goal, task.task_id),
      lease: readLease(tx, goal, task.task_id),
    };
  });
  return { goal, contract, standings };
}

/** Reads how one task of a goal stands. */
export function readStanding(
  tx: StoreTransaction,
  tenant: string,
  which: { readonly goalId: string; readonly taskId: string; readonly now: number },
): Standing {
  const { goal, standings } = readPosition(tx, tenant, which);
  const standing = standings.find(({ task }) => task.task_id === which.taskId);
  if (standing === undefined) throw damagedContract(goal.goal_id);
  return standing;
}
