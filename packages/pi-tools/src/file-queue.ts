import { isUtf8 } from 'node:buffer';
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { errnoOf, toolFault } from './tool-fault.ts';

/** The turn of one operation on one file. */
export interface FileTurn {
  /** The file behind all links; it need not exist. */
  readonly target: string;
  /** Lets the next one go. */
  release(): void;
}

/**
 * Waits for the turn on a file: operations on one file follow each other in the order of these calls,
 * also through different links, and different files do not wait for each other. One queue per process.
 *
 * @throws `tool/cancelled` when the signal aborts first; the place in the queue is given up.
 */
export async function takeTurn(path: string, signal: AbortSignal): Promise<FileTurn> {
  // The file is found at once: were it looked for asynchronously, the disk could change the order.
  const target = resolveTarget(path);
  const isFree = !TURNS.has(target);
  const { turn, release } = joinQueue(target);
  if (!isFree) {
    const waiting = new AbortController();
    await Promise.race([turn, abortOf(signal, waiting.signal)]);
    waiting.abort();
  }
  if (!signal.aborted) return { target, release };
  release();
  throw toolFault('cancelled', 'Operation aborted');
}

function joinQueue(target: string): {
  /** Resolves when everyone before has gone. */
  readonly turn: Promise<void>;
  readonly release: () => void;
} {
  const turn = TURNS.get(target) ?? Promise.resolve();
  const settlers: (() => void)[] = [];
  const gone = new Promise<void>((settle) => settlers.push(settle));
  const last = turn.then(() => gone);
  TURNS.set(target, last);
  void last.then(() => {
    if (TURNS.get(target) === last) TURNS.delete(target);
  });
  return { turn, release: () => settlers.forEach((settle) => settle()) };
}

/** Follows links to the file that an operation on the path would change; it need not exist. */
function resolveTarget(path: string, hops = 0): string {
  try {
    return nameOf(realpathSync.native(path, 'buffer'), path);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOTDIR' || hops > MAX_HOPS) return path;
    if (code !== 'ENOENT') throw error;
  }
  const link = linkTarget(path);
  if (link !== null) return resolveTarget(resolve(dirname(path), link), hops + 1);
  const parent = dirname(path);
  return parent === path ? path : join(resolveTarget(parent, hops), basename(path));
}

function linkTarget(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isSymbolicLink() ? nameOf(readlinkSync(path, 'buffer'), path) : null;
}

/** Other bytes than UTF-8 have no text that would lead to the same file. */
function nameOf(bytes: Buffer, path: string): string {
  if (isUtf8(bytes)) return bytes.toString();
  const message = `A link on the way leads to a name that is not UTF-8; change the file with bash: ${path}`;
  throw toolFault('io_error', message);
}

/** Listens until `until` aborts. */
function abortOf(signal: AbortSignal, until: AbortSignal): Promise<void> {
  return new Promise((settle) => {
    if (signal.aborted) settle();
    else signal.addEventListener('abort', () => settle(), { once: true, signal: until });
  });
}

// Module state on purpose: two tool sets of one process write to the same disk.
const TURNS = new Map<string, Promise<void>>();
const MAX_HOPS = 40;
