import { clipLine, splitLines } from '../truncate-text.ts';

/** What is looked for in every file. */
export interface TextSearch {
  readonly isMatch: (line: string) => boolean;
  /** Lines shown before and after each match. */
  readonly context: number;
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

/** Searches the lines of one text; at most `wanted` matches, windows of neighbours are one. */
export function searchText(
  text: string,
  search: TextSearch,
  file: { readonly name: string; readonly wanted: number },
): FileRows {
  const lines = splitLines(text).map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  const matching: number[] = [];
  let hasMore = false;
  for (const [index, line] of lines.entries()) {
    if (!search.isMatch(line)) continue;
    hasMore = matching.length === file.wanted;
    if (hasMore) break;
    matching.push(index);
  }
  const isMatching = new Set(matching);
  const rows: string[] = [];
  let isClipped = false;
  let next = 0;
  for (const match of matching) {
    const end = Math.min(lines.length - 1, match + search.context);
    for (let index = Math.max(next, match - search.context); index <= end; index++) {
      const line = lines[index] ?? '';
      const shown = clipLine(line, MAX_UNITS);
      isClipped ||= shown !== line;
      rows.push(
        isMatching.has(index)
          ? `${file.name}:${index + 1}: ${shown}`
          : `${file.name}-${index + 1}- ${shown}`,
      );
    }
    next = Math.max(next, end + 1);
  }
  return { rows, matches: matching.length, isClipped, hasMore };
}

const MAX_UNITS = 500;
