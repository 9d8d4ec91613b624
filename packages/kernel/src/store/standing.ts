import type { CompleteContract, CompleteTask } from '../contract/read-goal-contract.ts';
import type { AttemptRow, LeaseRow, TaskRow } from './attempt-row.ts';
import type { GoalRow } from './goal-row.ts';

/** How one task of a goal stands, as a run sees it. */
export interface Standing {
  readonly goal: GoalRow;
  readonly contract: CompleteContract;
  readonly task: CompleteTask;
  readonly taskRow: TaskRow;
  /** The latest attempt; null before the first. */
  readonly attempt: AttemptRow | null;
  readonly lease: LeaseRow | null;
}
