import { isArtifactId, MillforgeError } from '@millforge/contracts';

/**
 * The one name of the file of an artifact: its id, with the ending of its media type. No id can be
 * stored under the name of another.
 *
 * @throws `artifact/invalid` for an id that is none, or that is the manifest.
 */
export function artifactFileName(artifactId: string, mediaType: string): string {
  if (!isArtifactId(artifactId) || artifactId === MANIFEST_ID) {
    throw new MillforgeError(
      'artifact/invalid',
      'An artifact id is 1 to 128 of a-z 0-9 . _ - and begins with a letter.',
    );
  }
  return `${artifactId}.${ENDINGS.get(mediaType) ?? 'bin'}`;
}

/** Id of the manifest, which lists all the others and never itself. */
const MANIFEST_ID = 'artifact_manifest';

/** Name of the file of the manifest. */
export const MANIFEST_FILE = `${MANIFEST_ID}.json`;

const ENDINGS = new Map([
  ['text/markdown', 'md'],
  ['text/plain', 'txt'],
  ['text/x-diff', 'diff'],
  ['application/json', 'json'],
  ['application/x-ndjson', 'jsonl'],
]);
