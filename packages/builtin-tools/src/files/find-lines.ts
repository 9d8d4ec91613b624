import type { OpenedFile } from '../paths/open-file.ts';
import { isBinary } from './bounded-text.ts';
import { endOfWord, startOfWord } from './token-cut.ts';

/** A line that contains the text. */
export interface FoundLine {
  /** Number of the line, from 1. */
  readonly line: number;
  /** At most 512 characters of the line, with the text among them. */
  readonly snippet: string;
}

/**
 * Finds the lines of a file that contain a text, reading piece by piece. Of a line longer than 1 MiB only
 * the beginning is searched. Null for a file that is binary or larger than 64 MiB.
 */
export async function findLines(
  file: OpenedFile,
  search: { readonly query: Buffer; readonly limit: number; readonly signal: AbortSignal },
): Promise<readonly FoundLine[] | null> {
  const { size } = file.stats;
  if (size > MAX_BYTES) return null;
  const { query, limit, signal } = search;
  const found: FoundLine[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let isInLongLine = false;
  let line = 1;
  // What lies behind the size at the opening came later, and would never end in a file that grows.
  for (let position = 0; position < size && found.length < limit; ) {
    signal.throwIfAborted();
    const piece = await file.read(position, Math.min(PIECE, size - position));
    if (piece.length === 0) break;
    if (position === 0 && isBinary(piece)) return null;
    position += piece.length;
    // Behind the beginning of a long line its end is left out, or the two would meet as one text.
    const next: Piece = isInLongLine
      ? behindLine(piece, position < size)
      : { bytes: piece, isWithin: false };
    const text = rest.length === 0 ? next.bytes : Buffer.concat([rest, next.bytes]);
    const end = position < size ? text.lastIndexOf(FEED) + 1 : text.length;
    line = searchPiece(text.subarray(0, end), { query, limit, line, found });
    rest = text.subarray(end, end + MAX_LINE);
    isInLongLine = next.isWithin || text.length - end > MAX_LINE;
  }
  return found;
}

interface Piece {
  readonly bytes: Buffer;
  /** Whether it goes on with a line of which the beginning is all that is searched. */
  readonly isWithin: boolean;
}

/** What comes after the line that a piece begins in, with the feed of that line. */
function behindLine(piece: Buffer, hasMore: boolean): Piece {
  const feed = piece.indexOf(FEED);
  return feed < 0
    ? { bytes: piece.subarray(0, 0), isWithin: hasMore }
    : { bytes: piece.subarray(feed), isWithin: false };
}

/** Searches whole lines; returns the number of the line that follows. */
function searchPiece(
  text: Buffer,
  search: {
    readonly query: Buffer;
    readonly limit: number;
    readonly line: number;
    readonly found: FoundLine[];
  },
): number {
  const { query, limit, found } = search;
  let line = search.line;
  let counted = 0;
  for (let at = text.indexOf(query); at >= 0 && found.length < limit; ) {
    line += countFeeds(text, counted, at);
    const start = text.lastIndexOf(FEED, at) + 1;
    const feed = text.indexOf(FEED, at);
    const end = feed < 0 ? text.length : feed;
    found.push({ line, snippet: snippetOf(text.subarray(start, end), at - start) });
    counted = end;
    at = text.indexOf(query, end);
  }
  return line + countFeeds(text, counted, text.length);
}

/** The beginning of the line, or, where the text would not show, the part around it. */
function snippetOf(line: Buffer, at: number): string {
  const start = at < SNIPPET ? 0 : Math.min(at, startOfWord(line, afterCharacter(line, at - 100)));
  // A character takes at most four bytes.
  const rest = line.subarray(start, start + 4 * SNIPPET).toString();
  const text = Array.from(rest.replace(/\r$/, '')).slice(0, SNIPPET).join('');
  const bytes = line.subarray(start);
  const end = endOfWord(bytes, Buffer.byteLength(text));
  // A match that is longer than the snippet is cut all the same.
  return end > at - start ? bytes.subarray(0, end).toString().replace(/\r$/, '') : text;
}

/** The next place that is not inside a character. */
function afterCharacter(line: Buffer, at: number): number {
  let start = at;
  while (start < line.length && ((line[start] ?? 0) & 0xc0) === 0x80) start++;
  return start;
}

function countFeeds(text: Buffer, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf(FEED, start); at >= 0 && at < end; at = text.indexOf(FEED, at + 1)) {
    count++;
  }
  return count;
}

const FEED = 0x0a;
const PIECE = 65_536;
const SNIPPET = 512;
const MAX_LINE = 1_048_576;
const MAX_BYTES = 64 * 1024 * 1024;
