import type { ArtifactStore } from '@millforge/contracts';

/** The whole bytes of an artifact, verified by its store. */
export async function readArtifact(
  store: Pick<ArtifactStore, 'open'>,
  digest: string,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.open(digest)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
