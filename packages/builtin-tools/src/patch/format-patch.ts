import { isBinary } from '../files/bounded-text.ts';
import { compareLines } from './compare-lines.ts';
import { type Hunk, splitLines, toBytesText } from './file-patch.ts';
import { quotePath } from './quoted-path.ts';

/** One side of a change: a file as it was, or as it is. */
export interface FileSide {
  /** Its bytes; null where they were not kept: then the diff only says that they differ. */
  readonly bytes: Uint8Array | null;
  /** Permission bits. */
  readonly mode: number;
  /** Digest of the bytes, where it is known without them. */
  readonly sha256?: string;
}

/** How a file changed; null for a side on which there is none. */
export interface FileDifference {
  /** Path inside the workspace. */
  readonly path: string;
  readonly before: FileSide | null;
  readonly after: FileSide | null;
}

/** Writes changes as a unified diff that git applies; empty when nothing changed. Gives bytes. */
export function formatPatch(changes: readonly FileDifference[]): Buffer {
  return Buffer.from(changes.map(formatFile).join(''), 'latin1');
}

function formatFile({ path, before, after }: FileDifference): string {
  const name = toBytesText(Buffer.from(path));
  const names = `diff --git ${quotePath(`a/${name}`)} ${quotePath(`b/${name}`)}\n`;
  const modes = formatModes(before, after);
  const body = formatBody(name, { before, after });
  return modes === '' && body === '' ? '' : `${names}${modes}${body}`;
}

function formatModes(before: FileSide | null, after: FileSide | null): string {
  if (before === null) return after === null ? '' : `new file mode ${modeOf(after)}\n`;
  if (after === null) return `deleted file mode ${modeOf(before)}\n`;
  const [old, now] = [modeOf(before), modeOf(after)];
  return old === now ? '' : `old mode ${old}\nnew mode ${now}\n`;
}

function formatBody(
  name: string,
  { before, after }: Pick<FileDifference, 'before' | 'after'>,
): string {
  const oldName = before === null ? '/dev/null' : nameLine(`a/${name}`);
  const newName = after === null ? '/dev/null' : nameLine(`b/${name}`);
  if (
    [before, after].some((side) => side !== null && (side.bytes === null || isBinary(side.bytes)))
  ) {
    return isEqual(before, after)
      ? ''
      : `Binary files ${oldName.trimEnd()} and ${newName.trimEnd()} differ\n`;
  }
  const hunks = compareLines(linesOf(before), linesOf(after));
  if (hunks.length === 0) return '';
  return `--- ${oldName}\n+++ ${newName}\n${hunks.map(formatHunk).join('')}`;
}

/** Behind a name with blanks stands a tab, or its end would not be known. */
function nameLine(name: string): string {
  const quoted = quotePath(name);
  return quoted === name && name.includes(' ') ? `${name}\t` : quoted;
}

function formatHunk({ oldStart, newStart, lines }: Hunk): string {
  const count = (side: '-' | '+') => lines.filter(({ kind }) => kind !== side).length;
  const header = `@@ -${oldStart},${count('+')} +${newStart},${count('-')} @@\n`;
  const body = lines.map(({ kind, text }) =>
    text.endsWith('\n') ? `${kind}${text}` : `${kind}${text}\n\\ No newline at end of file\n`,
  );
  return header + body.join('');
}

function linesOf(side: FileSide | null): readonly string[] {
  return side?.bytes == null ? [] : splitLines(toBytesText(side.bytes));
}

function modeOf({ mode }: FileSide): string {
  return (mode & 0o100) === 0 ? '100644' : '100755';
}

function isEqual(one: FileSide | null, other: FileSide | null): boolean {
  if (one === null || other === null) return one === other;
  if (one.sha256 !== undefined && other.sha256 !== undefined) return one.sha256 === other.sha256;
  return one.bytes !== null && other.bytes !== null && Buffer.compare(one.bytes, other.bytes) === 0;
}
