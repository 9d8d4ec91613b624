import { type BigIntStats, existsSync } from 'node:fs';
import {
  type FileHandle,
  link,
  lstat,
  open,
  readdir,
  realpath,
  rename,
  unlink,
} from 'node:fs/promises';

/** What admission and publishing ask of the system; mostly parts of `node:fs/promises`. */
export interface PublishFiles {
  /** Opens a file or a directory. */
  readonly open: (path: string, flags: number, mode?: number) => Promise<FileHandle>;
  /** Gives a file a second name; fails where the name is taken. */
  readonly link: (from: string, to: string) => Promise<void>;
  /** Gives a file another name, in place of whatever has it. */
  readonly rename: (from: string, to: string) => Promise<void>;
  /** Removes a name. */
  readonly unlink: (path: string) => Promise<void>;
  /** Looks at a name without following it. */
  readonly lstat: (path: string, options: { readonly bigint: true }) => Promise<BigIntStats>;
  /** The path without links. */
  readonly realpath: (path: string) => Promise<string>;
  /** Names in a directory. */
  readonly readdir: (path: string) => Promise<string[]>;
  /** A path that leads to an open directory whatever becomes of its name; null where there is none. */
  readonly anchor: (directory: FileHandle) => string | null;
}

/** The file system of this machine. */
export const systemFiles: PublishFiles = Object.freeze({
  open,
  link,
  rename,
  unlink,
  lstat,
  realpath: (path: string) => realpath(path),
  readdir: (path: string) => readdir(path),
  anchor(directory: FileHandle) {
    // Node has no openat. On Linux the descriptor itself makes a path.
    const path = `/proc/self/fd/${directory.fd}`;
    return existsSync(path) ? path : null;
  },
});
