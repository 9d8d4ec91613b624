import { type CompleteContract, readGoalContract } from '../contract/read-goal-contract.ts';
import { kernelError } from '../kernel-error.ts';
import type { GoalRow } from './goal-row.ts';
import { readPayload } from './payloads.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** Reads the contract of a goal as it was completed at admission. */
export function readContract(tx: StoreTransaction, goal: GoalRow): CompleteContract {
  const value = readPayload(tx, goal.tenant, goal.contract_sha256);
  const read = readGoalContract(value);
  if (!read.ok) throw damagedContract(goal.goal_id);
  return read.value;
}

/** A contract that was admitted and cannot be read. */
export function damagedContract(goalId: string): Error {
  return kernelError(
    'kernel/corrupt',
    `The contract of goal ${goalId} cannot be read; run \`millforge trail verify ${goalId}\`.`,
  );
}
