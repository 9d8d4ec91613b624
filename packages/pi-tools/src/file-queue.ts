import { lstat, readlink, realpath } from 'node:fs/promises';
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
  const target = await resolveTarget(path);
  const before = TURNS.get(target) ?? Promise.resolve();
  let release = (): void => undefined;
  const done = new Promise<void>((settle) => {
    release = settle;
  });
  const mine = before.then(() => done);
  TURNS.set(target, mine);
  void mine.then(() => {
    if (TURNS.get(target) === mine) TURNS.delete(target);
  });
  const turn = await Promise.race([before.then(() => 'mine' as const), abortOf(signal)]);
  if (turn === 'mine' && !signal.aborted) return { target, release };
  release();
  throw toolFault('cancelled', 'Operation aborted');
}

/** Follows links to the file that an operation on the path would change; it need not exist. */
async function resolveTarget(path: string, hops = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOTDIR' || hops > MAX_HOPS) return path;
    if (code !== 'ENOENT') throw error;
  }
  const link = await linkTarget(path);
  if (link !== null) return resolveTarget(resolve(dirname(path), link), hops + 1);
  const parent = dirname(path);
  return parent === path ? path : join(await resolveTarget(parent, hops), basename(path));
}

async function linkTarget(path: string): Promise<string | null> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : null;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function abortOf(signal: AbortSignal): Promise<'aborted'> {
  return new Promise((settle) => {
    if (signal.aborted) settle('aborted');
    else signal.addEventListener('abort', () => settle('aborted'), { once: true });
  });
}

// Module state on purpose: two tool sets of one process write to the same disk.
const TURNS = new Map<string, Promise<void>>();
const MAX_HOPS = 40;
