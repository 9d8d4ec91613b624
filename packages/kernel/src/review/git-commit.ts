import { createHash } from 'node:crypto';
import { MillforgeError } from '@millforge/contracts';
import { type ByteReader, createByteReader } from './byte-reader.ts';
import { reviewError } from './review-error.ts';
import type { ReviewSource, SourceEntry, SourceTree } from './review-source.ts';
import { firstLine, type GitPlace, runGit, startGit } from './run-git.ts';

/** Which commit of which repository is reviewed. */
export interface GitCommitOptions {
  /** Directory of the repository or of its work tree. */
  readonly repository: string;
  /** A commit in any of git's words: `HEAD`, a branch, a hash. */
  readonly commit: string;
  /** An earlier commit: only files that were added or changed since then are in scope. Default all. */
  readonly since?: string;
  /** Environment of the host; git sees its PATH, HOME, XDG_CONFIG_HOME and TMPDIR. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The program; default `git`. */
  readonly git?: string;
  /** Aborts the looking up. */
  readonly signal?: AbortSignal;
}

/**
 * Looks a commit up and makes it a source, bound to its hash. A whole hash is taken as it is.
 *
 * Reads objects only: the work tree is not touched, nothing of the repository is executed, nothing is fetched.
 *
 * @throws `review/git-missing`; `review/source-unreadable` for no repository or no such commit.
 */
export async function gitCommit(options: GitCommitOptions): Promise<ReviewSource> {
  const { repository, env, git = 'git', signal = new AbortController().signal } = options;
  const place = { repository, git, env };
  const resolve = (name: string): Promise<string> => resolveCommit(place, name, signal);
  const commit = await resolve(options.commit);
  const since = options.since === undefined ? null : await resolve(options.since);
  return {
    identity: { kind: 'git_commit', commit, since },
    open: (opening) =>
      openCommit(place, {
        commit,
        since,
        sinceName: options.since ?? null,
        signal: opening.signal,
      }),
  };
}

interface Opening {
  readonly commit: string;
  readonly since: string | null;
  /** As it was named, for people. */
  readonly sinceName: string | null;
  readonly signal: AbortSignal;
}

async function resolveCommit(place: GitPlace, name: string, signal: AbortSignal): Promise<string> {
  if (OBJECT_NAME.test(name)) return name;
  const args = ['rev-parse', '--verify', '--end-of-options', `${name}^{commit}`];
  const written = await runGit(place, args, { signal, maxBytes: 4096 }).catch((cause: unknown) => {
    throw unknownCommit(place, name, cause);
  });
  const found = written.toString('utf8').trim();
  if (OBJECT_NAME.test(found)) return found;
  throw reviewError('review/source-unreadable', `git knows no commit ${name.slice(0, 80)}.`);
}

/** Names what git was asked for, which git itself often does not. */
function unknownCommit({ repository }: GitPlace, name: string, cause: unknown): unknown {
  if (!MillforgeError.is(cause, 'review/source-unreadable')) return cause;
  if (cause.message.includes('not a git repository')) {
    return reviewError(
      'review/source-unreadable',
      `${repository} is no git repository; name one, or review the folder as it stands (--tree).`,
    );
  }
  const reason = cause.message.replace(/^git refused: /, '');
  return reviewError(
    'review/source-unreadable',
    `git finds no commit '${name.slice(0, 80)}' in ${repository}: ${reason}`,
  );
}

async function openCommit(
  place: GitPlace,
  { commit, since, sinceName, signal }: Opening,
): Promise<SourceTree> {
  const list = ['ls-tree', '-r', '-z', '-l', '--full-tree', `${commit}^{commit}`];
  const listed = await runGit(place, list, { signal, maxBytes: MAX_LIST_BYTES }).catch(
    (cause: unknown) => {
      throw unknownCommit(place, commit, cause);
    },
  );
  const changed = since === null ? null : await changedPaths(place, { commit, since }, signal);
  const blobs = openBlobs(place, signal);
  const all = [...zeroEnded(listed)].map((line) => readEntry(line, blobs, since));
  const entries = all
    .filter(({ path }) => changed === null || changed.has(path))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return {
    revision: `git:${commit}`,
    entries,
    unchangedSince: (asked) =>
      all.some(({ path }) => path === asked || path.startsWith(`${asked}/`)) ? sinceName : null,
    [Symbol.asyncDispose]: () => blobs.close(),
  };
}

