import { type Glyph, glyphsOf } from './plain-text.ts';

/** Lines of a source, read by the columns of spans. */
export interface GlyphLines {
  /** How many lines there are. */
  readonly count: number;
  /** Characters of a line, which is counted from 1; 0 where there is no such line. */
  readonly lengthOf: (line: number) => number;
  /** The characters of a line from one index to another, which is not included. */
  readonly slice: (line: number, from: number, to: number) => readonly Glyph[];
}

/**
 * Reads parts of lines at the cost of the part.
 *
 * A document on one line may be a megabyte and bear a hundred diagnostics, so each line is gone through at most once.
 */
export function glyphLines(lines: readonly string[]): GlyphLines {
  const known = new Map<number, LineIndex>();
  const textOf = (line: number) => lines[line - 1] ?? '';
  const indexOf = (line: number) => {
    const before = known.get(line);
    if (before !== undefined) return before;
    const index = lineIndex(textOf(line));
    known.set(line, index);
    return index;
  };
  return {
    count: lines.length,
    lengthOf: (line) => indexOf(line).length,
    slice: (line, from, to) => {
      const index = indexOf(line);
      const size = Math.min(to, index.length) - from;
      if (size <= 0) return [];
      const text = textOf(line);
      const start = offsetOf(text, index, from);
      // A code point is one unit or two, so what is cut in two here lies behind what is asked for.
      return glyphsOf(text.slice(start, start + 2 * size)).slice(0, size);
    },
  };
}

/** How the characters of a line lie among its code units. */
interface LineIndex {
  readonly length: number;
  /** Offset of every 256th character; empty where each character is one unit. */
  readonly offsets: readonly number[];
}

function lineIndex(text: string): LineIndex {
  if (!PAIR.test(text)) return { length: text.length, offsets: [] };
  const offsets: number[] = [];
  let length = 0;
  for (let offset = 0; offset < text.length; offset += widthAt(text, offset)) {
    if (length % STEP === 0) offsets.push(offset);
    length++;
  }
  return { length, offsets };
}

function offsetOf(text: string, { offsets }: LineIndex, column: number): number {
  if (offsets.length === 0) return column;
  let offset = offsets[Math.floor(column / STEP)] ?? 0;
  for (let left = column % STEP; left > 0; left--) offset += widthAt(text, offset);
  return offset;
}

function widthAt(text: string, offset: number): number {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
}

const STEP = 256;
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/;
