import type { BigIntStats } from 'node:fs';
import { constants, type FileHandle, lstat, open, readdir, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { sha256 } from '@millforge/contracts';
import { developError } from '../develop-error.ts';
import { type CapturedTree, type TreeEntry, toTree } from './captured-tree.ts';
import { isGitName } from './git-name.ts';

/** How a tree is captured. */
export interface CaptureOptions {
  /** Whether a path is left out, with all that is below it. */
  readonly isIgnored: (path: string) => boolean;
  /** Takes the bytes of a file, before they are forgotten. */
  readonly keep?: (bytes: Uint8Array, digest: string) => Promise<void>;
  /** Takes, by path, what no tree can have, and what is in that; the list of the last walk. Without it, it is refused. */
  readonly leftOut?: Map<string, NoEntryReason>;
  /** Refuses what no patch can hold. Default false. */
  readonly isForPatch?: boolean;
  /** Ends the walk. */
  readonly signal?: AbortSignal;
}

/** Why something in a directory is no entry of its tree. */
export type NoEntryReason = 'link' | 'special' | 'unreadable' | 'name-not-text';

/**
 * Reads a directory tree: paths, kinds, executable bits, sizes, contents, and what links hold.
 *
 * A file that changes while it is read begins the walk anew, three times at most. Sockets, devices, names that are
 * no text, what cannot be read, and links that leave the tree are refused, or left out for whoever takes a list of them.
 *
 * @throws `develop/tree-refused`, `develop/tree-too-large`, `develop/unstable-tree`.
 */
export async function captureTree(
  directory: string,
  options: CaptureOptions,
): Promise<CapturedTree> {
  for (let walk = 0; walk < MAX_WALKS; walk++) {
    const entries = await walkOnce(directory, options);
    if (entries !== null) return toTree(entries);
  }
  throw developError(
    'develop/unstable-tree',
    `The tree changed during each of ${MAX_WALKS} walks; stop whatever writes to it, and try again.`,
  );
}

/** The entries, or null when something changed under the walk. */
async function walkOnce(
  directory: string,
  options: CaptureOptions,
): Promise<readonly TreeEntry[] | null> {
  // What took the place of the tree itself, a link for example, is none.
  const root = await lstat(directory).catch((error: unknown) => {
    throw refusedUnread(error, '');
  });
  if (!root.isDirectory()) throw refused('.', 'is no directory');
  options.leftOut?.clear();
  const entries: TreeEntry[] = [];
  const waiting = [''];
  let bytes = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    options.signal?.throwIfAborted();
    const names = await namesIn(directory, folder, options);
    if (names === null) return null;
    if (names === LEFT_OUT) continue;
    for (const name of names) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (options.isIgnored(path)) continue;
      const entry = await readEntry(directory, path, options);
      if (entry === null) return null;
      if (entry === LEFT_OUT) continue;
      if (options.isForPatch === true && isGitName(name, entry.type)) {
        throw refused(path, 'has a name that git takes for its own');
      }
      if (entry.type === 'directory') waiting.push(path);
      bytes += entry.type === 'file' ? entry.bytes : 0;
      entries.push(entry);
      if (entries.length > MAX_ENTRIES || bytes > MAX_TREE_BYTES) throw tooLarge();
    }
  }
  return entries;
}

async function namesIn(
  directory: string,
  folder: string,
  options: CaptureOptions,
): Promise<readonly string[] | null | typeof LEFT_OUT> {
  const found = await readdir(join(directory, folder), { encoding: 'buffer' }).catch(
    (error: unknown) => unreadable(error, folder, options),
  );
  if (found === null || found === LEFT_OUT) return found;
  const names: string[] = [];
  for (const bytes of found) {
    const name = bytes.toString('utf8');
    if (Buffer.from(name).equals(bytes)) names.push(name);
    else leaveOut(posix.join(folder, name), 'name-not-text', options);
  }
  return names.toSorted();
}

async function readEntry(directory: string, path: string, options: CaptureOptions): Promise<Read> {
  const place = join(directory, path);
  const found = await lstat(place).catch((error: unknown) => unreadable(error, path, options));
  if (found === null || found === LEFT_OUT) return found;
  if (found.isDirectory()) return { path, type: 'directory' };
  if (found.isSymbolicLink()) return readLink(place, path, options);
  if (found.isFile()) return readFile(place, path, options);
  return leaveOut(path, 'special', options);
}

