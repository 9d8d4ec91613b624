import { type ArtifactRef, MillforgeError } from '@millforge/contracts';
import type { RunParts } from '../run/run-parts.ts';
import { added, appendRecord, changed } from '../store/append-record.ts';
import { type Claim, readClaimedGoal } from '../store/claim.ts';
import { pinArtifact, unpinArtifact } from './pin-artifact.ts';

/** Stores bytes for a goal and records that the goal has them; the same content is recorded once. */
export async function saveArtifact(
  { artifacts, clock, db }: Pick<RunParts, 'artifacts' | 'clock' | 'db'>,
  saving: {
    readonly claim: Claim;
    readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
    readonly options: { readonly mediaType: string; readonly maxBytes: number };
    /** Bytes that the goal may save in all. */
    readonly limit: number | null;
  },
): Promise<ArtifactRef> {
  const { claim, limit, options } = saving;
  const maxBytes = Math.min(options.maxBytes, limit ?? options.maxBytes);
  const ref = await artifacts.put(claim.tenant, saving.bytes, {
    ...options,
    maxBytes,
    pin: (digest) => db.write('pin-artifact', (tx) => pinArtifact(tx, claim, digest)),
  });
  await db.write('save-artifact', (tx) => {
    const known = tx.get(
      'SELECT sha256 FROM artifacts WHERE goal = ? AND tenant = ? AND sha256 = ?',
      claim.goal,
      claim.tenant,
      ref.sha256,
    );
    unpinArtifact(tx, claim, ref.sha256);
    if (known !== undefined) return;
    const { goal } = readClaimedGoal(tx, claim, clock.now());
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
  });
  return ref;
}
