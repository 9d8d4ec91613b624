import type { LoadedAttempt, Work } from './attempt-store.ts';
import type { Claim } from './claim.ts';
import { readGoalAgain } from './goal-row.ts';
import { readOperations } from './operation-row.ts';
import { readOutputs } from './read-outputs.ts';
import { inputSha256 } from './record-output.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** Reads all that the program of an attempt is replayed from. */
export function loadAttempt(
  tx: StoreTransaction,
  claim: Claim,
  { contract, task }: Work,
): LoadedAttempt {
  return {
    rows: readOperations(tx, claim, claim.taskId),
    notes: readNotes(tx, claim),
    outputs: readOutputs(tx, claim, task),
    inputSha256: inputSha256(tx, claim, { contract, task }),
    contractSha256: readGoalAgain(tx, claim, 0).contract_sha256,
  };
}

function readNotes(tx: StoreTransaction, claim: Claim): ReadonlyMap<string, string> {
  const { goal, tenant, taskId } = claim;
  const rows = tx.list('notes', { goal, tenant, task_id: taskId });
  return new Map(rows.map((row) => [String(row['key']), String(row['note_sha256'])]));
}
