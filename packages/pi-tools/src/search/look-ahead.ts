import { givingWay } from '../giving-way.ts';
import type { LinePattern } from './compile-pattern.ts';
import { type BatchQuestion, createAsker } from './create-asker.ts';
import { filesHolding } from './files-holding.ts';
import { type BatchSize, type OpenBatch, planBatches } from './plan-batches.ts';
import { surveyTree } from './survey-tree.ts';
import { placeInWalk, type TreeEntry, type WalkOptions } from './walk-tree.ts';

/** How ripgrep is asked about what is to be searched next. */
export interface LookAhead extends BatchQuestion {
  /** What the walk leaves out, where ripgrep may be asked about the whole tree; else null. */
  readonly walk: WalkOptions | null;
  /** The same pattern, for this thread to look for. */
  readonly lines: LinePattern;
}

/** How far a search has come; whoever looks at what is given on keeps it. */
export interface SearchProgress {
  /** Matches that were found. */
  matches: number;
  /** Files that they were found in. */
  files: number;
  /** Matches after which nothing more is looked at. */
  readonly limit: number;
}

/**
 * Gives on, in groups and in order, what has to be looked at: everything, or what is left of it after
 * ripgrep has looked ahead. Few files are not worth a process, so that the first ones are given on at once.
 */
export async function* lookAhead(
  entries: Iterator<TreeEntry>,
  ahead: LookAhead | null,
  { progress, signal }: { readonly progress: SearchProgress; readonly signal: AbortSignal },
): AsyncGenerator<readonly TreeEntry[]> {
  let given = 0;
  let lastGiven = '';
  // Where the first of them have no match, it will take more than a few.
  while (given < (progress.matches === 0 ? STEP : HEAD_START)) {
    const step = nextOf(entries, STEP);
    if (step.length === 0) return;
    given += step.length;
    lastGiven = step.map(placeInWalk).at(-1) ?? lastGiven;
    yield step;
  }
  if (ahead === null) {
    for (let step = nextOf(entries, STEP); step.length > 0; step = nextOf(entries, STEP)) {
      yield step;
    }
    return;
  }
  if (progress.matches === 0 && ahead.walk !== null) {
    const survey = { ...ahead, walk: ahead.walk, maxHits: progress.limit };
    const found = await surveyTree(survey, signal);
    if (found !== null) {
      yield* inSteps(found.filter((one) => placeInWalk(one) > lastGiven));
      return;
    }
  }
  const ended = new AbortController();
  const asker = createAsker(ahead, AbortSignal.any([signal, ended.signal]));
  const plan = planBatches(progress, ahead.lines.required.length > 0);
  const open: Batch[] = [];
  try {
    for (let isEnd = false; !isEnd || open.length > 0; ) {
      while (!isEnd) {
        const size = asker.isAnswered ? plan.next(given, open) : stepAlone(open);
        if (size === null) break;
        const batch = await takeFrom(entries, size.count);
        isEnd = batch.length < size.count;
        const left = size.isHere
          ? filesHolding(ahead.lines, batch, { root: ahead.folder, signal })
          : asker.ask(batch);
        open.push(openBatch(batch.length, left));
        // One that this thread looks through itself is waited for, since the next may then be needless.
        if (size.isHere) await left;
      }
      const next = open.shift();
      yield* inSteps((await next?.left) ?? []);
      given += next?.count ?? 0;
    }
  } finally {
    ended.abort();
    await Promise.all(open.map(({ left }) => left));
  }
}

/** A batch, and what is left of it to be searched. */
interface Batch extends OpenBatch {
  readonly left: Promise<readonly TreeEntry[]>;
}

function openBatch(count: number, left: Promise<readonly TreeEntry[]>): Batch {
  let hits: number | null = null;
  const noted = (entries: readonly TreeEntry[]) => {
    hits = entries.length;
    return entries;
  };
  return {
    count,
    get hits() {
      return hits;
    },
    left: left.then(noted),
  };
}

/** Where ripgrep gives no answers, each step is given on before the next is taken. */
function stepAlone(open: readonly OpenBatch[]): BatchSize | null {
  return open.length === 0 ? { count: STEP, isHere: false } : null;
}

/** The next of a walk, so many or all that there are. */
async function takeFrom(
  entries: Iterator<TreeEntry>,
  count: number,
): Promise<readonly TreeEntry[]> {
  const batch: TreeEntry[] = [];
  for (;;) {
    const size = Math.min(STEP, count - batch.length);
    const step = nextOf(entries, size);
    batch.push(...step);
    if (step.length < size || batch.length === count) return batch;
    await givingWay();
  }
}

function* inSteps<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += STEP) yield all.slice(at, at + STEP);
}

function nextOf<T>(entries: Iterator<T>, count: number): readonly T[] {
  const found: T[] = [];
  while (found.length < count) {
    const next = entries.next();
    if (next.done === true) break;
    found.push(next.value);
  }
  return found;
}

const STEP = 128;
const HEAD_START = 256;
