import type { ArtifactEntry, RunArtifacts } from '@millforge/contracts';
import type { TaskContext } from '@millforge/kernel';

/**
 * Saves what the tools of a run wrote as artifacts with its goal, so that each can be published by its digest. What is
 * not whole, or larger than a publication may be, stays in its folder only.
 */
export async function saveRunArtifacts(
  folder: RunArtifacts,
  save: TaskContext['saveArtifact'],
): Promise<void> {
  for (const { artifact_id: id } of await entriesOf(folder)) {
    const found = await folder.read(id).catch(skipUnreadable);
    if (found === null) continue;
    await save(found.bytes, { mediaType: found.entry.media_type, maxBytes: MAX_BYTES });
  }
}

async function entriesOf(folder: RunArtifacts): Promise<readonly ArtifactEntry[]> {
  const entries = await folder.list().catch(skipUnreadable);
  return (entries ?? []).filter(
    ({ complete, byte_size: size, producer }) =>
      complete && size <= MAX_BYTES && producer !== EXPORTER,
  );
}

/** Somebody changed the folder or took it away: nobody can vouch for those bytes, and the run itself came to its end. */
function skipUnreadable(): null {
  return null;
}

/** Producer of what is written beside the artifacts when a run has ended; it is made anew from the trail. */
export const EXPORTER = 'millforge.export';
const MAX_BYTES = 67_108_864;
