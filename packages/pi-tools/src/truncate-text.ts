/** A text within the limits on what a model is shown. */
export interface Truncated {
  /** What is left; whole lines, without a final newline when something was cut. */
  readonly text: string;
  /** Which limit cut it; null when it is whole. */
  readonly cutBy: 'lines' | 'bytes' | null;
  /** Lines of the whole text. */
  readonly totalLines: number;
  /** Lines that are left. */
  readonly shownLines: number;
  /** Whether the one line that is left is itself cut. */
  readonly isPartialLine: boolean;
}

/** Keeps the beginning: for files and lists. Empty when the first line alone is over the limit. */
export function keepHead(text: string, limits: TextLimits = {}): Truncated {
  const { maxLines = MAX_LINES, maxBytes = MAX_BYTES } = limits;
  const lines = splitLines(text);
  if (fits(text, lines, { maxLines, maxBytes })) return whole(text, lines.length);
  let bytes = 0;
  let count = 0;
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + (count === 0 ? 0 : 1);
    if (bytes > maxBytes || count === maxLines) break;
    count++;
  }
  return {
    text: lines.slice(0, count).join('\n'),
    cutBy: bytes > maxBytes ? 'bytes' : 'lines',
    totalLines: lines.length,
    shownLines: count,
    isPartialLine: false,
  };
}

/** Keeps the end: for the output of processes. Cuts into the last line when that alone is over the limit. */
export function keepTail(text: string, limits: TextLimits = {}): Truncated {
  const { maxLines = MAX_LINES, maxBytes = MAX_BYTES } = limits;
  const lines = splitLines(text);
  if (fits(text, lines, { maxLines, maxBytes })) return whole(text, lines.length);
  let bytes = 0;
  let first = lines.length;
  while (first > 0 && lines.length - first < maxLines) {
    const added = Buffer.byteLength(lines[first - 1] ?? '') + (first === lines.length ? 0 : 1);
    if (bytes + added > maxBytes) break;
    bytes += added;
    first--;
  }
  const shownLines = lines.length - first;
  if (shownLines === 0) {
    const last = lines[lines.length - 1] ?? '';
    const end = endOf(last, maxBytes);
    return {
      text: end,
      cutBy: 'bytes',
      totalLines: lines.length,
      shownLines: 1,
      isPartialLine: true,
    };
  }
  return {
    text: lines.slice(first).join('\n'),
    cutBy: shownLines === maxLines ? 'lines' : 'bytes',
    totalLines: lines.length,
    shownLines,
    isPartialLine: false,
  };
}

/** Limits of one text. */
export interface TextLimits {
  readonly maxLines?: number;
  readonly maxBytes?: number;
}

/** Lines between line feeds; the empty piece after a final line feed is none. */
export function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines[lines.length - 1] === '') lines.pop();
  return lines;
}

/** The first `units` UTF-16 units of a line and a mark, never half a character. */
export function clipLine(line: string, units: number): string {
  if (line.length <= units) return line;
  const last = line.charCodeAt(units - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return `${line.slice(0, isHalf ? units - 1 : units)}... [truncated]`;
}

function fits(text: string, lines: readonly string[], limits: Required<TextLimits>): boolean {
  return lines.length <= limits.maxLines && Buffer.byteLength(text) <= limits.maxBytes;
}

function whole(text: string, lines: number): Truncated {
  return { text, cutBy: null, totalLines: lines, shownLines: lines, isPartialLine: false };
}

/** The last bytes of a text, moved forward to the start of a character. */
function endOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  let start = bytes.length - maxBytes;
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start).toString();
}

/** Lines that a model is shown of one result. */
export const MAX_LINES = 2000;

/** Bytes that a model is shown of one result. */
export const MAX_BYTES = 50 * 1024;
