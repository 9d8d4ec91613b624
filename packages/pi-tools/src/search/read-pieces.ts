import { isAscii } from 'node:buffer';
import { closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { type BytePath, toSystemPath } from './byte-path.ts';

/** Whole lines of a file, in order. */
export interface TextPiece {
  readonly text: string;
  /** Whether every character is below 0x80. */
  readonly isAscii: boolean;
  /** Whether this is all of the file. */
  readonly isWhole: boolean;
}

/** How a file is read. */
export interface PieceOptions {
  /** A file that was named is read even if it looks binary. */
  readonly isNamed: boolean;
  /** Bytes without which a file that is UTF-8 is of no interest. */
  readonly required: Buffer;
}

/**
 * Reads a file for searching, in pieces of a megabyte. A file with a NUL early on is binary and has no
 * pieces; one with a NUL further on ends there.
 */
export function* readPieces(
  path: BytePath,
  options: PieceOptions,
): Generator<TextPiece, void, undefined> {
  const file = openFile(path, options);
  try {
    yield* piecesOf(file, options);
  } finally {
    closeSync(file);
  }
}

/**
 * Reads a file of less than a megabyte as {@link readPieces} does, only sooner: null for one without pieces,
 * and `long` for a longer one, which is not read to its end.
 */
export function readWhole(path: BytePath, options: PieceOptions): TextPiece | 'long' | null {
  const file = openFile(path, options);
  const window = { bytes: takeBuffer(), length: 0, isEnd: false };
  try {
    fill(window, file);
  } finally {
    closeSync(file);
    spare.buffer = window.bytes;
  }
  if (!window.isEnd) return 'long';
  const head = window.bytes.subarray(0, window.length);
  const encoding = encodingOf(head);
  if (encoding === 'utf8' && !isOfInterest(head, true, options)) return null;
  drop(window, markOf(head, encoding));
  if (encoding === 'utf8' && !options.isNamed) cutAtNul(window);
  if (window.length === 0) return null;
  return { ...decode(window.bytes.subarray(0, window.length), encoding), isWhole: true };
}

function openFile(path: BytePath, { isNamed }: PieceOptions): number {
  const place = toSystemPath(path);
  if (isNamed && !statSync(place).isFile()) throw new Error('not a regular file');
  // Whatever takes the name after the look must not hold this thread until something writes to it.
  return openSync(place, constants.O_RDONLY | constants.O_NONBLOCK);
}

function* piecesOf(file: number, options: PieceOptions): Generator<TextPiece, void, undefined> {
  const window = { bytes: takeBuffer(), length: 0, isEnd: false };
  try {
    fill(window, file);
    const head = window.bytes.subarray(0, window.length);
    const encoding = encodingOf(head);
    if (encoding === 'utf8' && !isOfInterest(head, window.isEnd, options)) return;
    const stopsAtNul = encoding === 'utf8' && !options.isNamed;
    drop(window, markOf(head, encoding));
    let isWhole = window.isEnd;
    for (;;) {
      if (stopsAtNul) cutAtNul(window);
      const end = window.isEnd ? window.length : endOfLines(window, encoding);
      if (end > 0) yield { ...decode(window.bytes.subarray(0, end), encoding), isWhole };
      isWhole = false;
      if (window.isEnd) return;
      drop(window, end);
      if (window.length === window.bytes.length && !grow(window)) {
        // A line longer than that is looked at as far as it goes.
        yield { ...decode(window.bytes, encoding), isWhole };
        skipLine(window, file, encoding);
      }
      fill(window, file);
    }
  } finally {
    if (window.bytes.length === PIECE_BYTES) spare.buffer = window.bytes;
  }
}

/** The part of a file that is in memory. */
interface Window {
  bytes: Buffer;
  length: number;
  isEnd: boolean;
}

type Encoding = 'utf8' | 'utf-16le' | 'utf-16be';

function takeBuffer(): Buffer {
  const buffer = spare.buffer ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
  spare.buffer = null;
  return buffer;
}

function fill(window: Window, file: number): void {
  while (window.length < window.bytes.length) {
    const { bytes, length } = window;
    const room = bytes.length - length;
    const count = readSync(file, bytes, length, room, null);
    window.length += count;
    // Files of the system come in pages; of every other file less than asked for is the end.
    window.isEnd = count === 0 || (count < room && count % PAGE_BYTES !== 0);
    if (window.isEnd) return;
  }
}

function drop(window: Window, count: number): void {
  if (count === 0) return;
  window.bytes.copyWithin(0, count, window.length);
  window.length -= count;
}

function grow(window: Window): boolean {
  if (window.bytes.length >= MAX_LINE_BYTES) return false;
  const larger = Buffer.allocUnsafeSlow(window.bytes.length * 2);
  window.bytes.copy(larger, 0, 0, window.length);
  window.bytes = larger;
  return true;
}

function skipLine(window: Window, file: number, encoding: Encoding): void {
  for (;;) {
    window.length = 0;
    fill(window, file);
    const end = endOfLine(window, encoding);
    if (end > 0 || window.isEnd) {
      drop(window, end > 0 ? end : window.length);
      return;
    }
  }
}

function cutAtNul(window: Window): void {
  const nul = window.bytes.subarray(0, window.length).indexOf(0);
  if (nul < 0) return;
  // The line that the NUL is in is none that can be shown.
  window.length = window.bytes.subarray(0, nul).lastIndexOf(LINE_FEED) + 1;
  window.isEnd = true;
}

function isOfInterest(head: Buffer, isEnd: boolean, options: PieceOptions): boolean {
  const { isNamed, required } = options;
  if (isEnd && required.length > 0 && !head.includes(required)) return false;
  return isNamed || !head.subarray(0, SNIFFED_BYTES).includes(0);
}

/** Behind the last line feed; 0 without one. */
function endOfLines({ bytes, length }: Window, encoding: Encoding): number {
  const filled = bytes.subarray(0, length);
  if (encoding === 'utf8') return filled.lastIndexOf(LINE_FEED) + 1;
  const feed = FEEDS[encoding];
  let at = filled.lastIndexOf(feed);
  while (at > 0 && at % 2 === 1) at = filled.lastIndexOf(feed, at - 1);
  return at < 0 ? 0 : at + 2;
}

/** Behind the first line feed; 0 without one. */
function endOfLine({ bytes, length }: Window, encoding: Encoding): number {
  const filled = bytes.subarray(0, length);
  if (encoding === 'utf8') return filled.indexOf(LINE_FEED) + 1;
  const feed = FEEDS[encoding];
  let at = filled.indexOf(feed);
  while (at >= 0 && at % 2 === 1) at = filled.indexOf(feed, at + 1);
  return at < 0 ? 0 : at + 2;
}

function encodingOf(head: Buffer): Encoding {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : 'utf8';
}

/** Bytes of the mark at the beginning that says how the text is encoded. */
function markOf(head: Buffer, encoding: Encoding): number {
  if (encoding !== 'utf8') return 2;
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
}

function decode(bytes: Buffer, encoding: Encoding): { text: string; isAscii: boolean } {
  if (encoding !== 'utf8') return { text: new TextDecoder(encoding).decode(bytes), isAscii: false };
  return isAscii(bytes)
    ? { text: bytes.toString('latin1'), isAscii: true }
    : { text: bytes.toString('utf8'), isAscii: false };
}

const spare: { buffer: Buffer | null } = { buffer: null };
const LINE_FEED = 0x0a;
const FEEDS = { 'utf-16le': Buffer.from([0x0a, 0]), 'utf-16be': Buffer.from([0, 0x0a]) };
const PIECE_BYTES = 1024 * 1024;
const MAX_LINE_BYTES = 16 * PIECE_BYTES;
const PAGE_BYTES = 4096;
/** As much as ripgrep looks at. */
const SNIFFED_BYTES = 65_536;
