import type { Transaction } from '../sqlite/database.ts';
import type { LoadedAttempt, Work } from './attempt-store.ts';
import type { Claim } from './claim.ts';
import { readGoalAgain } from './goal-row.ts';
import { readOperations } from './operation-row.ts';
import { readOutputs } from './read-outputs.ts';
import { inputSha256 } from './record-output.ts';

/** Reads all that the program of an attempt is replayed from. */
export function loadAttempt(
  tx: Transaction,
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

function readNotes(tx: Transaction, claim: Claim): ReadonlyMap<string, string> {
  const rows = tx.all(
    'SELECT key, note_sha256 FROM notes WHERE goal = ? AND tenant = ? AND task_id = ?',
    claim.goal,
    claim.tenant,
    claim.taskId,
  );
  return new Map(rows.map((row) => [String(row['key']), String(row['note_sha256'])]));
}
