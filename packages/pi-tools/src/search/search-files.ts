import { type BytePath, toRowName } from './byte-path.ts';
import { readPieces, readWhole, type TextPiece } from './read-pieces.ts';
import { type FileRows, searchFile, type TextSearch } from './search-text.ts';
import { withinMatchTime } from './within-match-time.ts';

/** A file that is searched, or a folder that could not be. */
export interface SearchedPath {
  /** Absolute path. */
  readonly path: BytePath;
  /** Name in the rows. */
  readonly name: BytePath;
  /** Whether it is known to be closed. */
  readonly isClosed: boolean;
}

/** What came of one file: rows, or why there are none. */
export type SearchedFile = FileRows | 'slow' | UnreadablePath;

/** What could not be read. */
export interface UnreadablePath {
  readonly unreadable: BytePath;
}

/**
 * Searches files in their order until there are more matches than the limit. Files without a match are
 * left out.
 */
export function* searchFiles(
  paths: Iterable<SearchedPath>,
  search: TextSearch & { readonly isNamed: boolean },
  limit: number,
): Generator<SearchedFile, void, undefined> {
  let wanted = limit;
  const count = function* (found: Iterable<SearchedFile>) {
    for (const one of found) {
      if (isRows(one)) wanted -= one.matches;
      yield one;
    }
  };
  const group = newGroup();
  for (const path of paths) {
    const isDone = addTo(group, path, search);
    if (isDone && group.units < GROUP_UNITS) continue;
    yield* count(searchGroup(group, search, wanted));
    if (!isDone) yield* count(searchLong(path, search, wanted));
    Object.assign(group, newGroup());
  }
  yield* count(searchGroup(group, search, wanted));
}

/** Small files that are matched under one time limit, in their order. */
interface Group {
  readonly items: (SearchedText | UnreadablePath)[];
  units: number;
  /** Steps that matching takes at most. */
  steps: number;
}

interface SearchedText {
  readonly path: BytePath;
  readonly name: string;
  readonly piece: TextPiece;
}

function newGroup(): Group {
  return { items: [], units: 0, steps: 0 };
}

/** Reads a file into a group; false for one that is too long for that. */
function addTo(
  group: Group,
  { path, name, isClosed }: SearchedPath,
  { pattern, isNamed, showsAsPi }: TextSearch & { readonly isNamed: boolean },
): boolean {
  if (isClosed) {
    group.items.push({ unreadable: path });
    return true;
  }
  try {
    const piece = readWhole(path, { isNamed, required: pattern.required });
    if (piece === 'long') return false;
    if (piece === null) return true;
    group.items.push({ path, name: rowNameOf(name, showsAsPi), piece });
    group.units += piece.text.length;
    group.steps += pattern.mostSteps(piece.text);
  } catch {
    // One closed file must not hide what the others hold; the caller says how many there were.
    group.items.push({ unreadable: path });
  }
  return true;
}

function* searchGroup(
  group: Group,
  search: TextSearch,
  limit: number,
): Generator<SearchedFile, void, undefined> {
  const searchAll = () => {
    let wanted = limit;
    const found: SearchedFile[] = [];
    for (const item of group.items) {
      const one = 'unreadable' in item ? item : searchWhole(item, search, wanted);
      if (one === null) continue;
      found.push(one);
      if (!isRows(one)) continue;
      wanted -= one.matches;
      if (one.hasMore) break;
    }
    return found;
  };
  if (group.items.length === 0) return;
  const timed =
    group.steps <= MAX_STEPS
      ? { inTime: true as const, value: searchAll() }
      : withinMatchTime(searchAll, GROUP_MS);
  yield* timed.inTime ? timed.value : searchAlone(group, search, limit);
}

/** Which file it was that took the time shows when each is searched alone. */
function* searchAlone(
  { items }: Group,
  search: TextSearch,
  limit: number,
): Generator<SearchedFile, void, undefined> {
  let wanted = limit;
  for (const item of items) {
    if ('unreadable' in item) {
      yield item;
      continue;
    }
    const ms = items.length === 1 ? 0 : FILE_MS;
    const timed = ms > 0 ? withinMatchTime(() => searchWhole(item, search, wanted), ms) : null;
    if (timed?.inTime !== true) {
      yield 'slow';
      continue;
    }
    if (timed.value === null) continue;
    wanted -= timed.value.matches;
    yield timed.value;
    if (timed.value.hasMore) return;
  }
}

function searchWhole(
  { path, name, piece }: SearchedText,
  search: TextSearch,
  wanted: number,
): FileRows | null {
  if (!search.pattern.mayFit(piece.text, piece.isAscii)) return null;
  const file = searchFile(search, { path, name, wanted });
  file.take(piece);
  return file.found();
}

/** Searches a file that does not fit into memory as a whole. */
function* searchLong(
  { path, name }: SearchedPath,
  search: TextSearch & { readonly isNamed: boolean },
  wanted: number,
): Generator<SearchedFile, void, undefined> {
  const { pattern, isNamed, showsAsPi } = search;
  const file = searchFile(search, { path, name: rowNameOf(name, showsAsPi), wanted });
  let end: 'slow' | UnreadablePath | null = null;
  try {
    for (const piece of readPieces(path, { isNamed, required: pattern.required })) {
      const timed =
        pattern.mostSteps(piece.text) <= MAX_STEPS
          ? { inTime: true as const, value: file.take(piece) }
          : withinMatchTime(() => file.take(piece), FILE_MS);
      if (!timed.inTime) end = 'slow';
      if (!timed.inTime || !timed.value) break;
    }
  } catch {
    // What was found before the file could be read no further still counts.
    end = { unreadable: path };
  }
  const found = file.found();
  if (found !== null) yield found;
  if (end !== null) yield end;
}

function isRows(found: SearchedFile): found is FileRows {
  return typeof found !== 'string' && 'rows' in found;
}

function rowNameOf(name: BytePath, asPi: boolean): string {
  return asPi ? Buffer.from(name, 'latin1').toString() : toRowName(name);
}

/** Of a few nanoseconds each: with fewer, no clock has to be watched. */
export const MAX_STEPS = 50_000_000;
const GROUP_UNITS = 1024 * 1024;
const GROUP_MS = 2000;
const FILE_MS = 1000;
