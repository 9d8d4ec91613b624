import { formatSize } from '../format-size.ts';
import { keepTail, MAX_BYTES, MAX_LINES } from '../truncate-text.ts';
import type { CommandOutput } from './output-log.ts';

/** Output for the model. */
export interface ShownOutput {
  /** The end of the output with a notice about what is missing; empty for no output. */
  readonly text: string;
  readonly isTruncated: boolean;
}

/** Shows the end of a command's output, with the place of the rest. */
export function describeOutput(output: CommandOutput): ShownOutput {
  const { tail, totalLines: total } = output;
  if (total <= MAX_LINES && output.totalBytes <= MAX_BYTES) {
    return { text: tail, isTruncated: false };
  }
  const kept = keepTail(tail);
  const body = kept.text.endsWith('\n') ? kept.text.slice(0, -1) : kept.text;
  const first = total - kept.shownLines + 1;
  const capped = output.isLogCapped ? ' (capped)' : '';
  const where = output.logPath === null ? '' : `. Full output: ${output.logPath}${capped}`;
  const notice = kept.isPartialLine
    ? `[Showing last ${formatSize(Buffer.byteLength(body))} of line ${total} (line is ${formatSize(output.lastLineBytes)})${where}]`
    : `[Showing lines ${first}-${total} of ${total}${kept.cutBy === 'lines' ? '' : ' (50.0KB limit)'}${where}]`;
  return { text: `${body}\n\n${notice}`, isTruncated: true };
}
