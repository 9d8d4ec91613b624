import { sha256 } from '@millforge/contracts';
import type { ArtifactFiles } from '../artifacts/artifact-files.ts';
import { kernelError } from '../kernel-error.ts';
import type { PublicationIntent } from './publication-intent.ts';
import type { PublicationStore } from './publication-store.ts';

/** Reads the exact bytes of a publication, and compares their digest. */
export async function readPayloadBytes(
  {
    store,
    artifacts,
  }: {
    readonly store: Pick<PublicationStore, 'outputBytes'>;
    readonly artifacts: Pick<ArtifactFiles, 'open'>;
  },
  { tenant, payload }: Pick<PublicationIntent, 'tenant' | 'payload'>,
): Promise<Uint8Array> {
  const output = await store.outputBytes(tenant, payload.sha256);
  if (output !== null) {
    if (sha256(output) === payload.sha256) return output;
    throw kernelError(
      'kernel/corrupt',
      `The payload ${payload.sha256.slice(0, 12)}… was changed; run \`millforge trail verify\`.`,
    );
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of artifacts.open(tenant, payload.sha256)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
