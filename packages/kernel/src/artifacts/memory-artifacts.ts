import {
  type ArtifactEntry,
  MillforgeError,
  type RunArtifacts,
  sha256,
} from '@millforge/contracts';
import { artifactFileName } from './artifact-file-name.ts';

/** Keeps the artifacts of a run in memory, for a run that leaves nothing behind. */
export function memoryArtifacts(): RunArtifacts {
  const kept = new Map<string, { readonly entry: ArtifactEntry; readonly bytes: Uint8Array }>();
  return {
    async write(artifactId, bytes, { mediaType, producer, maxBytes = Number.POSITIVE_INFINITY }) {
      const path = artifactFileName(artifactId, mediaType);
      if (bytes.length > maxBytes) {
        throw new MillforgeError(
          'artifact/too-large',
          `The artifact ${artifactId} is larger than ${maxBytes} bytes; nothing was changed.`,
        );
      }
      const copy = Uint8Array.from(bytes);
      const entry: ArtifactEntry = {
        artifact_id: artifactId,
        path,
        media_type: mediaType,
        byte_size: copy.length,
        sha256_hex: sha256(copy),
        producer,
        complete: true,
        failure_code: null,
      };
      kept.set(artifactId, { entry, bytes: copy });
      return entry;
    },
    read: async (artifactId) => kept.get(artifactId) ?? null,
    list: async () => [...kept.keys()].toSorted().flatMap((id) => kept.get(id)?.entry ?? []),
  };
}
