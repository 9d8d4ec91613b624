import { accessSync, type BigIntStats, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type MillforgeError, sha256 } from '@millforge/contracts';
import { AT_ONCE_BYTES, openPlainFile, type PlainFile, readWhole } from './plain-file.ts';
import { errnoOf, toolFault } from './tool-fault.ts';

/** A file as it was found before it is replaced. */
export interface FoundFile {
  /** Tells the file from what it becomes when anyone writes it: device, number, size and times. */
  readonly version: string;
  /** Its content, where what replaces it was made from that; else null. */
  readonly bytes: Buffer | null;
  /** Null for a long file that was not read. */
  readonly sha256: string | null;
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** The same with its content. */
export interface ReadFile extends FoundFile {
  readonly bytes: Buffer;
  readonly sha256: string;
}

/**
 * Reads a file with its digest and permissions; null when there is none.
 *
 * @throws `tool/io_error` for pipes, sockets and devices, which cannot be replaced.
 */
export async function readFoundFile(
  path: string,
  known: { readonly isFile: boolean } = { isFile: false },
): Promise<ReadFile | null> {
  const file = openIfThere(path, known);
  if (file === null) return null;
  try {
    refuseLarge(file.stats.size, path);
    const limit = { maxBytes: MAX_BYTES, tooLarge: () => tooLarge(path) };
    const bytes = await readWhole(file, limit);
    return { ...describe(file.stats), size: bytes.length, bytes, sha256: sha256(bytes) };
  } finally {
    file.close();
  }
}

/**
 * Looks at a file that is to be replaced as a whole; null when there is none. A short one is read, too,
 * for the record of what was there. A rename alone would pass over a read-only mark, so that is looked at.
 */
export async function findWritableFile(path: string): Promise<FoundFile | null> {
  const stats = statIfThere(path);
  if (stats === null) return null;
  if (stats.isDirectory()) {
    throw toolFault('io_error', `EISDIR: illegal operation on a directory, open '${path}'`);
  }
  const isFile = stats.isFile();
  const isLong = isFile && stats.size > AT_ONCE_BYTES;
  if (isLong) refuseLarge(stats.size, path);
  const found = isLong
    ? { ...describe(stats), sha256: null }
    : await readFoundFile(path, { isFile });
  accessSync(path, constants.W_OK);
  return found === null ? null : { ...found, bytes: null };
}

/** Whether a file is still as it was found. */
export async function isAsFound(path: string, found: FoundFile | null): Promise<boolean> {
  const stats = statIfThere(path);
  if (found === null || stats === null) return found === null && stats === null;
  // What replaces the file gets these as they were found, which would undo what somebody has set since.
  const { mode, uid, gid } = describe(stats);
  if (mode !== found.mode || uid !== found.uid || gid !== found.gid) return false;
  // Another write within one tick of the file system's clock leaves the times as they were. What replaces
  // the whole content would have replaced that one as well; what was made from the content would undo it.
  if (found.bytes === null && versionOf(stats) === found.version) return true;
  if (found.sha256 === null || Number(stats.size) !== found.size) return false;
  const now = await readFoundFile(path, { isFile: stats.isFile() });
  return now !== null && (found.bytes?.equals(now.bytes) ?? now.sha256 === found.sha256);
}

function openIfThere(path: string, known: { readonly isFile: boolean }): PlainFile | null {
  try {
    return openPlainFile(path, known);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function statIfThere(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw errnoOf(error) === 'ENOTDIR' ? noFolder(dirname(path), error) : error;
  }
}

function describe(stats: BigIntStats): Omit<FoundFile, 'bytes' | 'sha256'> {
  return {
    version: versionOf(stats),
    size: Number(stats.size),
    mode: Number(stats.mode) & 0o7777,
    uid: Number(stats.uid),
    gid: Number(stats.gid),
  };
}

function versionOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join('.');
}

function refuseLarge(size: bigint, path: string): void {
  if (size > MAX_BYTES) throw tooLarge(path);
}

function tooLarge(path: string): MillforgeError {
  return toolFault('io_error', `The file is larger than 64MB; change it with bash: ${path}`);
}

/** What making the folder of a file would say when a file stands where it should be. */
function noFolder(folder: string, cause: unknown): MillforgeError {
  const isTaken = statSync(folder, { throwIfNoEntry: false }) !== undefined;
  const why = isTaken ? 'EEXIST: file already exists' : 'ENOTDIR: not a directory';
  return toolFault('not_found', `${why}, mkdir '${folder}'`, cause);
}

/** What is replaced is held in memory as bytes and as text, before and after. */
const MAX_BYTES = 64 * 1024 * 1024;
