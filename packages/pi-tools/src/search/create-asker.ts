import { type BytePath, toText } from './byte-path.ts';
import { askRipgrep, type RipgrepQuestion } from './ripgrep.ts';
import type { TreeEntry, TreeFolder } from './walk-tree.ts';

/** Asks ripgrep about one batch of a walk after another. */
export interface Asker {
  /** Whether its answers could be relied on so far; where not, nothing more is asked. */
  readonly isAnswered: boolean;
  /** What is left of a batch to be searched: all of it where there is no answer. */
  ask(batch: readonly TreeEntry[]): Promise<readonly TreeEntry[]>;
}

/** What is asked about the files of every batch. */
export interface BatchQuestion extends RipgrepQuestion {
  /** Whether some files of a folder may not be among the entries, besides those that are ignored. */
  readonly isFiltered: boolean;
}

/** Makes what asks ripgrep; several batches may be asked about at once. */
export function createAsker(question: BatchQuestion, signal: AbortSignal): Asker {
  const asked = new Set<TreeFolder>();
  const found = new Set<BytePath>();
  let isAnswered = true;
  let last: Promise<unknown> = Promise.resolve();
  const noteAfter = async (
    before: Promise<unknown>,
    answer: ReadonlySet<BytePath> | Promise<ReadonlySet<BytePath> | null>,
  ): Promise<void> => {
    const [answered] = await Promise.all([answer, before]);
    isAnswered &&= answered !== null;
    for (const path of answered ?? []) found.add(path);
  };
  return {
    get isAnswered() {
      return isAnswered;
    },
    async ask(batch) {
      if (!isAnswered) return batch;
      const { paths, isCovered } = pathsOf(batch, { asked, question });
      const answer = paths.length === 0 ? new Set<BytePath>() : askRipgrep(question, paths, signal);
      // What is known of a folder may have been asked with an earlier batch, and is noted before this goes on.
      last = noteAfter(last, answer);
      await last;
      if (!isAnswered) return batch;
      return batch.filter(
        (entry) => !isCovered(entry) || found.has(entry.folder.path + entry.name),
      );
    },
  };
}

/**
 * What ripgrep is asked about a batch, and which entries of it that covers. Where all files of a folder are
 * meant, it is asked about the folder: then it has less to look up, and leaves binary files early.
 */
function pathsOf(
  batch: readonly TreeEntry[],
  { asked, question }: { readonly asked: Set<TreeFolder>; readonly question: BatchQuestion },
): { readonly paths: readonly BytePath[]; readonly isCovered: (entry: TreeEntry) => boolean } {
  const paths: BytePath[] = [];
  const single = new Set<TreeEntry>();
  const canAskAll = !question.isFiltered || question.nameGlob !== null;
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

/** Names of files that ripgrep would read to the end when it is asked about each. */
const BINARY =
  /\.(?:7z|a|avi|avif|bin|bmp|br|bz2|class|db|dll|dylib|eot|exe|flac|gif|gz|heic|ico|iso|jar|jpe?g|lib|mkv|mov|mp[34]|node|o|obj|ogg|otf|pack|pdf|png|pyc|rar|so|sqlite3?|tar|tgz|tiff?|ttf|wasm|wav|webm|webp|woff2?|xz|zip|zst)$/i;
