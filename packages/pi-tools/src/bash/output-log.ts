import { type FileHandle, open, rm } from 'node:fs/promises';
import { countFeeds } from '../count-feeds.ts';
import { MAX_BYTES, MAX_LINES } from '../truncate-text.ts';

/** What a command has written. */
export interface CommandOutput {
  /** The end of the output, at least twice what can be shown, also from inside of a line; all when it is short. */
  readonly tail: string;
  readonly totalLines: number;
  readonly totalBytes: number;
  /** Bytes of the last line, its line feed not counted. */
  readonly lastLineBytes: number;
  /** File with the whole output; null while the output is short, and where none can be written. */
  readonly logPath: string | null;
  /** Whether the file ends before the output does. */
  readonly isLogCapped: boolean;
}

/** Takes the output of one command in fixed memory; long output also goes to a file. */
export interface OutputLog {
  add(chunk: Buffer): Promise<void>;
  /** How many pieces have come. */
  pieces(): number;
  /** Whether a piece is being written down. */
  isBusy(): boolean;
  /** What there is so far. */
  soFar(): CommandOutput;
  /** Closes the file and gives what there is. */
  finish(): Promise<CommandOutput>;
}

/** Opens a log that writes to `path` once the output, or a line of it, is too long to be shown whole. */
export function openOutputLog(
  path: string,
  { maxLineBytes }: { readonly maxLineBytes: number },
): OutputLog {
  const tail = keepEnd();
  let head: Buffer[] | null = [];
  let file: FileHandle | null = null;
  let isFileBroken = false;
  let written = 0;
  let isCapped = false;
  let pieces = 0;
  let isBusy = false;
  let totalBytes = 0;
  let feeds = 0;
  let lastLineBytes = 0;
  let endsLine = true;
  let hasLongLine = false;

  return {
    pieces: () => pieces,
    isBusy: () => isBusy,
    async add(chunk) {
      pieces++;
      isBusy = true;
      totalBytes += chunk.length;
      count(chunk);
      tail.add(chunk);
      await store(chunk);
      isBusy = false;
    },
    soFar: () => describe({ isEnd: false }),
    async finish() {
      await file?.close();
      return describe({ isEnd: true });
    },
  };

  function describe({ isEnd }: { readonly isEnd: boolean }): CommandOutput {
    return {
      tail: tail.text({ isEnd }),
      totalLines: feeds + (endsLine ? 0 : 1),
      totalBytes,
      lastLineBytes,
      logPath: file !== null && !isFileBroken ? path : null,
      isLogCapped: isCapped,
    };
  }

  function count(chunk: Buffer): void {
    const before = endsLine ? 0 : lastLineBytes;
    const last = chunk.lastIndexOf(FEED);
    feeds += countFeeds(chunk);
    hasLongLine ||= hasLongerLine(chunk, before, maxLineBytes);
    endsLine = last === chunk.length - 1;
    if (last < 0) lastLineBytes = before + chunk.length;
    else if (!endsLine) lastLineBytes = chunk.length - last - 1;
    else {
      const previous = last === 0 ? -1 : chunk.lastIndexOf(FEED, last - 1);
      lastLineBytes = previous < 0 ? before + last : last - previous - 1;
    }
  }

  async function store(chunk: Buffer): Promise<void> {
    if (head !== null) {
      head.push(chunk);
      const isLong = totalBytes > MAX_BYTES || feeds + (endsLine ? 0 : 1) > MAX_LINES;
      if (!isLong && !hasLongLine) return;
    }
    const bytes = head === null ? chunk : Buffer.concat(head);
    head = null;
    if (isFileBroken || isCapped) return;
    try {
      file ??= await createLog(path);
      const room = MAX_LOG_BYTES - written;
      isCapped = bytes.length > room;
      await file.writeFile(isCapped ? bytes.subarray(0, room) : bytes);
      written += Math.min(bytes.length, room);
    } catch {
      // The command goes on without a log; its result then names none, and a full disk gets its room back.
      isFileBroken = true;
      await file?.close().catch(() => undefined);
      if (file !== null) await rm(path, { force: true }).catch(() => undefined);
    }
  }
}

/** Whether a line is longer than that, of which some bytes may have come before; few looks whatever the lines. */
function hasLongerLine(chunk: Buffer, before: number, maxBytes: number): boolean {
  for (let start = -before; start + maxBytes < chunk.length; ) {
    const feed = start + maxBytes < 0 ? -1 : chunk.lastIndexOf(FEED, start + maxBytes);
    if (feed < 0 || feed < start) return true;
    // All lines up to that line feed are short.
    start = feed + 1;
  }
  return false;
}

async function createLog(path: string): Promise<FileHandle> {
  // The name belongs to the call: what lies there is from an interrupted try of it.
  await rm(path, { force: true });
  return open(path, 'wx', 0o600);
}

/**
 * Keeps the end of some bytes, at least twice what can be shown. They are decoded when they are asked for:
 * what is never shown need not be.
 */
function keepEnd(): {
  add(chunk: Buffer): void;
  /** The text; before the end of all, without a character that is not there as a whole. */
  text(options: { readonly isEnd: boolean }): string;
} {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    add(chunk) {
      chunks.push(chunk);
      bytes += chunk.length;
      // Many small pieces are put together now and then, so that none of them costs more than its share.
      if (chunks.length > 64) chunks.splice(0, chunks.length, Buffer.concat(chunks));
      for (let first = chunks[0]; first !== undefined; first = chunks[0]) {
        if (bytes - first.length < 2 * MAX_BYTES) return;
        bytes -= first.length;
        chunks.shift();
      }
    },
    text: ({ isEnd }) => new TextDecoder().decode(Buffer.concat(chunks), { stream: !isEnd }),
  };
}

const FEED = 0x0a;
const MAX_LOG_BYTES = 64 * 1024 * 1024;
