import type { CompleteContract, CompleteTask } from '../contract/read-goal-contract.ts';
import type { Transaction } from '../sqlite/database.ts';
import {
  type AttemptRow,
  type LeaseRow,
  readLatestAttempt,
  readLease,
  readTasks,
  type TaskRow,
} from '../store/attempt-row.ts';
import { type GoalRow, readGoalRow } from '../store/goal-row.ts';
import { damagedContract, readContract } from '../store/read-contract.ts';

/** Where a goal stands, as a run sees it. */
export interface Position {
  readonly goal: GoalRow;
  readonly contract: CompleteContract;
  readonly task: CompleteTask;
  readonly taskRow: TaskRow;
  readonly attempt: AttemptRow | null;
  readonly lease: LeaseRow | null;
}

/** Reads where a goal stands. */
export function readPosition(
  tx: Transaction,
  tenant: string,
  which: { readonly goalId: string; readonly now: number },
): Position {
  const goal = readGoalRow(tx, tenant, which);
  const contract = readContract(tx, goal);
  const [task] = contract.tasks;
  const [taskRow] = readTasks(tx, goal);
  if (task === undefined || taskRow === undefined) throw damagedContract(goal.goal_id);
  return {
    goal,
    contract,
    task,
    taskRow,
    attempt: readLatestAttempt(tx, goal, task.task_id),
    lease: readLease(tx, goal, task.task_id),
  };
}
