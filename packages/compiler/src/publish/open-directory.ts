import { constants } from 'node:fs';
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
  /**
   * Looks once more where nothing else keeps inside the directory what is done to its members.
   *
   * @throws an error with the code `ESTALE` where the directory was exchanged.
   */
  readonly ensureSame: () => Promise<void>;
  /** Does one thing to members of the directory, and ensures before and after that it is the same. */
  readonly within: <T>(act: () => Promise<T>) => Promise<T>;
}

/** Opens an existing directory; a symbolic link in the last place of the path is refused. */
export async function openDirectory(path: string, files: PublishFiles): Promise<OpenDirectory> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const handle = await files.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  const anchor = files.anchor(handle);
  const base = anchor ?? path;
  const isSame = async () => {
    const opened = await handle.stat({ bigint: true });
    // The name is looked at last: what is true of it then is the latest that is known.
    const named = await files.lstat(path, { bigint: true });
    return opened.dev === named.dev && opened.ino === named.ino;
  };
  // Under an anchor a directory swapped for a link redirects nothing. Elsewhere the identity is
  // compared around each step, which leaves the moment between comparing and acting.
  const ensureSame = async () => {
    if (anchor === null && !(await isSame())) throw staleDirectory();
  };
  return {
    handle,
    pathOf: (name) => join(base, name),
    isSame,
    ensureSame,
    async within(act) {
      await ensureSame();
      const result = await act();
      await ensureSame();
      return result;
    },
  };
}

/** The error of a directory whose path leads to another one by now. */
export function staleDirectory(): Error {
  return Object.assign(new Error('the directory was exchanged'), { code: 'ESTALE' });
}
