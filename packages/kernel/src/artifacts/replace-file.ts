import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Gives a file its bytes in one step: readers see the old ones or the new ones, also after a crash. */
export async function replaceFile(
  path: string,
  bytes: Uint8Array,
  /** Name of the file beside it that takes the bytes first; nobody else may use it. */
  temporaryName: string,
): Promise<void> {
  const temporary = join(dirname(path), temporaryName);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
