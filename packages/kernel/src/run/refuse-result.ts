import { appendRecord } from '../store/append-record.ts';
import { readGoalAgain } from '../store/goal-row.ts';
import { type Payload, savePayload } from '../store/payloads.ts';
import type { LogParts } from './log-parts.ts';

/** Keeps what came too late as evidence; no state changes. */
export async function refuseResult(
  { db, clock, claim }: Pick<LogParts, 'db' | 'clock' | 'claim'>,
  late: { readonly key: string | null; readonly outcome: string; readonly payload: Payload },
): Promise<void> {
  await db.write('refuse-result', (tx) => {
    const goal = readGoalAgain(tx, claim, clock.now());
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
  });
}
