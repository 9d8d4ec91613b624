import { type BytePath, toText } from './byte-path.ts';
import { askRipgrep, type RipgrepQuestion } from './ripgrep.ts';
import type { TreeEntry, TreeFolder } from './walk-tree.ts';

/** How ripgrep is asked about what is to be searched next. */
export interface LookAhead extends RipgrepQuestion {
  /** Whether some files of a folder may not be among the entries, besides those that are ignored. */
  readonly isFiltered: boolean;
}

/**
 * Gives on, in groups and in order, what has to be looked at: everything, or what is left of it after
 * ripgrep has looked ahead. Few files are not worth a process, so that the first ones are given on at once.
 */
export async function* lookAhead(
  entries: Iterator<TreeEntry>,
  ahead: LookAhead | null,
  signal: AbortSignal,
): AsyncGenerator<readonly TreeEntry[]> {
  for (let given = 0; given < HEAD_START; given += STEP) {
    const step = nextOf(entries, STEP);
    if (step.length === 0) return;
    yield step;
  }
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const asked = new Set<TreeFolder>();
  const found = new Set<BytePath>();
  let isAsking = ahead !== null;
  let last: Promise<unknown> = Promise.resolve();
  const ask = async (batch: readonly TreeEntry[]): Promise<readonly TreeEntry[]> => {
    if (!isAsking || ahead === null) return batch;
    const { paths, covered } = pathsOf(batch, { asked, ahead });
    // What is known of a folder may have been asked with an earlier batch.
    const before = last;
    const answer = paths.length === 0 ? new Set<BytePath>() : askRipgrep(ahead, paths, either);
    last = Promise.all([answer, before]);
    const answered = await answer;
    await before;
    isAsking &&= answered !== null;
    if (!isAsking) return batch;
    for (const path of answered ?? []) found.add(path);
    return batch.filter(
      (entry) => !covered.has(entry) || found.has(entry.folder.path + entry.name),
    );
  };
  const open: Promise<readonly TreeEntry[]>[] = [];
  let size = FIRST_BATCH;
  try {
    for (let isEnd = false; !isEnd || open.length > 0; ) {
      while (!isEnd && open.length < AT_ONCE) {
        const batch: TreeEntry[] = [];
        for (let step = nextOf(entries, STEP); ; step = nextOf(entries, STEP)) {
          isEnd = step.length === 0;
          batch.push(...step);
          if (isEnd || batch.length >= (isAsking ? size : STEP)) break;
          await givingWay();
        }
        size = Math.min(size * 4, MAX_BATCH);
        if (batch.length > 0) open.push(ask(batch));
      }
      const next = (await open.shift()) ?? [];
      for (let at = 0; at < next.length; at += STEP) {
        yield next.slice(at, at + STEP);
      }
    }
  } finally {
    ended.abort();
    await Promise.all(open);
  }
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

function nextOf<T>(entries: Iterator<T>, count: number): readonly T[] {
  const found: T[] = [];
  while (found.length < count) {
    const next = entries.next();
    if (next.done === true) break;
    found.push(next.value);
  }
  return found;
}

/** Lets the rest of the process go on. */
export function givingWay(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const STEP = 128;
const HEAD_START = 256;
const FIRST_BATCH = 1000;
const MAX_BATCH = 16_000;
const AT_ONCE = 2;
/** Names of files that ripgrep would read to the end when it is asked about each. */
const BINARY =
  /\.(?:7z|a|avi|avif|bin|bmp|br|bz2|class|db|dll|dylib|eot|exe|flac|gif|gz|heic|ico|iso|jar|jpe?g|lib|mkv|mov|mp[34]|node|o|obj|ogg|otf|pack|pdf|png|pyc|rar|so|sqlite3?|tar|tgz|tiff?|ttf|wasm|wav|webm|webp|woff2?|xz|zip|zst)$/i;
