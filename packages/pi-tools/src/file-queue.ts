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
export async function takeTurn(
  findPath: () => Promise<string>,
  signal: AbortSignal,
): Promise<FileTurn> {
  // Paths are resolved one after the other, or a fast answer of the disk would change the order.
  const entered = ENTRANCE.last.then(async () => {
    const target = await resolveTarget(await findPath());
    return { target, ...joinQueue(target) };
  });
  ENTRANCE.last = entered.then(
    () => undefined,
    () => undefined,
  );
  const { target, turn, release } = await entered;
  const waiting = new AbortController();
  const first = await Promise.race([
    turn.then(() => 'turn' as const),
    abortOf(signal, waiting.signal),
  ]);
  waiting.abort();
  if (first === 'turn' && !signal.aborted) return { target, release };
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

/** Listens until `until` aborts. */
function abortOf(signal: AbortSignal, until: AbortSignal): Promise<'aborted'> {
  return new Promise((settle) => {
    if (signal.aborted) settle('aborted');
    else signal.addEventListener('abort', () => settle('aborted'), { once: true, signal: until });
  });
}

// Module state on purpose: two tool sets of one process write to the same disk.
const TURNS = new Map<string, Promise<void>>();
const ENTRANCE = { last: Promise.resolve() };
const MAX_HOPS = 40;
