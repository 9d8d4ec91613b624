import { existsSync } from 'node:fs';
import { mkdtemp, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '@millforge/kernel/artifacts';

/**
 * Gives a new folder in a data directory to whoever tries what works there, and leaves all as it was found: the folder
 * goes again, and so do those that had to be made for it and that nobody has begun to use meanwhile.
 */
export async function tryDataDirectory<T>(
  dataDir: string,
  attempt: (directory: string) => Promise<T>,
): Promise<T> {
  const missing: string[] = [];
  for (let at = dataDir; !existsSync(at); at = dirname(at)) missing.push(at);
  try {
    makeFolder(dataDir, 0o700);
    const directory = await mkdtemp(join(dataDir, 'doctor-'));
    try {
      return await attempt(directory);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  } finally {
    for (const folder of missing) {
      const isGone = await rmdir(folder).then(
        () => true,
        () => false,
      );
      if (!isGone) break;
    }
  }
}
