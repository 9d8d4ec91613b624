import type { SourceLocation } from '../source-document.ts';

/** Answers where an offset of a text stands, as a person counts. */
export interface Positions {
  /** Line and column of a UTF-16 offset; only LF ends a line. */
  at(offset: number): SourceLocation;
}

/**
 * Prepares to answer positions of a text.
 *
 * The first few questions are answered by counting: a document with one fault has one. Past them one
 * pass marks the lines, and every other question costs two binary searches, so that thousands of
 * diagnostics in one very long line stay cheap.
 */
export function createPositions(text: string): Positions {
  let counted = 0;
  let marks: Marks | null = null;
  return {
    at(offset) {
      counted += 1;
      if (counted <= MAX_COUNTED) return countTo(text, offset);
      marks ??= markText(text);
      const { lineStarts, secondHalves } = marks;
      const line = countUpTo(lineStarts, offset);
      const start = lineStarts[line - 1] ?? 0;
      const pairs = countUpTo(secondHalves, offset - 1) - countUpTo(secondHalves, start - 1);
      return { line, column: offset - start - pairs + 1 };
    },
  };
}

function countTo(text: string, offset: number): SourceLocation {
  let line = 1;
  let start = 0;
  for (let at = 0; at < offset; at += 1) {
    if (text.charCodeAt(at) !== LINE_FEED) continue;
    line += 1;
    start = at + 1;
  }
  let column = 1;
  for (let at = start; at < offset; at += 1) {
    if (!isSecondHalf(text.charCodeAt(at))) column += 1;
  }
  return { line, column };
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
    if (code === LINE_FEED) lineStarts.push(at + 1);
    else if (isSecondHalf(code)) secondHalves.push(at);
  }
  return { lineStarts, secondHalves };
}

function isSecondHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
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

const MAX_COUNTED = 8;
const LINE_FEED = 0x0a;
