import type { SourceLocation } from '../source-document.ts';

/** Answers where an offset of a text stands, as a person counts. */
export interface Positions {
  /** Line and column of a UTF-16 offset; only LF ends a line. */
  at(offset: number): SourceLocation;
}

/**
 * Prepares to answer positions of a text.
 *
 * The first question costs one pass over the text, every other one two binary searches: thousands
 * of diagnostics in one very long line stay cheap.
 */
export function createPositions(text: string): Positions {
  let lineStarts: readonly number[] | null = null;
  let secondHalves: readonly number[] = [];
  return {
    at(offset) {
      if (lineStarts === null) {
        lineStarts = [0, ...offsetsOf(text, /\n/g).map((end) => end + 1)];
        secondHalves = offsetsOf(text, /[\udc00-\udfff]/g);
      }
      const line = countUpTo(lineStarts, offset);
      const start = lineStarts[line - 1] ?? 0;
      const pairs = countUpTo(secondHalves, offset - 1) - countUpTo(secondHalves, start - 1);
      return { line, column: offset - start - pairs + 1 };
    },
  };
}

function offsetsOf(text: string, pattern: RegExp): number[] {
  return Array.from(text.matchAll(pattern), (match) => match.index);
}

/** How many of the ascending numbers are at most `limit`. */
function countUpTo(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
