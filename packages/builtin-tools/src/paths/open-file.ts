import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { changed, entryPath, isSame } from './folder.ts';
import { errnoOf, pathFault, shown, systemFault } from './path-fault.ts';
import type { FoundEntry } from './walk-path.ts';

/** A regular file that is open for reading. */
export interface OpenedFile extends AsyncDisposable {
  /** Path behind all links, inside the workspace. */
  readonly path: string;
  /** The file as it was when it was opened. */
  readonly stats: Stats;
  /** Reads from a place in the file; fewer bytes only at the end of the file. */
  read(position: number, maxBytes: number): Promise<Buffer>;
}

/**
 * Opens an entry that is a regular file. Pipes, sockets and devices are refused without being opened,
 * since some act on that; an entry that was exchanged since the look is refused too.
 */
export async function openEntry(
  entry: FoundEntry,
  options: { readonly refusesHardLinks: boolean },
): Promise<OpenedFile> {
  const { folder, name, path, stats: seen } = entry;
  if (seen === null) throw pathFault('not_found', `${shown(path)} does not exist.`);
  if (name === null || !seen.isFile()) throw notAFile(path, seen);
  // A pipe that takes the name between the look and the opening would hold a thread until it is written.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(entryPath(folder, name), flags).catch((error: unknown) => {
    if (errnoOf(error) === 'ELOOP') throw changed(path, error);
    throw systemFault(error, path);
  });
  try {
    const stats = await handle.stat();
    if (!isSame(stats, seen) || !stats.isFile()) throw changed(path);
    if (options.refusesHardLinks) assertOneName(path, stats);
    return openedFile(handle, path, stats);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Refuses a file with further names. */
export function assertOneName(path: string, { nlink }: Stats): void {
  if (nlink === 1) return;
  throw pathFault('hard_link', `${shown(path)} has further names, perhaps outside.`);
}

/** The refusal of what is no regular file, by what it is. */
export function notAFile(path: string, stats: Stats): Error {
  return pathFault('not_a_file', `${shown(path)} is ${kindOf(stats)}, not a regular file.`);
}

function openedFile(handle: FileHandle, path: string, stats: Stats): OpenedFile {
  return {
    path,
    stats,
    async read(position, maxBytes) {
      const buffer = Buffer.alloc(maxBytes);
      let filled = 0;
      while (filled < maxBytes) {
        const { bytesRead } = await handle
          .read(buffer, filled, maxBytes - filled, position + filled)
          .catch((error: unknown) => {
            throw systemFault(error, path);
          });
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}
