import type { BigIntStats } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Diagnostic } from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import { type AdmittedPath, isInside } from './admit-paths.ts';
import { errorCode, systemFault } from './error-code.ts';
import type { PublishFiles } from './publish-files.ts';
import { OPEN_UNFOLLOWED, readUpTo } from './read-bounded.ts';

/** The bytes of a source, or the one reason why there are none. */
export type ReadSourceResult =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly diagnostic: Diagnostic };

/** Reads a source that stays the same file from the first look to the last. Never throws. */
export async function readSource(
  { root, parts }: AdmittedPath,
  files: PublishFiles,
): Promise<ReadSourceResult> {
  const path = join(root, ...parts);
  let before: BigIntStats;
  try {
    if (!isInside(root, await files.realpath(dirname(path))))
      return refused(report.sourceOutside(AT));
    before = await files.lstat(path, { bigint: true });
  } catch (error) {
    const code = errorCode(error);
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    return refused((isMissing ? report.sourceMissing : report.sourceUnreadable)(systemFault(code)));
  }
  if (!before.isFile()) {
    const isOutside = before.isSymbolicLink() && !(await staysInside(root, path, files));
    return refused(isOutside ? report.sourceOutside(AT) : report.sourceNotFile(NOT_FILE));
  }
  try {
    return await readSame(path, before, files);
  } catch (error) {
    const code = errorCode(error);
    // It was a file a moment ago and is a link or gone by now.
    const isChanged = code === 'ELOOP' || code === 'ENOENT';
    return refused(
      isChanged ? report.sourceChanged(AT) : report.sourceUnreadable(systemFault(code)),
    );
  }
}

async function readSame(
  path: string,
  before: BigIntStats,
  files: PublishFiles,
): Promise<ReadSourceResult> {
  const handle = await files.open(path, OPEN_UNFOLLOWED);
  try {
    const opened = await handle.stat({ bigint: true });
    if (!isSameFile(before, opened)) return refused(report.sourceChanged(AT));
    const bytes = await readUpTo(handle, MAX_SOURCE_BYTES);
    if (bytes === null) {
      const fields = { source_size: MAX_SOURCE_BYTES + 1 };
      const hint = `Expected at most ${MAX_SOURCE_BYTES} bytes.`;
      return refused(report.sourceFileTooLarge({ path: '/', hint, fields }));
    }
    const after = await files.lstat(path, { bigint: true });
    return isSameFile(before, after) ? { ok: true, bytes } : refused(report.sourceChanged(AT));
  } finally {
    await handle.close();
  }
}

function isSameFile(left: BigIntStats, right: BigIntStats): boolean {
  return (
    right.isFile() &&
    left.dev === right.dev &&
    left.ino === right.ino &&
    left.size === right.size &&
    left.mtimeNs === right.mtimeNs
  );
}

async function staysInside(root: string, path: string, files: PublishFiles): Promise<boolean> {
  return files.realpath(path).then(
    (target) => isInside(root, target),
    () => true,
  );
}

function refused(diagnostic: Diagnostic): ReadSourceResult {
  return { ok: false, diagnostic };
}

const AT = { path: '/' };
const NOT_FILE = { path: '/', hint: 'Give the file itself, not a directory, a link or a pipe.' };
/** Bytes of a source, a byte order mark included. */
const MAX_SOURCE_BYTES = 1_048_576;
