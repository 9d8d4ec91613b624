import type { FilePatch } from './file-patch.ts';
import { malformed } from './patch-fault.ts';
import type { PatchLines } from './patch-lines.ts';
import { readQuoted } from './quoted-path.ts';

/** What the header of a file says. */
export interface FileHeader
  extends Pick<FilePatch, 'oldPath' | 'newPath' | 'isCopy' | 'isExecutable'> {
  /** Whether it says something even without hunks: a new or deleted file, a rename, a mode. */
  readonly isComplete: boolean;
}

/** Whether the next lines are the header of a file. Lines of hunks are never asked about. */
export function startsFile({ lines, next }: PatchLines): boolean {
  const line = lines[next] ?? '';
  if (line.startsWith('diff --git ')) return true;
  return line.startsWith('--- ') && lines[next + 1]?.startsWith('+++ ') === true;
}

/** Reads the header of a file, up to its first hunk. */
export function readFileHeader(reading: PatchLines): FileHeader {
  const start = reading.next + 1;
  const first = lineAt(reading);
  if (!first.startsWith('diff --git ')) {
    return settle(readNames(reading), { start, git: null, extended: NONE });
  }
  reading.next++;
  const git = readGitNames(first.slice('diff --git '.length), start);
  const extended = readExtended(reading);
  const named = lineAt(reading).startsWith('--- ') ? readNames(reading) : null;
  return settle(named, { start, git, extended });
}

/** The lines between `diff --git` and `---`. */
interface Extended {
  readonly from: string | null;
  readonly to: string | null;
  readonly isCopy: boolean;
  readonly newMode: string | null;
  readonly isNew: boolean;
  readonly isDeleted: boolean;
}

/** Names as the two lines `---` and `+++` give them; null stands for `/dev/null`. */
interface Names {
  readonly oldPath: string | null;
  readonly newPath: string | null;
}

function settle(
  named: Names | null,
  found: { readonly start: number; readonly git: string | null; readonly extended: Extended },
): FileHeader {
  const { start, git, extended } = found;
  const { from, to, isCopy, newMode, isNew, isDeleted } = extended;
  const oldPath = named === null ? (from ?? (isNew ? null : git)) : named.oldPath;
  const newPath = named === null ? (to ?? (isDeleted ? null : git)) : named.newPath;
  if (oldPath === null && newPath === null) throw malformed(start, 'the header names no file.');
  const contradicts =
    (from !== null && oldPath !== from) ||
    (to !== null && newPath !== to) ||
    (isNew && oldPath !== null) ||
    (isDeleted && newPath !== null) ||
    (from === null &&
      git !== null &&
      [oldPath, newPath].some((one) => one !== null && one !== git)) ||
    (from === null) !== (to === null);
  if (contradicts) throw malformed(start, 'the lines of the header name different files.');
  if (from === null && oldPath !== null && newPath !== null && oldPath !== newPath) {
    throw malformed(start, 'a file is renamed with "rename from" and "rename to".');
  }
  return {
    oldPath,
    newPath,
    isCopy,
    isExecutable: newMode === null ? null : newMode === '100755',
    isComplete: isNew || isDeleted || from !== null || newMode !== null,
  };
}

/** Null where the two names differ: then further lines say which they are. */
function readGitNames(text: string, line: number): string | null {
  // Every blank may be the one between the names, so the work grows with the square of the length.
  if (text.length > MAX_NAMES) throw malformed(line, 'the names are longer than paths can be.');
  const quoted = readQuoted(text);
  if (quoted !== null) {
    const other = readQuoted(quoted.rest.trimStart())?.path ?? quoted.rest.trimStart();
    return sameName(quoted.path, other);
  }
  // Names may hold blanks, so the place is sought at which both halves name the same.
  for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) {
    const rest = text.slice(at + 1);
    const name = sameName(text.slice(0, at), readQuoted(rest)?.path ?? rest);
    if (name !== null) return name;
  }
  if (text.includes(' ')) return null;
  throw malformed(line, 'two names follow "diff --git".');
}

function sameName(one: string, other: string): string | null {
  return withoutPrefix(one) === withoutPrefix(other) ? withoutPrefix(one) : null;
}

function readExtended(reading: PatchLines): Extended {
  let extended = NONE;
  for (;;) {
    const line = lineAt(reading);
    const number = reading.next + 1;
    if (/^(?:GIT binary patch|Binary files )/.test(line)) {
      throw malformed(number, 'changes of binary files are not applied.');
    }
    const known = HEADERS.find(([start]) => line.startsWith(start));
    if (known === undefined) return extended;
    extended = { ...extended, ...known[1](line.slice(known[0].length), number) };
    reading.next++;
  }
}

function readNames(reading: PatchLines): Names {
  const [oldLine, newLine] = [lineAt(reading), lineAt(reading, 1)];
  if (!newLine.startsWith('+++ ')) throw malformed(reading.next + 2, '"+++ " follows "--- ".');
  const oldPath = readName(oldLine.slice(4), reading.next + 1);
  const newPath = readName(newLine.slice(4), reading.next + 2);
  reading.next += 2;
  return { oldPath, newPath };
}

function readName(text: string, line: number): string | null {
  const quoted = readQuoted(text);
  // A time may follow behind a tab; a name with a tab would be quoted.
  const plain = text.includes('\t') ? text.slice(0, text.indexOf('\t')) : text.trimEnd();
  const name = quoted === null ? plain : quoted.path;
  if (name === '/dev/null') return null;
  const path = withoutPrefix(name);
  if (path === '') throw malformed(line, 'a path is missing.');
  return path;
}

function withoutPrefix(name: string): string {
  return /^[ab]\//.test(name) ? name.slice(2) : name;
}

function lineAt({ lines, next }: PatchLines, offset = 0): string {
  return (lines[next + offset] ?? '').replace(/\r$/, '');
}

function plainName(text: string): string {
  return readQuoted(text)?.path ?? text;
}

function readMode(mode: string, line: number): string {
  if (mode === '100644' || mode === '100755') return mode;
  throw malformed(line, 'only the modes 100644 and 100755 are applied, no links or modules.');
}

/** Two paths, of which each byte may be written as four. */
const MAX_NAMES = 2 * 4 * 4096;

const NONE: Extended = {
  from: null,
  to: null,
  isCopy: false,
  newMode: null,
  isNew: false,
  isDeleted: false,
};

const HEADERS: readonly (readonly [string, (rest: string, line: number) => Partial<Extended>])[] = [
  ['old mode ', (rest, line) => (readMode(rest, line), {})],
  ['new mode ', (rest, line) => ({ newMode: readMode(rest, line) })],
  ['deleted file mode ', (rest, line) => (readMode(rest, line), { isDeleted: true })],
  ['new file mode ', (rest, line) => ({ isNew: true, newMode: readMode(rest, line) })],
  ['rename from ', (rest) => ({ from: plainName(rest) })],
  ['rename to ', (rest) => ({ to: plainName(rest) })],
  ['copy from ', (rest) => ({ from: plainName(rest), isCopy: true })],
  ['copy to ', (rest) => ({ to: plainName(rest), isCopy: true })],
  ['similarity index ', () => ({})],
  ['dissimilarity index ', () => ({})],
  ['index ', () => ({})],
];