async function readLink(place: string, path: string, options: CaptureOptions): Promise<Read> {
  const target = await readlink(place).catch((error: unknown) => unreadable(error, path, options));
  if (target === null || target === LEFT_OUT) return target;
  // A target in normal form goes up first, through directories that are none but real, and then down, where every
  // link was held to the same rule: so none leaves the tree.
  const isNormal = posix.normalize(target) === target && !posix.isAbsolute(target);
  const meant = posix.join(posix.dirname(path), target);
  if (!isNormal || meant === '..' || meant.startsWith('../')) {
    return leaveOut(path, 'link', options);
  }
  return { path, type: 'link', target };
}

async function readFile(place: string, path: string, options: CaptureOptions): Promise<Read> {
  const file = await open(place, OPEN_FLAGS).catch((error: unknown) =>
    unreadable(error, path, options),
  );
  if (file === null || file === LEFT_OUT) return file;
  try {
    const before = await file.stat({ bigint: true });
    if (!before.isFile()) return null;
    if (before.size > MAX_FILE_BYTES) throw tooLarge(path);
    const bytes = await readWhole(file, Number(before.size));
    const after = await file.stat({ bigint: true });
    if (!isUnchanged(before, after) || BigInt(bytes.length) !== after.size) return null;
    const digest = sha256(bytes);
    await options.keep?.(bytes, digest);
    const executable = (before.mode & 0o100n) !== 0n;
    return { path, type: 'file', executable, bytes: bytes.length, sha256: digest };
  } finally {
    await file.close();
  }
}

/** The bytes up to the size that was seen, and one more where the file grew. */
async function readWhole(file: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size + 1);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

function isUnchanged(before: BigIntStats, after: BigIntStats): boolean {
  return (
    before.size === after.size &&
    before.mtimeNs === after.mtimeNs &&
    before.ctimeNs === after.ctimeNs
  );
}

/** What went away meanwhile is a change; whatever else cannot be looked at is no entry, and no tree if it is the root. */
function unreadable(
  error: unknown,
  path: string,
  { leftOut }: CaptureOptions,
): null | typeof LEFT_OUT {
  if (path !== '' && isGone(error)) return null;
  if (path === '' || leftOut === undefined) throw refusedUnread(error, path);
  leftOut.set(path, 'unreadable');
  return LEFT_OUT;
}

function leaveOut(
  path: string,
  reason: Exclude<NoEntryReason, 'unreadable'>,
  { leftOut }: CaptureOptions,
): typeof LEFT_OUT {
  if (leftOut === undefined) throw refused(path, WHY[reason]);
  leftOut.set(path, reason);
  return LEFT_OUT;
}

function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error));
}

function refusedUnread(error: unknown, path: string): Error {
  return refused(path === '' ? '.' : path, `cannot be read (${codeOf(error)})`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

function refused(path: string, why: string): Error {
  return developError(
    'develop/tree-refused',
    `The entry ${JSON.stringify(path)} of the tree ${why}; remove it, or leave it out with an ignore rule.`,
    { path },
  );
}

function tooLarge(path?: string): Error {
  return developError(
    'develop/tree-too-large',
    path === undefined
      ? `The tree has more than ${MAX_ENTRIES} entries or ${MAX_TREE_BYTES} bytes; leave out what need not be in it with ignore rules.`
      : `The file ${JSON.stringify(path)} has more than ${MAX_FILE_BYTES} bytes; leave it out with an ignore rule.`,
  );
}

/** An entry; null where something changed; or nothing that a tree has. */
type Read = TreeEntry | null | typeof LEFT_OUT;

const LEFT_OUT = 'left-out';
const WHY = {
  link: 'is a link that may leave the tree',
  special: 'is neither a file, a directory nor a link',
  'name-not-text': 'has a name that is no UTF-8',
} as const;
// A pipe that took the place of a file must not be waited for, and no link be followed.
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const MAX_WALKS = 3;
const MAX_ENTRIES = 100_000;
const MAX_FILE_BYTES = 67_108_864;
const MAX_TREE_BYTES = 1_073_741_824;
