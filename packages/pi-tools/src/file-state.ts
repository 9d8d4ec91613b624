import type { Stats } from 'node:fs';
import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { sha256 } from '@millforge/contracts';
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
    const { mode, uid, gid } = await statPlainFile(path);
    const bytes = await readFile(path);
    return { bytes, sha256: sha256(bytes), mode: mode & 0o7777, uid, gid };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The same, and the file may be written if there is one. A rename alone would pass over a read-only mark. */
export async function readWritableFile(path: string): Promise<FileState | null> {
  const found = await readFileState(path);
  if (found !== null) await access(path, constants.W_OK);
  return found;
}

/** Attributes of a file whose content ends; opening a pipe would wait for a writer for ever. */
export async function statPlainFile(path: string): Promise<Stats> {
  const stats = await stat(path);
  if (stats.isFile() || stats.isDirectory()) return stats;
  throw toolFault('io_error', `Not a regular file: ${path}`);
}
