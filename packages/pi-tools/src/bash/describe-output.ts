import { formatSize } from '../format-size.ts';
import { keepTail, MAX_BYTES, MAX_LINES, splitLines } from '../truncate-text.ts';
import type { CommandOutput } from './output-log.ts';

/** Output for the model. */
export interface ShownOutput {
  /** The end of the output with a notice about what is missing; empty for no output. */
  readonly text: string;
  readonly isTruncated: boolean;
}

/** Shows the end of a command's output, and of its long lines, with the place of the rest. */
export function describeOutput(
  output: CommandOutput,
  { maxLineBytes }: { readonly maxLineBytes: number },
): ShownOutput {
  const isWhole = output.totalLines <= MAX_LINES && output.totalBytes <= MAX_BYTES;
  // No more than that can be shown, since no character has less than one byte.
  const kept = keepTail(isWhole ? output.tail : output.tail.slice(-MAX_BYTES - 2));
  const clipped = splitLines(kept.text).map((line) => clipStart(line, maxLineBytes));
  const isClipped = clipped.some(({ isCut }) => isCut);
  if (isWhole && !isClipped) return { text: output.tail, isTruncated: false };
  const body = clipped.map(({ text }) => text).join('\n');
  const said = [
    ...(isWhole ? [] : [whatIsShown(output, kept, body)]),
    ...(isClipped && !kept.isPartialLine
      ? [`Some lines truncated to their last ${formatSize(maxLineBytes)}`]
      : []),
    ...(output.logPath === null ? [] : [`Full output: ${output.logPath}${cappedNote(output)}`]),
  ];
  return { text: `${body}\n\n[${said.join('. ')}]`, isTruncated: true };
}

function whatIsShown(
  output: CommandOutput,
  kept: ReturnType<typeof keepTail>,
  body: string,
): string {
  const { totalLines: total } = output;
  if (kept.isPartialLine) {
    const shown = formatSize(Buffer.byteLength(body));
    return `Showing last ${shown} of line ${total} (line is ${formatSize(output.lastLineBytes)})`;
  }
  const first = total - kept.shownLines + 1;
  const limit = kept.cutBy === 'lines' ? '' : ' (50.0KB limit)';
  return `Showing lines ${first}-${total} of ${total}${limit}`;
}

function cappedNote(output: CommandOutput): string {
  return output.isLogCapped ? ' (capped)' : '';
}

/** The end of a line that is too long, from the start of a character. */
function clipStart(
  line: string,
  maxBytes: number,
): { readonly text: string; readonly isCut: boolean } {
  if (line.length <= maxBytes && Buffer.byteLength(line) <= maxBytes) {
    return { text: line, isCut: false };
  }
  const end = keepTail(line, { maxBytes });
  return { text: end.text, isCut: true };
}

/** Bytes of one line that are shown where lines are clipped. */
export const MAX_LINE_BYTES = 8 * 1024;
