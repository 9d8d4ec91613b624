import type { FileHandle } from 'node:fs/promises';
import { toolFault } from '../tool-fault.ts';
import { MAX_BYTES } from '../truncate-text.ts';
import { countFeeds } from './count-feeds.ts';

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
  file: FileHandle,
  wanted: { readonly skip: number; readonly maxLines: number; readonly signal: AbortSignal },
): Promise<ReadLines> {
  const { skip, maxLines, signal } = wanted;
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let shownLines = 0;
  let isFull = false;
  let oversized: number | null = null;
  // The line in progress: its number from 0, its bytes, and its pieces as far as they may be shown.
  let line = 0;
  let lineBytes = 0;
  let pieces: Buffer[] = [];

  const endLine = (ending: number): void => {
    const isShown = line >= skip && shownLines < maxLines && !isFull;
    if (isShown && keptBytes + lineBytes > MAX_BYTES) {
      isFull = true;
      if (shownLines === 0) oversized = lineBytes;
    } else if (isShown) {
      kept.push(...pieces);
      keptBytes += lineBytes + ending;
      shownLines++;
    }
    line++;
    lineBytes = 0;
    pieces = [];
  };
  // Whether something to be shown lies in the chunk at hand.
  let isHeld = false;
  const takeHeld = () => {
    const was = isHeld;
    isHeld = false;
    return was;
  };
  for await (const chunk of chunksOf(file, takeHeld, signal)) {
    let at = 0;
    while (at < chunk.length) {
      if (line >= skip && (isFull || shownLines >= maxLines)) {
        const feeds = countFeeds(chunk, at);
        const last = chunk.lastIndexOf(0x0a) + 1;
        line += feeds;
        lineBytes = feeds === 0 ? lineBytes + chunk.length - at : chunk.length - last;
        break;
      }
      const feed = chunk.indexOf(0x0a, at);
      const end = feed < 0 ? chunk.length : feed;
      const mayShow = line >= skip && shownLines < maxLines && !isFull;
      lineBytes += end - at;
      if (mayShow && keptBytes + lineBytes <= MAX_BYTES) {
        pieces.push(chunk.subarray(at, feed < 0 ? end : feed + 1));
        isHeld = true;
      }
      at = end;
      if (feed < 0) continue;
      at = feed + 1;
      endLine(1);
    }
  }
  const endsLine = lineBytes === 0;
  if (!endsLine) endLine(0);
  return {
    text: Buffer.concat(kept).toString('utf8'),
    shownLines,
    totalLines: line,
    endsLine,
    isCutByBytes: isFull && oversized === null,
    oversizedFirstLine: oversized,
  };
}

async function* chunksOf(
  file: FileHandle,
  takeHeld: () => boolean,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; ; ) {
    if (signal.aborted) throw toolFault('cancelled', 'Operation aborted');
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
    // What is to be shown still lies in the old one.
    if (takeHeld()) buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  }
}

const CHUNK_BYTES = 256 * 1024;
