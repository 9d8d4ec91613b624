import { type Hunk, splitLines } from './file-patch.ts';
import { misfit } from './patch-fault.ts';

/**
 * Applies the hunks of one file to its text, as git does: every line must be as the patch says, but the
 * place may have moved; then the nearest one counts.
 *
 * @throws `tool/conflict` naming the hunk.
 */
export function applyHunks(text: string, hunks: readonly Hunk[], path: string): string {
  const count = countLines(text);
  if (count > MAX_LINES) {
    throw misfit(`${path} has ${count} lines; patches are applied to at most ${MAX_LINES}.`);
  }
  const lines = splitLines(text).map((line) => ({ text: line, isNew: false }));
  const image: Image = { path, lines, left: MAX_COMPARISONS };
  // Models send no carriage returns; a file that has them on every line keeps them.
  const isCrlf = lines.length > 0 && lines.every((line) => line.text.endsWith('\r\n'));
  for (const hunk of hunks) {
    const given = sidesOf(hunk);
    const at = findPlace(image, given, hunk);
    if (at !== null) {
      replace(lines, at, given);
      continue;
    }
    const mended = isCrlf ? sidesOf(withCarriageReturns(hunk)) : null;
    const place = mended === null ? null : findPlace(image, mended, hunk);
    if (mended === null || place === null) throw unmatched(hunk, path);
    replace(lines, place, mended);
  }
  return lines.map((line) => line.text).join('');
}

interface ImageLine {
  readonly text: string;
  /** Whether an earlier hunk has put it there; it is not matched again. */
  readonly isNew: boolean;
}

interface Image {
  /** Of the file, for what is said about it. */
  readonly path: string;
  readonly lines: ImageLine[];
  /** Comparisons of two lines that may still be made. */
  left: number;
}

interface Sides {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly trailing: number;
}

function sidesOf({ lines }: Hunk): Sides {
  const pick = (side: '-' | '+') =>
    lines.filter(({ kind }) => kind !== side).map(({ text }) => text);
  const lastChange = lines.findLastIndex(({ kind }) => kind !== ' ');
  return { before: pick('+'), after: pick('-'), trailing: lines.length - 1 - lastChange };
}

function findPlace(image: Image, sides: Sides, hunk: Hunk): number | null {
  const { before, trailing } = sides;
  if (before.length === 0) return placeWithoutContext(image, hunk);
  const start = hunk.newStart > 0 ? hunk.newStart - 1 : 0;
  const last = image.lines.length - before.length;
  // A hunk from the first line on belongs to the beginning, one without lines behind it to the end.
  const isAtStart = hunk.oldStart <= 1;
  const isAtEnd = trailing === 0;
  if (isAtStart && matches(image, 0, before) && (!isAtEnd || last === 0)) return 0;
  if (isAtEnd && !isAtStart && matches(image, last, before)) return last;
  if (!isAtStart && !isAtEnd) return nearest(image, before, Math.min(start, image.lines.length));
  return onlyPlace(image, before);
}

/** Added lines without anything around them have a place only in an empty file, or at an end of it. */
function placeWithoutContext(image: Image, { oldStart }: Hunk): number | null {
  if (oldStart === 0) return 0;
  return oldStart === image.lines.length ? image.lines.length : null;
}

/** The place that is nearest to the stated one; of two at the same distance the later one, like git. */
function nearest(image: Image, before: readonly string[], start: number): number | null {
  for (let distance = 0; distance <= image.lines.length; distance++) {
    if (matches(image, start + distance, before)) return start + distance;
    if (matches(image, start - distance, before)) return start - distance;
  }
  return null;
}

/** Where the place that belongs to the hunk does not match: the one place that does, if there is only one. */
function onlyPlace(image: Image, before: readonly string[]): number | null {
  let found: number | null = null;
  for (let at = 0; at + before.length <= image.lines.length; at++) {
    if (!matches(image, at, before)) continue;
    if (found !== null) return null;
    found = at;
  }
  return found;
}

function matches(image: Image, at: number, before: readonly string[]): boolean {
  if (at < 0 || at + before.length > image.lines.length) return false;
  const unlike = before.findIndex((text, index) => {
    const line = image.lines[at + index];
    return line === undefined || line.isNew || line.text !== text;
  });
  // Counted as they are made: lines that are all alike are compared to the end at every place.
  image.left -= unlike < 0 ? before.length : unlike + 1;
  if (image.left >= 0) return unlike < 0;
  throw misfit(`the hunks for ${image.path} are too much work to place; send fewer at once.`);
}

function countLines(text: string): number {
  let count = 1;
  for (let feed = text.indexOf('\n'); feed >= 0; feed = text.indexOf('\n', feed + 1)) count++;
  return count;
}

function replace(image: ImageLine[], at: number, { before, after }: Sides): void {
  const added = after.map((text) => ({ text, isNew: true }));
  const last = added.splice(0, MAX_ARGUMENTS);
  image.splice(at, before.length, ...last);
  // A function takes only so many arguments, and a hunk may add any number of lines.
  for (let end = at + last.length; added.length > 0; end += MAX_ARGUMENTS) {
    image.splice(end, 0, ...added.splice(0, MAX_ARGUMENTS));
  }
}

function withCarriageReturns(hunk: Hunk): Hunk {
  return {
    ...hunk,
    lines: hunk.lines.map(({ kind, text }) => ({ kind, text: text.replace(/\r?\n$/, '\r\n') })),
  };
}

function unmatched({ line, oldStart, lines }: Hunk, path: string): Error {
  const first =
    lines
      .find(({ kind }) => kind !== '+')
      ?.text.trimEnd()
      .slice(0, 80) ?? '';
  const sought = Buffer.from(first, 'latin1').toString();
  return misfit(
    `the lines of the hunk at line ${line} of the patch are not in ${path} near line ${oldStart}${sought === '' ? '' : `, beginning with "${sought}"`}; read the file and make the patch anew.`,
  );
}

const MAX_ARGUMENTS = 10_000;

/** Each line is held by itself, which takes many times its bytes. */
const MAX_LINES = 2_000_000;

/** Each hunk may be looked for in the whole file; this many take a second or two. */
const MAX_COMPARISONS = 100_000_000;
