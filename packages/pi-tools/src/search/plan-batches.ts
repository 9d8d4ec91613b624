import { availableParallelism } from 'node:os';

/** Files that were taken from the walk, and not yet given on. */
export interface OpenBatch {
  readonly count: number;
  /** Those of them that may hold a match; null as long as that is not known. */
  readonly hits: number | null;
}

/** What to take next. */
export interface BatchSize {
  readonly count: number;
  /** Whether this thread looks through it, instead of ripgrep. */
  readonly isHere: boolean;
}

/** Decides how many files are looked through next, and by whom. */
export interface BatchPlan {
  /** Null where what is open will probably do; `given` files were given on before. */
  next(given: number, open: readonly OpenBatch[]): BatchSize | null;
}

/**
 * Plans by how many files it will take to the limit, going by the matches so far: large questions to ripgrep
 * where there are hardly any, for each costs a process, and small ones where few more files will do, for
 * each answer comes as a whole. Where this thread can look as well, it takes the place of one process: it is
 * as quick, and sees from what it finds when to stop.
 */
export function planBatches(
  progress: { readonly matches: number; readonly files: number; readonly limit: number },
  canLookHere: boolean,
): BatchPlan {
  let size = FIRST_BATCH;
  return {
    next(given, open) {
      const { asked, running, looked, hits } = sumOf(open);
      const perFile = progress.files === 0 ? 1 : progress.matches / progress.files;
      const matches = progress.matches + hits * perFile;
      if (matches === 0) {
        if (running >= AT_ONCE) return null;
        const count = size;
        size = Math.min(size * 2, MAX_BATCH);
        return { count, isHere: false };
      }
      const density = matches / (given + looked);
      const wanted = Math.ceil((progress.limit + 1 - matches) / density) - asked;
      if (wanted <= 0 && open.length > 0) return null;
      const isFull = running >= (canLookHere ? AT_ONCE - 1 : AT_ONCE);
      if (canLookHere && (isFull || wanted < MIN_BATCH)) {
        return { count: within(wanted, MIN_HERE, MAX_HERE), isHere: true };
      }
      if (isFull) return null;
      const share = Math.ceil((wanted / (AT_ONCE - running)) * (canLookHere ? SHARE : 1));
      return { count: within(share, MIN_BATCH, MAX_BATCH), isHere: false };
    },
  };
}

function sumOf(open: readonly OpenBatch[]): {
  /** Files of which nothing is known yet, and how many questions that are. */
  readonly asked: number;
  readonly running: number;
  /** The others, and how many of them may hold a match. */
  readonly looked: number;
  readonly hits: number;
} {
  const sum = { asked: 0, running: 0, looked: 0, hits: 0 };
  for (const { count, hits } of open) {
    if (hits === null) {
      sum.asked += count;
      sum.running++;
    } else {
      sum.looked += count;
      sum.hits += hits;
    }
  }
  return sum;
}

function within(count: number, least: number, most: number): number {
  return Math.min(Math.max(count, least), most);
}

/** What a process starts later than this thread is left to this thread, which knows when to stop. */
const SHARE = 0.9;
const MIN_HERE = 64;
const MAX_HERE = 512;
const MIN_BATCH = 1000;
const FIRST_BATCH = 3300;
const MAX_BATCH = 6600;
/** Processes, each with one thread: two of them are faster than one with two, which wait for each other. */
const AT_ONCE = Math.min(Math.max(availableParallelism(), 2), 8);
