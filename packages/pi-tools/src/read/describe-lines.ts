import type { ToolResult } from '@millforge/contracts';
import { formatSize } from '../format-size.ts';
import type { ProfileSwitches } from '../profile.ts';
import { toolFault } from '../tool-fault.ts';
import { MAX_BYTES } from '../truncate-text.ts';
import type { ReadLines } from './read-lines.ts';

/** What was asked of a file. */
export interface AskedLines {
  /** Lines to leave out, as they were read. */
  readonly skip: number;
  /** Number of the first line as the model wrote it. */
  readonly offset: number;
  /** Number of lines; null for all. */
  readonly limit: number | null;
  /** The path as the model wrote it. */
  readonly sent: string;
}

/** Words what was read, with the notice that says where to go on. */
export function describeLines(
  lines: ReadLines,
  asked: AskedLines,
  profile: ProfileSwitches,
): ToolResult {
  // What follows a final line feed is a line of its own to Pi.
  const isCounted = lines.endsLine && !profile.countsWholeLines;
  const total = lines.totalLines + (isCounted ? 1 : 0);
  if (asked.skip > 0 && asked.skip >= total) {
    throw toolFault(
      'invalid_arguments',
      `Offset ${asked.offset} is beyond end of file (${total} lines total)`,
    );
  }
  const first = asked.skip + 1;
  if (lines.oversizedFirstLine !== null) {
    const size = formatSize(lines.oversizedFirstLine);
    const path = profile.quotesHints ? shellQuote(asked.sent) : asked.sent;
    const hint = `sed -n '${first}p' ${path} | head -c 51200`;
    return done(`[Line ${first} is ${size}, exceeds 50.0KB limit. Use bash: ${hint}]`, true);
  }
  const last = asked.skip + lines.shownLines;
  const kept = lines.text.endsWith('\n') ? lines.text.slice(0, -1) : lines.text;
  const limit = asked.limit ?? total;
  if (lines.isCutByBytes) {
    return showing(kept, { first, last, total, size: ' (50.0KB limit)' });
  }
  // The line feed behind the last line that fits counts, too.
  const isOver = isCounted && limit > lines.shownLines && Buffer.byteLength(lines.text) > MAX_BYTES;
  if (isOver) return showing(kept, { first, last, total, size: '' });
  const end = Math.min(asked.skip + limit, total);
  if (last < Math.min(end, lines.totalLines)) {
    return showing(kept, { first, last, total, size: '' });
  }
  if (end >= total) return done(lines.text, false);
  const notice = `[${total - end} more lines in file. Use offset=${end + 1} to continue.]`;
  return done(`${kept}\n\n${notice}`, false);
}

function showing(
  kept: string,
  lines: {
    readonly first: number;
    readonly last: number;
    readonly total: number;
    readonly size: string;
  },
): ToolResult {
  const { first, last, total, size } = lines;
  const notice = `[Showing lines ${first}-${last} of ${total}${size}. Use offset=${last + 1} to continue.]`;
  return done(`${kept}\n\n${notice}`, true);
}

function done(text: string, truncated: boolean): ToolResult {
  return { kind: 'done', text, truncated, data: { truncated } };
}

function shellQuote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
