import { type ArtifactRef, MillforgeError } from '@millforge/contracts';
import { added, appendRecord, changed } from './append-record.ts';
import { type Claim, readClaimed, readClaimedGoal } from './claim.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** Names bytes that an attempt is about to refer to; whoever lost its lease pins nothing. */
export function pinArtifact(tx: StoreTransaction, claim: Claim, digest: string): void {
  readClaimed(tx, claim, 0);
  const { goal, tenant, taskId, number } = claim;
  const values = [goal, tenant, digest, taskId, number];
  tx.insert('pins', { columns: PIN_COLUMNS, values, ifAbsent: true });
}

/** Records that a goal has bytes, once a content, and lets their pin go. */
export function recordArtifact(
  tx: StoreTransaction,
  claim: Claim,
  {
    ref,
    limit,
    now,
  }: { readonly ref: ArtifactRef; readonly limit: number | null; readonly now: number },
): void {
  const content = { goal: claim.goal, tenant: claim.tenant, sha256: ref.sha256 };
  const known = tx.find('artifacts', content);
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
function unpinArtifact(tx: StoreTransaction, claim: Claim, digest: string): void {
  const { goal, tenant, taskId, number } = claim;
  tx.remove('pins', { goal, tenant, sha256: digest, task_id: taskId, number });
}

const PIN_COLUMNS = ['goal', 'tenant', 'sha256', 'task_id', 'number'];
