import { type FileRows, searchText, type TextSearch } from './search-text.ts';
import { inGroups, withinMatchTime } from './within-match-time.ts';

/** A file that is searched. */
export interface SearchedFile {
  /** Name in the rows. */
  readonly name: string;
  readonly text: string;
}

/**
 * Searches files in their order, until there are more matches than the limit. Gives null for a file on
 * which the expression takes too long.
 */
export async function* searchFiles(
  files: AsyncIterable<SearchedFile>,
  search: TextSearch,
  limit: number,
): AsyncGenerator<FileRows | null> {
  const groups = inGroups(files, {
    count: GROUP_FILES,
    weight: GROUP_UNITS,
    weigh: ({ text }) => text.length,
  });
  let wanted = limit;
  for await (const group of groups) {
    const found = withinMatchTime(() => searchGroup(group, search, wanted), GROUP_MS);
    // Which file it was that took the time shows when each is searched alone.
    for (const one of found.inTime ? found.value : searchAlone(group, search, wanted)) {
      wanted -= one?.matches ?? 0;
      yield one;
    }
  }
}

function searchGroup(
  group: readonly SearchedFile[],
  search: TextSearch,
  limit: number,
): readonly FileRows[] {
  const found: FileRows[] = [];
  let wanted = limit;
  for (const { name, text } of group) {
    const rows = searchText(text, search, { name, wanted });
    found.push(rows);
    wanted -= rows.matches;
    if (rows.hasMore) break;
  }
  return found;
}

function* searchAlone(
  group: readonly SearchedFile[],
  search: TextSearch,
  limit: number,
): Generator<FileRows | null> {
  if (group.length === 1) {
    yield null;
    return;
  }
  let wanted = limit;
  for (const { name, text } of group) {
    const found = withinMatchTime(() => searchText(text, search, { name, wanted }), FILE_MS);
    if (!found.inTime) {
      yield null;
      continue;
    }
    wanted -= found.value.matches;
    yield found.value;
    if (found.value.hasMore) return;
  }
}

const GROUP_FILES = 256;
const GROUP_UNITS = 1024 * 1024;
const GROUP_MS = 2000;
const FILE_MS = 1000;
