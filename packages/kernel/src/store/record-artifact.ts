import { type ArtifactRef, MillforgeError } from '@millforge/contracts';
import type { Transaction } from '../sqlite/database.ts';
import { added, appendRecord, changed } from './append-record.ts';
import { type Claim, readClaimed, readClaimedGoal } from './claim.ts';

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

/** Records that a goal has bytes, once a content, and lets their pin go. */
export function recordArtifact(
  tx: Transaction,
  claim: Claim,
  {
    ref,
    limit,
    now,
  }: { readonly ref: ArtifactRef; readonly limit: number | null; readonly now: number },
): void {
  const known = tx.get(
    'SELECT sha256 FROM artifacts WHERE goal = ? AND tenant = ? AND sha256 = ?',
    claim.goal,
    claim.tenant,
    ref.sha256,
  );
  unpinArtifact(tx, claim, ref.sha256);
  if (known !== undefined) return;
  const { goal } = readClaimedGoal(tx, claim, now);
  const total = goal.artifact_bytes + ref.bytes;
  if (limit !== null && total > limit) {
    throw new MillforgeError(
      'artifact/too-large',
      `The goal may save ${limit} bytes of artifacts in all, and this one would make ${total}.`,
    );
  }
  appendRecord(tx, goal, {
    type: 'artifact-saved',
    actor: claim.actor,
    changes: [
      added('artifacts', { sha256: ref.sha256, bytes: ref.bytes, media_type: ref.media_type }),
      changed('goals', { artifact_bytes: total }),
    ],
  });
}

/** Lets a pin go: its goal refers to the bytes itself. */
function unpinArtifact(tx: Transaction, claim: Claim, digest: string): void {
  tx.run(
    'DELETE FROM pins WHERE goal = ? AND tenant = ? AND sha256 = ? AND task_id = ? AND number = ?',
    claim.goal,
    claim.tenant,
    digest,
    claim.taskId,
    claim.number,
  );
}
