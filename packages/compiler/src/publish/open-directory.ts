import { constants, existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { PublishFiles } from './publish-files.ts';

/** A directory that stays the same one, even when its path is given to another. */
export interface OpenDirectory {
  /** The open directory; sync and close it. */
  readonly handle: FileHandle;
  /** Path of a member. */
  readonly pathOf: (name: string) => string;
  /** Reports whether the path still leads to the directory that was opened. */
  readonly isSame: () => Promise<boolean>;
}

/** Opens an existing directory; a symbolic link in the last place of the path is refused. */
export async function openDirectory(path: string, files: PublishFiles): Promise<OpenDirectory> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const handle = await files.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  // Node has no openat. On Linux the descriptor itself makes a path, so that a directory swapped for a
  // link cannot redirect a write; elsewhere the identity is compared before anything is written.
  const anchor = `/proc/self/fd/${handle.fd}`;
  const base = existsSync(anchor) ? anchor : path;
  return {
    handle,
    pathOf: (name) => join(base, name),
    isSame: async () => {
      const [opened, named] = await Promise.all([
        handle.stat({ bigint: true }),
        files.lstat(path, { bigint: true }),
      ]);
      return opened.dev === named.dev && opened.ino === named.ino;
    },
  };
}
