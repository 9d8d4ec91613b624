import type { FilePatch, Hunk, HunkLine } from './file-patch.ts';
import { malformed } from './patch-fault.ts';
import type { PatchLines } from './patch-lines.ts';
import { readFileHeader, startsFile } from './read-file-header.ts';

/**
 * Reads a unified diff, as git writes it or plain. Words before the first file are passed over; inside
 * nothing is guessed: a hunk has exactly the lines that its header counts.
 *
 * @throws `tool/invalid_arguments` naming the line of the patch.
 */
export function parsePatch(patch: string): readonly FilePatch[] {
  const reading: PatchLines = { lines: linesOf(patch), next: 0 };
  const files: FilePatch[] = [];
  while (reading.next < reading.lines.length) {
    if (startsFile(reading)) files.push(readFile(reading));
    else skipBetween(reading, files.length > 0);
  }
  if (files.length === 0) {
    throw malformed(1, 'it names no file; begin each with "--- a/path" and "+++ b/path".');
  }
  return files;
}

/** Bytes of the lines, without their line feeds. */
function linesOf(patch: string): readonly string[] {
  const lines = Buffer.from(patch).toString('latin1').split('\n');
  if (lines[lines.length - 1] === '') lines.pop();
  return lines;
}

function readFile(reading: PatchLines): FilePatch {
  const line = reading.next + 1;
  const header = readFileHeader(reading);
  const hunks: Hunk[] = [];
  while (reading.lines[reading.next]?.startsWith('@@') === true) hunks.push(readHunk(reading));
  if (hunks.length === 0 && !header.isComplete) {
    throw malformed(line, 'the file has no hunks; each begins with "@@ -1,3 +1,4 @@".');
  }
  const { oldPath, newPath, isCopy, isExecutable } = header;
  return { oldPath, newPath, isCopy, isExecutable, hunks, line };
}

/** Lines between two files. What looks like a line of a hunk would be lost, so it is refused. */
function skipBetween(reading: PatchLines, isInside: boolean): void {
  const line = reading.lines[reading.next++] ?? '';
  if (!isInside || !/^[-+ @\\]/.test(line) || /^-- ?\r?$/.test(line)) return;
  throw malformed(reading.next, 'the hunk before it has more lines than its header counts.');
}

function readHunk(reading: PatchLines): Hunk {
  const line = reading.next + 1;
  const match = HUNK_HEADER.exec(reading.lines[reading.next++] ?? '');
  if (match === null) throw malformed(line, 'a hunk begins with "@@ -1,3 +1,4 @@".');
  const [oldStart = 0, oldCount = 1, newStart = 0, newCount = 1] = match
    .slice(1, 5)
    .map((digits) => (digits === undefined ? undefined : Number(digits)));
  const lines = readHunkLines(reading, { line, oldCount, newCount });
  if (lines.every(({ kind }) => kind === ' ')) throw malformed(line, 'the hunk changes nothing.');
  return { oldStart, newStart, lines, line };
}

function readHunkLines(
  reading: PatchLines,
  header: { readonly line: number; readonly oldCount: number; readonly newCount: number },
): readonly HunkLine[] {
  const lines: HunkLine[] = [];
  let { oldCount, newCount } = header;
  while (oldCount > 0 || newCount > 0) {
    const raw = reading.lines[reading.next];
    const kind = raw === undefined ? null : kindOf(raw);
    if (raw === undefined || kind === null) {
      const missing = `${oldCount} old and ${newCount} new lines`;
      throw malformed(reading.next + 1, `the hunk at line ${header.line} lacks ${missing}.`);
    }
    if (kind !== '+') oldCount--;
    if (kind !== '-') newCount--;
    if (oldCount < 0 || newCount < 0) {
      throw malformed(reading.next + 1, `the hunk at line ${header.line} counts fewer such lines.`);
    }
    reading.next++;
    const isLast = reading.lines[reading.next]?.startsWith('\\') === true;
    if (isLast) reading.next++;
    const text = raw === '\r' ? raw : raw.slice(1);
    lines.push({ kind, text: isLast ? text : `${text}\n` });
  }
  return lines;
}

function kindOf(line: string): HunkLine['kind'] | null {
  // Mail programs and models drop the blank of an empty line.
  if (line === '' || line === '\r') return ' ';
  const [kind] = line;
  return kind === ' ' || kind === '-' || kind === '+' ? kind : null;
}

const HUNK_HEADER = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;
