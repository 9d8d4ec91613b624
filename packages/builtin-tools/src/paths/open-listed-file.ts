import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
} from 'node:fs';
import { changed, entryPath, type Folder } from './folder.ts';
import { childPath } from './logical-path.ts';
import { assertOneName, type OpenedFile } from './open-file.ts';
import { errnoOf, systemFault } from './path-fault.ts';

/**
 * Opens a file that the listing of an open folder has just called a regular one; what it has become
 * since is refused. Synchronous: for the files of a tree, waiting for other threads takes twenty times
 * as long as the work, so whoever opens many gives others a turn in between.
 */
export function openListedFile(
  folder: Folder,
  name: string,
  options: { readonly refusesHardLinks: boolean },
): OpenedFile {
  const path = childPath(folder.path, name);
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const descriptor = act(path, () => openSync(entryPath(folder, name), flags));
  try {
    const stats = act(path, () => fstatSync(descriptor));
    if (!stats.isFile()) throw changed(path);
    if (options.refusesHardLinks) assertOneName(path, stats);
    return {
      path,
      stats,
      async read(position, maxBytes) {
        const buffer = Buffer.allocUnsafe(maxBytes);
        let filled = 0;
        while (filled < maxBytes) {
          const left = { offset: filled, length: maxBytes - filled, position: position + filled };
          const count = act(path, () => readSync(descriptor, buffer, left));
          if (count === 0) break;
          filled += count;
        }
        return buffer.subarray(0, filled);
      },
      async [Symbol.asyncDispose]() {
        closeSync(descriptor);
      },
    };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Looks at an entry that the listing of an open folder names, synchronously; null when it is gone. */
export function lookAtListed(folder: Folder, name: string): Stats | null {
  return lstatSync(entryPath(folder, name), { throwIfNoEntry: false }) ?? null;
}

function act<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw errnoOf(error) === 'ELOOP' ? changed(path, error) : systemFault(error, path);
  }
}
