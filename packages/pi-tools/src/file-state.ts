import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type MillforgeError, sha256 } from '@millforge/contracts';
import { openPlainFile } from './open-plain-file.ts';
import { errnoOf, toolFault } from './tool-fault.ts';

/** A file as it was found. */
export interface FileState {
  readonly bytes: Buffer;
  readonly sha256: string;
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Reads a file with its digest and permissions; null when there is none.
 *
 * @throws `tool/io_error` for pipes, sockets and devices, which cannot be replaced.
 */
export async function readFileState(path: string): Promise<FileState | null> {
  try {
    const { file, stats } = await openPlainFile(path);
    try {
      const { mode, uid, gid, size } = stats;
      if (size > MAX_BYTES) {
        throw toolFault('io_error', `The file is larger than 64MB; change it with bash: ${path}`);
      }
      const bytes = await file.readFile();
      return { bytes, sha256: sha256(bytes), mode: mode & 0o7777, uid, gid };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The same, and the file may be written if there is one. A rename alone would pass over a read-only mark. */
export async function readWritableFile(path: string): Promise<FileState | null> {
  const found = await readFileState(path).catch(async (error: unknown) => {
    const code = errnoOf(error);
    if (code === 'ENOTDIR') throw await noFolder(dirname(path), error);
    if (code !== 'EISDIR') throw error;
    throw toolFault('io_error', `EISDIR: illegal operation on a directory, open '${path}'`, error);
  });
  if (found !== null) await access(path, constants.W_OK);
  return found;
}

/** What making the folder of a file would say when a file stands where it should be. */
async function noFolder(folder: string, cause: unknown): Promise<MillforgeError> {
  const isTaken = await stat(folder).then(
    () => true,
    () => false,
  );
  const why = isTaken ? 'EEXIST: file already exists' : 'ENOTDIR: not a directory';
  return toolFault('not_found', `${why}, mkdir '${folder}'`, cause);
}

/** What is replaced is held in memory as bytes and as text, before and after. */
const MAX_BYTES = 64 * 1024 * 1024;
