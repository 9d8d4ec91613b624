import type { CompleteContract, CompleteTask } from '../contract/read-goal-contract.ts';
import type { AttemptRow, LeaseRow, TaskRow } from './attempt-row.ts';
import type { GoalRow } from './goal-row.ts';

/** How one task of a goal stands, as a run sees it. */
export interface Standing {
  /** Its goal. */
  readonly goal: GoalRow;
  /** The contract of the goal. */
  readonly contract: CompleteContract;
  /** What the contract says of it. */
  readonly task: CompleteTask;
  /** How it stands. */
  readonly taskRow: TaskRow;
  /** The latest attempt; null before the first. */
  readonly attempt: AttemptRow | null;
  /** Who performs it; null for nobody. */
  readonly lease: LeaseRow | null;
}
