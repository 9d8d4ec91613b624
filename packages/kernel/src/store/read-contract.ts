import { deepFreeze } from '@millforge/contracts';
import { type CompleteContract, readGoalContract } from '../contract/read-goal-contract.ts';
import { kernelError } from '../kernel-error.ts';
import type { GoalRow } from './goal-row.ts';
import { readPayloadText } from './payloads.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** Reads the contract of a goal as it was completed at admission. */
export function readContract(tx: StoreTransaction, goal: GoalRow): CompleteContract {
  const text = readPayloadText(tx, goal.tenant, goal.contract_sha256);
  // The bytes are compared with their digest each time; what bytes of one digest say is the same each time.
  const known = UNDERSTOOD.get(goal.contract_sha256);
  if (known !== undefined) return known;
  const read = readGoalContract(JSON.parse(text));
  if (!read.ok) throw damagedContract(goal.goal_id);
  const contract = deepFreeze(read.value);
  if (text.length <= MAX_KEPT_LENGTH) keep(goal.contract_sha256, contract);
  return contract;
}

function keep(digest: string, contract: CompleteContract): void {
  const [oldest] = UNDERSTOOD.keys();
  if (oldest !== undefined && UNDERSTOOD.size >= MAX_KEPT) UNDERSTOOD.delete(oldest);
  UNDERSTOOD.set(digest, contract);
}

/** Contracts of goals in progress by their digest: each is asked for at every turn of its goal. */
const UNDERSTOOD = new Map<string, CompleteContract>();
// Together at most a few megabytes.
const MAX_KEPT = 256;
const MAX_KEPT_LENGTH = 16_384;

/** A contract that was admitted and cannot be read. */
export function damagedContract(goalId: string): Error {
  return kernelError(
    'kernel/corrupt',
    `The contract of goal ${goalId} cannot be read; run \`millforge trail verify ${goalId}\`.`,
  );
}
