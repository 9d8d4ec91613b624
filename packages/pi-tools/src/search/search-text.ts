import type { BytePath } from './byte-path.ts';
import { clipRow } from './clip-row.ts';
import type { LinePattern } from './compile-pattern.ts';
import { piWindows } from './pi-windows.ts';
import type { TextPiece } from './read-pieces.ts';

/** What is looked for in a file, and how it is shown. */
export interface TextSearch {
  readonly pattern: LinePattern;
  /** Lines shown before and after each match. */
  readonly context: number;
  /** Whether rows are those of Pi: a window per match, of the lines that Pi takes for such. */
  readonly showsAsPi: boolean;
}

/** Rows about one file. */
export interface FileRows {
  readonly rows: readonly string[];
  /** Matching lines among them. */
  readonly matches: number;
  /** Whether a row was cut to 500 characters. */
  readonly isClipped: boolean;
  /** Whether there are more matches than were wanted. */
  readonly hasMore: boolean;
}

/** A search in one file that is taken piece by piece. */
export interface FileSearch {
  /** Searches the next lines; false once no more are wanted. */
  take(piece: TextPiece): boolean;
  /** What was found so far; null when that is nothing. */
  found(): FileRows | null;
}

/** Begins a search in a file: at most `wanted` matches, and windows of neighbours are one. */
export function searchFile(
  search: TextSearch,
  file: { readonly path: BytePath; readonly name: string; readonly wanted: number },
): FileSearch {
  const { pattern, showsAsPi } = search;
  const hasPiWindows = showsAsPi && search.context > 0;
  const context = hasPiWindows ? 0 : Math.min(search.context, MAX_CONTEXT);
  const numbers: number[] = [];
  const rows: string[] = [];
  const before: string[] = [];
  let matches = 0;
  let number = 0;
  let after = 0;
  let isClipped = false;
  let hasMore = false;

  const show = (line: string, mark: string, at: number) => {
    const plain = line.replaceAll('\r', '');
    const shown = clipRow(plain, showsAsPi);
    isClipped ||= shown !== plain;
    rows.push(`${file.name}${mark}${at}${mark} ${shown}`);
  };
  const takeLine = (line: string, fits: boolean) => {
    number++;
    if (fits) {
      for (const [index, earlier] of before.entries()) {
        show(earlier, '-', number - before.length + index);
      }
      before.length = 0;
      show(line, ':', number);
      matches++;
      after = context;
      if (hasPiWindows) numbers.push(number);
    } else if (after > 0) {
      after--;
      show(line, '-', number);
    } else if (context > 0) {
      before.push(line.length > MAX_KEPT ? line.slice(0, MAX_KEPT) : line);
      if (before.length > context) before.shift();
    }
  };

  return {
    take: ({ text, isAscii }) => {
      const isHopeless = !pattern.mayFit(text, isAscii);
      for (let start = 0; start < text.length; ) {
        const feed = text.indexOf('\n', start);
        const end = feed < 0 ? text.length : feed;
        const line = text.slice(start, end);
        const fits = !isHopeless && pattern.fits(line, isAscii);
        hasMore ||= fits && matches === file.wanted;
        // What is around the last match is still to be shown.
        if (hasMore && after === 0) return false;
        takeLine(line, fits && !hasMore);
        start = end + 1;
      }
      return true;
    },
    found: () => {
      if (matches === 0 && !hasMore) return null;
      if (!hasPiWindows) return { rows, matches, isClipped, hasMore };
      return { ...piWindows(file, numbers, search.context), matches, hasMore };
    },
  };
}

const MAX_CONTEXT = 10_000;
/** More than can be shown, whatever of it is taken away. */
const MAX_KEPT = 4096;
