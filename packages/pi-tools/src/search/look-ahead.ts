import { givingWay } from '../giving-way.ts';
import { type BytePath, toText } from './byte-path.ts';
import type { LinePattern } from './compile-pattern.ts';
import { filesHolding } from './files-holding.ts';
import { type BatchSize, type OpenBatch, planBatches } from './plan-batches.ts';
import { askRipgrep, type RipgrepQuestion } from './ripgrep.ts';
import { surveyTree } from './survey-tree.ts';
import { placeInWalk, type TreeEntry, type TreeFolder, type WalkOptions } from './walk-tree.ts';

/** How ripgrep is asked about what is to be searched next. */
export interface LookAhead extends RipgrepQuestion {
  /** Whether some files of a folder may not be among the entries, besides those that are ignored. */
  readonly isFiltered: boolean;
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
  if (progress.matches === 0 && ahead !== null && ahead.walk !== null) {
    const survey = { ...ahead, walk: ahead.walk, maxHits: progress.limit };
    const found = await surveyTree(survey, signal);
    if (found !== null) {
      yield* inSteps(found.filter((one) => placeInWalk(one) > lastGiven));
      return;
    }
  }
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const asked = new Set<TreeFolder>();
  const found = new Set<BytePath>();
  let isAsking = ahead !== null;
  let last: Promise<unknown> = Promise.resolve();
  const noteAfter = async (
    before: Promise<unknown>,
    answer: ReadonlySet<BytePath> | Promise<ReadonlySet<BytePath> | null>,
  ): Promise<void> => {
    const [answered] = await Promise.all([answer, before]);
    isAsking &&= answered !== null;
    for (const path of answered ?? []) found.add(path);
  };
  const ask = async (batch: readonly TreeEntry[]): Promise<readonly TreeEntry[]> => {
    if (!isAsking || ahead === null) return batch;
    const { paths, isCovered } = pathsOf(batch, { asked, ahead });
    const answer = paths.length === 0 ? new Set<BytePath>() : askRipgrep(ahead, paths, either);
    // What is known of a folder may have been asked with an earlier batch, and is noted before this goes on.
    last = noteAfter(last, answer);
    await last;
    if (!isAsking) return batch;
    return batch.filter((entry) => !isCovered(entry) || found.has(entry.folder.path + entry.name));
  };
  const look = async (batch: readonly TreeEntry[]): Promise<readonly TreeEntry[]> =>
    ahead === null ? batch : filesHolding(ahead.lines, batch, { root: ahead.folder, signal });
  const take = async (count: number): Promise<readonly TreeEntry[]> => {
    const batch: TreeEntry[] = [];
    for (;;) {
      const size = Math.min(STEP, count - batch.length);
      const step = nextOf(entries, size);
      batch.push(...step);
      if (step.length < size || batch.length === count) return batch;
      await givingWay();
    }
  };
  const plan = planBatches(progress, ahead !== null && ahead.lines.required.length > 0);
  const open: Batch[] = [];
  try {
    for (let isEnd = false; !isEnd || open.length > 0; ) {
      while (!isEnd) {
        const size = isAsking ? plan.next(given, open) : stepAlone(open);
        if (size === null) break;
        const batch = await take(size.count);
        const count = batch.length;
        isEnd = count < size.count;
        if (count === 0) break;
        const left = size.isHere ? look(batch) : ask(batch);
        const one: Batch = { count, hits: null, left: left.then(noted) };
        open.push(one);
        // One that this thread looks through itself is waited for, since the next may then be needless.
        if (size.isHere) await one.left;

        function noted(entries: readonly TreeEntry[]): readonly TreeEntry[] {
          one.hits = entries.length;
          return entries;
        }
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
  hits: number | null;
  readonly left: Promise<readonly TreeEntry[]>;
}

/** Where ripgrep gives no answers, each step is given on before the next is taken. */
function stepAlone(open: readonly OpenBatch[]): BatchSize | null {
  return open.length === 0 ? { count: STEP, isHere: false } : null;
}

/**
 * What ripgrep is asked about a batch, and which entries of it that covers. Where all files of a folder are
 * meant, it is asked about the folder: then it has less to look up, and leaves binary files early.
 */
function pathsOf(
  batch: readonly TreeEntry[],
  { asked, ahead }: { readonly asked: Set<TreeFolder>; readonly ahead: LookAhead },
): { readonly paths: readonly BytePath[]; readonly isCovered: (entry: TreeEntry) => boolean } {
  const paths: BytePath[] = [];
  const single = new Set<TreeEntry>();
  const canAskAll = !ahead.isFiltered || ahead.nameGlob !== null;
  for (const entry of batch) {
    const { folder, name, kind } = entry;
    if (kind === 'closed' || asked.has(folder)) continue;
    if (canAskAll && folder.isWhole && toText(folder.path) !== null) {
      asked.add(folder);
      paths.push(folder.path);
    } else if (!BINARY.test(name) && toText(folder.path + name) !== null) {
      single.add(entry);
      paths.push(folder.path + name);
    }
  }
  const isCovered = (entry: TreeEntry) =>
    entry.kind !== 'closed' && (asked.has(entry.folder) || single.has(entry));
  return { paths, isCovered };
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
/** Names of files that ripgrep would read to the end when it is asked about each. */
const BINARY =
  /\.(?:7z|a|avi|avif|bin|bmp|br|bz2|class|db|dll|dylib|eot|exe|flac|gif|gz|heic|ico|iso|jar|jpe?g|lib|mkv|mov|mp[34]|node|o|obj|ogg|otf|pack|pdf|png|pyc|rar|so|sqlite3?|tar|tgz|tiff?|ttf|wasm|wav|webm|webp|woff2?|xz|zip|zst)$/i;
