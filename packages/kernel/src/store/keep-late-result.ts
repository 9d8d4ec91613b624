import { appendRecord } from './append-record.ts';
import type { LateResult } from './attempt-store.ts';
import type { Claim } from './claim.ts';
import { readGoalAgain } from './goal-row.ts';
import { savePayload } from './payloads.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** Keeps what came too late as evidence; no state changes. */
export function keepLateResult(
  tx: StoreTransaction,
  claim: Claim,
  late: LateResult & { readonly now: number },
): void {
  const goal = readGoalAgain(tx, claim, late.now);
  savePayload(tx, claim.tenant, late.payload);
  appendRecord(tx, goal, {
    type: 'result-refused',
    actor: claim.actor,
    changes: [],
    facts: {
      task_id: claim.taskId,
      attempt: claim.number,
      fence: claim.fence,
      key: late.key,
      outcome: late.outcome,
      outcome_sha256: late.payload.sha256,
    },
  });
}
