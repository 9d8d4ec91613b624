import type { ArtifactRef } from '@millforge/contracts';
import type { RunParts } from '../run/run-parts.ts';
import type { Claim } from '../store/claim.ts';

/** Stores bytes for a goal and records that the goal has them; the same content is recorded once. */
export async function saveArtifact(
  { artifacts, store }: Pick<RunParts, 'artifacts' | 'store'>,
  saving: {
    readonly claim: Claim;
    readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
    readonly options: { readonly mediaType: string; readonly maxBytes: number };
    /** Bytes that the goal may save in all. */
    readonly limit: number | null;
  },
): Promise<ArtifactRef> {
  const { claim, limit, options } = saving;
  const ref = await artifacts.put(claim.tenant, saving.bytes, {
    ...options,
    maxBytes: Math.min(options.maxBytes, limit ?? options.maxBytes),
    pin: (digest) => store.attempts.pinArtifact(claim, digest),
  });
  await store.attempts.saveArtifact(claim, { ref, limit });
  return ref;
}
