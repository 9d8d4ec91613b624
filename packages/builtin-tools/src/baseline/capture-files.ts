import type { Stats } from 'node:fs';
import { sha256 } from '@millforge/contracts';
import { isBinary } from '../files/bounded-text.ts';
import { type TreeFile, walkTree } from '../files/walk-tree.ts';
import type { PathPolicy } from '../paths/create-path-policy.ts';
import { WORKSPACE } from '../paths/logical-path.ts';
import type { OpenedFile } from '../paths/open-file.ts';
import { pathRuleOf } from '../paths/path-fault.ts';
import {
  type BaselineFile,
  MAX_BASELINE_BYTES,
  MAX_BASELINE_FILES,
  MAX_KEPT_BYTES,
} from './baseline.ts';

/** Where the kept bytes go while a baseline is captured, in the order in which they come. */
export interface KeptBytes {
  add(bytes: Buffer): Promise<void>;
}

/** What is captured, and how. */
export interface Capture {
  readonly policy: PathPolicy;
  /** Folder of the workspace on the host. */
  readonly root: string;
  /** The time, in milliseconds. */
  readonly now: number;
  readonly kept: KeptBytes;
  /** Stops it. */
  readonly signal: AbortSignal;
}

/** Reads every file of the workspace once, without what ignore rules name; hands the texts on. */
export async function captureFiles(
  capture: Capture,
): Promise<{ readonly files: Map<string, BaselineFile>; readonly gap: string | null }> {
  const { policy, root, now, kept, signal } = capture;
  await using workspace = await policy.openWorkspace(root);
  const files = new Map<string, BaselineFile>();
  let offset = 0;
  const top = await workspace.openFolder(WORKSPACE);
  for await (const listed of walkTree(top, { workspace, signal })) {
    const { path } = listed;
    if (listed.isLink) continue;
    if (files.size === MAX_BASELINE_FILES) {
      return { files, gap: `the workspace has more than ${MAX_BASELINE_FILES} files` };
    }
    const file = await captureFile(listed);
    if (file === null) continue;
    const { stats, sha256: digest, bytes } = file;
    if (bytes !== null && offset + bytes.length > MAX_BASELINE_BYTES) {
      return { files, gap: 'the files of the workspace have more than 512 MiB' };
    }
    files.set(path, {
      mode: stats.mode & 0o777,
      bytes: stats.size,
      sha256: digest,
      offset: bytes === null ? null : offset,
      // A change within the same tick of the clock of the disk would leave the time as it is.
      stamp: stats.ctimeMs > now - RECENT_MS ? null : stampOf(stats),
    });
    if (bytes === null) continue;
    offset += bytes.length;
    await kept.add(bytes);
  }
  return { files, gap: null };
}

/** By what an entry of the disk is known to be unchanged. */
export function stampOf({ dev, ino, size, ctimeMs, mode }: Stats): string {
  return [dev, ino, size, ctimeMs, mode].join(':');
}

/** The digest of a file of any size, and its bytes where they are kept. */
export async function readForDiff(
  file: OpenedFile,
): Promise<{ readonly sha256: string; readonly bytes: Buffer | null }> {
  const { size } = file.stats;
  if (size <= MAX_KEPT_BYTES) {
    const bytes = await file.read(0, size);
    return { sha256: sha256(bytes), bytes: isBinary(bytes) ? null : bytes };
  }
  // The digest of digests tells large files apart as well, and needs no more than one piece in memory.
  const pieces: string[] = [];
  for (let position = 0; position < size; position += MAX_KEPT_BYTES) {
    pieces.push(sha256(await file.read(position, Math.min(MAX_KEPT_BYTES, size - position))));
  }
  return { sha256: sha256(pieces.join('\n')), bytes: null };
}

async function captureFile(listed: TreeFile) {
  try {
    await using file = await listed.open();
    const { stats } = file;
    return { stats, ...(await readForDiff(file)) };
  } catch (error) {
    // What cannot be read now is not compared later either.
    if (pathRuleOf(error) === null) throw error;
    return null;
  }
}

const RECENT_MS = 2000;
