import type { Transaction } from '../sqlite/database.ts';
import { type Claim, readClaimed } from '../store/claim.ts';

/** Names bytes that an attempt is about to refer to; whoever lost its lease pins nothing. */
export function pinArtifact(tx: Transaction, claim: Claim, digest: string): void {
  readClaimed(tx, claim, 0);
  tx.run(
    'INSERT INTO pins (goal, tenant, sha256, task_id, number) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    claim.goal,
    claim.tenant,
    digest,
    claim.taskId,
    claim.number,
  );
}

/** Lets a pin go: its goal refers to the bytes itself. */
export function unpinArtifact(tx: Transaction, claim: Claim, digest: string): void {
  tx.run(
    'DELETE FROM pins WHERE goal = ? AND tenant = ? AND sha256 = ? AND task_id = ? AND number = ?',
    claim.goal,
    claim.tenant,
    digest,
    claim.taskId,
    claim.number,
  );
}