/** Paths that were added or changed; what was removed has nothing to review. */
async function changedPaths(
  place: GitPlace,
  { commit, since }: { readonly commit: string; readonly since: string },
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--diff-filter=d'];
  const written = await runGit(place, [...args, '--no-ext-diff', since, commit], {
    signal,
    maxBytes: MAX_LIST_BYTES,
  });
  return new Set([...zeroEnded(written)].map((name) => name.toString('utf8')));
}

function* zeroEnded(bytes: Buffer): Iterable<Buffer> {
  for (let start = 0; start < bytes.byteLength; ) {
    const end = bytes.indexOf(0, start);
    if (end < 0) return;
    yield bytes.subarray(start, end);
    start = end + 1;
  }
}

/** Reads `<mode> <type> <object> <size>\t<path>`. */
function readEntry(line: Buffer, blobs: Blobs, since: string | null): SourceEntry {
  const tab = line.indexOf(0x09);
  const [mode = '', type = '', name = '', size = ''] = line
    .subarray(0, tab)
    .toString('utf8')
    .split(/ +/);
  const bytes = line.subarray(tab + 1);
  const path = bytes.toString('utf8');
  if (!Buffer.from(path).equals(bytes)) return { kind: 'other', path, reason: 'name-not-text' };
  if (type === 'commit') return { kind: 'other', path, reason: 'submodule' };
  if (mode === '120000') return { kind: 'other', path, reason: 'link' };
  // Of an object that is not there, git cannot tell the size.
  return {
    kind: 'file',
    path,
    bytes: Number(size) || 0,
    read: () => blobs.read(name),
    // Objects are asked for by lines, so a path that git would cut cannot be.
    ...(since === null || path.includes('\n') || path.endsWith('\r')
      ? {}
      : { readEarlier: () => blobs.read(`${since}:${path}`) }),
  };
}

/** The contents of one repository, by object name or by `COMMIT:PATH`. */
interface Blobs {
  /** The bytes; null when they are not there, or are no file's. */
  read(name: string): Promise<Buffer | null>;
  close(): Promise<void>;
}

function openBlobs(place: GitPlace, signal: AbortSignal): Blobs {
  const started = startGit(place, ['cat-file', '--batch'], { signal });
  const reader = createByteReader(started.stdout);
  const broken = async (): Promise<Error> => {
    const { stderr } = await started.ended;
    return reviewError('review/source-unreadable', `git stopped reading: ${firstLine(stderr)}`);
  };
  return {
    async read(name) {
      started.write(`${name}\n`);
      const head = await reader.line();
      if (head === null) throw await broken();
      if (head.endsWith(' missing')) return null;
      const bytes = await body(reader, head);
      if (bytes === null) throw await broken();
      const [hash = '', type] = head.split(' ');
      if (type !== 'blob') return null;
      const isAsked = !OBJECT_NAME.test(name) || hash === name;
      if (isAsked && objectName(bytes, hash.length) === hash) return bytes;
      throw reviewError(
        'review/source-unreadable',
        `The object ${hash} is damaged; run git fsck in the repository.`,
      );
    },
    async close() {
      started.endInput();
      started.kill();
      await started.ended.catch(() => undefined);
    },
  };
}

async function body(reader: ByteReader, head: string): Promise<Buffer | null> {
  const size = Number(head.split(' ')[2]);
  const bytes = await reader.exact(size);
  await reader.line();
  return bytes;
}

/** The name that git gives to a blob: what the tree says is what was read. */
function objectName(bytes: Buffer, length: number): string {
  return createHash(length === 64 ? 'sha256' : 'sha1')
    .update(`blob ${bytes.byteLength}\0`)
    .update(bytes)
    .digest('hex');
}

const OBJECT_NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const MAX_LIST_BYTES = 67_108_864;
