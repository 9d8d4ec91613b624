import { availableParallelism } from 'node:os';
import { givingWay } from '../giving-way.ts';
import { type BytePath, toText } from './byte-path.ts';
import { askRipgrep, type RipgrepQuestion } from './ripgrep.ts';
import { surveyTree } from './survey-tree.ts';
import { placeInWalk, type TreeEntry, type TreeFolder, type WalkOptions } from './walk-tree.ts';

/** How ripgrep is asked about what is to be searched next. */
export interface LookAhead extends RipgrepQuestion {
  /** Whether some files of a folder may not be among the entries, besides those that are ignored. */
  readonly isFiltered: boolean;
  /** What the walk leaves out, where ripgrep may be asked about the whole tree; else null. */
  readonly walk: WalkOptions | null;
}

/** How far a search has come; whoever looks at what is given on keeps it. */
export interface SearchProgress {
  /** Matches that were found. */
  matches: number;
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
    const { paths, covered } = pathsOf(batch, { asked, ahead });
    const answer = paths.length === 0 ? new Set<BytePath>() : askRipgrep(ahead, paths, either);
    // What is known of a folder may have been asked with an earlier batch, and is noted before this goes on.
    last = noteAfter(last, answer);
    await last;
    if (!isAsking) return batch;
    return batch.filter(
      (entry) => !covered.has(entry) || found.has(entry.folder.path + entry.name),
    );
  };
  const open: { readonly count: number; readonly left: Promise<readonly TreeEntry[]> }[] = [];
  const sizes = batchSizes(progress);
  try {
    for (let isEnd = false; !isEnd || open.length > 0; ) {
      while (!isEnd && open.length < AT_ONCE) {
        const running = open.reduce((sum, { count }) => sum + count, 0);
        const size = isAsking ? sizes.next({ given, running, open: open.length }) : STEP;
        if (size === 0) break;
        const batch: TreeEntry[] = [];
        while (!isEnd && batch.length < size) {
          const step = nextOf(entries, STEP);
          isEnd = step.length === 0;
          batch.push(...step);
          if (batch.length < size) await givingWay();
        }
        if (batch.length > 0) open.push({ count: batch.length, left: ask(batch) });
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

/** How many more files it takes to the limit, going by those that were looked at. */
function filesLeft({ matches, limit }: SearchProgress, given: number): number {
  return ((limit + 1 - matches) * given) / matches;
}

/**
 * How many files to ask about next: few where the matches so far say that few more will do, for each answer
 * comes as a whole, and many where there are hardly any, for each question costs a process. None where the
 * questions that are open will probably do.
 */
function batchSizes(progress: SearchProgress): {
  next(files: { readonly given: number; readonly running: number; readonly open: number }): number;
} {
  let size = FIRST_BATCH;
  return {
    next({ given, running, open }) {
      const grown = size;
      size = Math.min(size * 2, MAX_BATCH);
      if (progress.matches === 0) return grown;
      const wanted = Math.ceil(filesLeft(progress, given)) - running;
      if (wanted <= 0 && running > 0) return 0;
      const share = Math.ceil(wanted / (AT_ONCE - open));
      return Math.min(Math.max(share, MIN_BATCH), MAX_BATCH);
    },
  };
}

/**
 * What ripgrep is asked about a batch, and which entries of it that covers. Where all files of a folder are
 * meant, it is asked about the folder: then it has less to look up, and leaves binary files early.
 */
function pathsOf(
  batch: readonly TreeEntry[],
  { asked, ahead }: { readonly asked: Set<TreeFolder>; readonly ahead: LookAhead },
): { readonly paths: readonly BytePath[]; readonly covered: ReadonlySet<TreeEntry> } {
  const paths: BytePath[] = [];
  const covered = new Set<TreeEntry>();
  const canAskAll = !ahead.isFiltered || ahead.nameGlob !== null;
  for (const entry of batch) {
    const { folder, name, kind } = entry;
    if (kind === 'closed') continue;
    if (asked.has(folder)) covered.add(entry);
    else if (canAskAll && folder.isWhole && toText(folder.path) !== null) {
      asked.add(folder);
      covered.add(entry);
      paths.push(folder.path);
    } else if (!BINARY.test(name) && toText(folder.path + name) !== null) {
      covered.add(entry);
      paths.push(folder.path + name);
    }
  }
  return { paths, covered };
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
const MIN_BATCH = 1000;
const FIRST_BATCH = 3300;
const MAX_BATCH = 6600;
/** Processes, each with one thread: two of them are faster than one with two, which wait for each other. */
const AT_ONCE = Math.min(Math.max(availableParallelism(), 2), 8);
/** Names of files that ripgrep would read to the end when it is asked about each. */
const BINARY =
  /\.(?:7z|a|avi|avif|bin|bmp|br|bz2|class|db|dll|dylib|eot|exe|flac|gif|gz|heic|ico|iso|jar|jpe?g|lib|mkv|mov|mp[34]|node|o|obj|ogg|otf|pack|pdf|png|pyc|rar|so|sqlite3?|tar|tgz|tiff?|ttf|wasm|wav|webm|webp|woff2?|xz|zip|zst)$/i;
