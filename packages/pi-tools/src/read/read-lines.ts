import { countFeeds } from '../count-feeds.ts';
import { givingWay } from '../giving-way.ts';
import { AT_ONCE_BYTES, type PlainFile, readPiece } from '../plain-file.ts';
import { toolFault } from '../tool-fault.ts';
import { MAX_BYTES } from '../truncate-text.ts';

/** Some lines of a file. */
export interface ReadLines {
  /** The lines with their endings, as in the file. */
  readonly text: string;
  readonly shownLines: number;
  /** Lines of the whole file; what follows the final line feed is none. */
  readonly totalLines: number;
  /** Whether the file ends with a line feed, or is empty. */
  readonly endsLine: boolean;
  /** Whether the lines end where the next would pass 50 KiB. */
  readonly isCutByBytes: boolean;
  /** Bytes of the first line when that alone is over 50 KiB; no lines are given then. */
  readonly oversizedFirstLine: number | null;
}

/** Reads some lines and counts the rest, in fixed memory whatever the size of the file. */
export async function readLines(
  file: PlainFile,
  wanted: { readonly skip: number; readonly maxLines: number; readonly signal: AbortSignal },
): Promise<ReadLines> {
  const window = openWindow(wanted.skip);
  const buffer = Buffer.allocUnsafe(AT_ONCE_BYTES);
  let totalBytes = 0;
  let feeds = 0;
  let endsLine = true;
  for (;;) {
    if (wanted.signal.aborted) throw toolFault('cancelled', 'Operation aborted');
    const count = await readPiece(file, buffer, totalBytes);
    if (count === 0) break;
    const chunk = buffer.subarray(0, count);
    const chunkFeeds = countFeeds(chunk);
    window.take(chunk, { before: feeds, within: chunkFeeds });
    feeds += chunkFeeds;
    endsLine = chunk[count - 1] === FEED;
    totalBytes += count;
    // The end of a long file is no reason to let everyone else wait.
    if (totalBytes % PAUSE_BYTES < count) await givingWay();
  }
  const shown = showLines(window, wanted.maxLines);
  return { ...shown, totalLines: feeds + (endsLine ? 0 : 1), endsLine };
}

/** What begins with the first line that is wanted, as far as it could be shown. */
interface Window {
  /** Takes the next bytes of the file, with the line feeds before and within them. */
  take(chunk: Buffer, feeds: { readonly before: number; readonly within: number }): void;
  bytes(): Buffer;
  /** Bytes of the first line, also beyond the window. */
  firstLineBytes(): number;
}

function openWindow(skip: number): Window {
  const bytes = Buffer.allocUnsafe(WINDOW_BYTES);
  let length = 0;
  let firstLineBytes = 0;
  let isFirstEnded = false;
  return {
    bytes: () => bytes.subarray(0, length),
    firstLineBytes: () => firstLineBytes,
    take(chunk, { before, within }) {
      if (isFirstEnded && length === WINDOW_BYTES) return;
      if (before + within < skip) return;
      let start = 0;
      for (let left = skip - before; left > 0; left--) start = chunk.indexOf(FEED, start) + 1;
      length += chunk.copy(bytes, length, start);
      if (isFirstEnded) return;
      const feed = chunk.indexOf(FEED, start);
      isFirstEnded = feed >= 0;
      firstLineBytes += (isFirstEnded ? feed : chunk.length) - start;
    },
  };
}

function showLines(
  window: Window,
  maxLines: number,
): Pick<ReadLines, 'text' | 'shownLines' | 'isCutByBytes' | 'oversizedFirstLine'> {
  const bytes = window.bytes();
  let end = 0;
  let shownLines = 0;
  let isCut = false;
  while (shownLines < maxLines && end < bytes.length) {
    const feed = bytes.indexOf(FEED, end);
    const lineEnd = feed < 0 ? bytes.length : feed;
    isCut = lineEnd > MAX_BYTES;
    if (isCut) break;
    shownLines++;
    end = feed < 0 ? bytes.length : feed + 1;
  }
  const isOversized = isCut && shownLines === 0;
  return {
    text: bytes.toString('utf8', 0, end),
    shownLines,
    isCutByBytes: isCut && !isOversized,
    oversizedFirstLine: isOversized ? window.firstLineBytes() : null,
  };
}

const FEED = 0x0a;
/** The last line that fits may have its line feed behind what fits. */
const WINDOW_BYTES = MAX_BYTES + 1;
const PAUSE_BYTES = 8 * 1024 * 1024;
