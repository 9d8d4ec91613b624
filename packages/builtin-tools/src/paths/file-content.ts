import { sha256 } from '@millforge/contracts';
import type { OpenedFile } from './open-file.ts';
import { pathFault, shown } from './path-fault.ts';

/** A whole file as it was found. */
export interface FileContent {
  /** Its bytes. */
  readonly bytes: Buffer;
  /** Digest of the bytes. */
  readonly sha256: string;
  /** Permission bits. */
  readonly mode: number;
  /** Number of its owner. */
  readonly uid: number;
  /** Number of its group. */
  readonly gid: number;
}

/** Reads a file whole: the bytes up to its size at the opening, however it grows meanwhile. */
export async function readContent(file: OpenedFile): Promise<FileContent> {
  const { mode, uid, gid, size } = file.stats;
  if (size > MAX_WHOLE_BYTES) {
    throw pathFault('too_large', `${shown(file.path)} has ${size} bytes; at most 64 MiB are held.`);
  }
  const bytes = await file.read(0, size);
  return { bytes, sha256: sha256(bytes), mode: mode & 0o7777, uid, gid };
}

/** The file of a replacement is held in memory, before and after. */
const MAX_WHOLE_BYTES = 64 * 1024 * 1024;
