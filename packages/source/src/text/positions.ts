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
  let marks: Marks | null = null;
  return {
    at(offset) {
      marks ??= markText(text);
      const { lineStarts, secondHalves } = marks;
      const line = countUpTo(lineStarts, offset);
      const start = lineStarts[line - 1] ?? 0;
      const pairs = countUpTo(secondHalves, offset - 1) - countUpTo(secondHalves, start - 1);
      return { line, column: offset - start - pairs + 1 };
    },
  };
}

interface Marks {
  /** Offsets at which lines begin. */
  readonly lineStarts: readonly number[];
  /** Offsets of low surrogates: code units that are no character of their own. */
  readonly secondHalves: readonly number[];
}

function markText(text: string): Marks {
  const lineStarts = [0];
  const secondHalves: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x0a) lineStarts.push(at + 1);
    else if (code >= 0xdc00 && code <= 0xdfff) secondHalves.push(at);
  }
  return { lineStarts, secondHalves };
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
