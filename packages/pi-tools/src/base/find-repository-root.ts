import { lstat, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * The nearest folder at or above a directory that holds `.git`; null where there is none.
 *
 * A `.git` of somebody else is none: in `/tmp` anybody can make one, and with it speak to every agent that
 * works below.
 */
export async function findRepositoryRoot(
  cwd: string,
  diagnostics: string[],
): Promise<string | null> {
  const { uid } = await stat(cwd);
  for (let folder = cwd; ; folder = dirname(folder)) {
    const found = await lstat(join(folder, '.git')).catch(() => null);
    if (found !== null) {
      if (found.uid === uid || found.uid === ROOT_UID) return folder;
      diagnostics.push(
        'The repository around the working directory belongs to another user; only the files of the working directory count.',
      );
      return null;
    }
    if (folder === dirname(folder)) return null;
  }
}

const ROOT_UID = 0;
