import { type FileHandle, link, lstat, open, unlink } from 'node:fs/promises';

/** What publishing asks of the system; the parts of `node:fs/promises` that it uses. */
export interface PublishFiles {
  /** Opens a file or a directory. */
  readonly open: (path: string, flags: number, mode?: number) => Promise<FileHandle>;
  /** Gives a file a second name; fails where the name is taken. */
  readonly link: (from: string, to: string) => Promise<void>;
  /** Removes a name. */
  readonly unlink: (path: string) => Promise<void>;
  /** Looks at a name without following it. */
  readonly lstat: typeof lstat;
}

/** The file system of this machine. */
export const systemFiles: PublishFiles = Object.freeze({
  open,
  link,
  unlink,
  lstat,
});
