import { type Hunk, splitLines } from './file-patch.ts';
import { misfit } from './patch-fault.ts';

/**
 * Applies the hunks of one file to its text, as git does: every line must be as the patch says, but the
 * place may have moved; then the nearest one counts.
 *
 * @throws `tool/conflict` naming the hunk.
 */
export function applyHunks(text: string, hunks: readonly Hunk[], path: string): string {
  const image = splitLines(text).map((line) => ({ text: line, isNew: false }));
  if (image.length * hunks.length > MAX_COMPARISONS) {
    throw misfit(`${path} has ${image.length} lines, too many for ${hunks.length} hunks at once.`);
  }
  // Models send no carriage returns; a file that has them on every line keeps them.
  const isCrlf = image.length > 0 && image.every((line) => line.text.endsWith('\r\n'));
  for (const hunk of hunks) {
    const given = sidesOf(hunk);
    const at = findPlace(image, given, hunk);
    if (at !== null) {
      replace(image, at, given);
      continue;
    }
    const mended = isCrlf ? sidesOf(withCarriageReturns(hunk)) : null;
    const place = mended === null ? null : findPlace(image, mended, hunk);
    if (mended === null || place === null) throw unmatched(hunk, path);
    replace(image, place, mended);
  }
  return image.map((line) => line.text).join('');
}

interface ImageLine {
  readonly text: string;
  /** Whether an earlier hunk has put it there; it is not matched again. */
  readonly isNew: boolean;
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

function findPlace(image: readonly ImageLine[], sides: Sides, hunk: Hunk): number | null {
  const { before, trailing } = sides;
  if (before.length === 0) return placeWithoutContext(image, hunk);
  const start = hunk.newStart > 0 ? hunk.newStart - 1 : 0;
  const last = image.length - before.length;
  // A hunk from the first line on belongs to the beginning, one without lines behind it to the end.
  const isAtStart = hunk.oldStart <= 1;
  const isAtEnd = trailing === 0;
  if (isAtStart && matches(image, 0, before) && (!isAtEnd || last === 0)) return 0;
  if (isAtEnd && !isAtStart && matches(image, last, before)) return last;
  if (!isAtStart && !isAtEnd) return nearest(image, before, Math.min(start, image.length));
  return onlyPlace(image, before);
}

/** Added lines without anything around them have a place only in an empty file, or at an end of it. */
function placeWithoutContext(image: readonly ImageLine[], { oldStart }: Hunk): number | null {
  if (oldStart === 0) return 0;
  return oldStart === image.length ? image.length : null;
}

/** The place that is nearest to the stated one; of two at the same distance the later one, like git. */
function nearest(
  image: readonly ImageLine[],
  before: readonly string[],
  start: number,
): number | null {
  for (let distance = 0; distance <= image.length; distance++) {
    if (matches(image, start + distance, before)) return start + distance;
    if (matches(image, start - distance, before)) return start - distance;
  }
  return null;
}

/** Where the place that belongs to the hunk does not match: the one place that does, if there is only one. */
function onlyPlace(image: readonly ImageLine[], before: readonly string[]): number | null {
  let found: number | null = null;
  for (let at = 0; at + before.length <= image.length; at++) {
    if (!matches(image, at, before)) continue;
    if (found !== null) return null;
    found = at;
  }
  return found;
}

function matches(image: readonly ImageLine[], at: number, before: readonly string[]): boolean {
  if (at < 0 || at + before.length > image.length) return false;
  return before.every((text, index) => {
    const line = image[at + index];
    return line !== undefined && !line.isNew && line.text === text;
  });
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

/** Each hunk may be looked for in the whole file; this many take a few seconds. */
const MAX_COMPARISONS = 1_000_000_000;
