import { diffArrays } from 'diff';
import type { Hunk, HunkLine } from './file-patch.ts';

/**
 * The hunks between two texts, with three lines around each change.
 *
 * Where the texts have more than a few thousand lines without likeness, what differs is shown as one
 * change, so that the work stays bounded.
 */
export function compareLines(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  const lines = compare(before, after);
  const hunks: Hunk[] = [];
  let oldLine = 1;
  let newLine = 1;
  for (let at = 0; at < lines.length; ) {
    let change = at;
    while (change < lines.length && lines[change]?.kind === ' ') change++;
    if (change === lines.length) break;
    const start = Math.max(at, change - CONTEXT);
    const end = endOfHunk(lines, change);
    const skipped = start - at;
    const inside = lines.slice(start, end);
    const oldCount = inside.filter(({ kind }) => kind !== '+').length;
    const newCount = inside.filter(({ kind }) => kind !== '-').length;
    oldLine += skipped;
    newLine += skipped;
    hunks.push({
      oldStart: oldCount === 0 ? oldLine - 1 : oldLine,
      newStart: newCount === 0 ? newLine - 1 : newLine,
      lines: inside,
      line: 0,
    });
    oldLine += oldCount;
    newLine += newCount;
    at = end;
  }
  return hunks;
}

/** Behind the last change that is near enough to the one before, and its context. */
function endOfHunk(lines: readonly HunkLine[], change: number): number {
  let last = change;
  for (let at = change; at < lines.length && at - last <= 2 * CONTEXT; at++) {
    if (lines[at]?.kind !== ' ') last = at;
  }
  return Math.min(lines.length, last + 1 + CONTEXT);
}

function compare(before: readonly string[], after: readonly string[]): readonly HunkLine[] {
  const start = sharedStart(before, after);
  const shared = sharedEnd(before, after, start);
  const [oldMiddle, newMiddle] = [
    before.slice(start, before.length - shared),
    after.slice(start, after.length - shared),
  ];
  return [
    ...before.slice(0, start).map(kept),
    ...compareMiddle(oldMiddle, newMiddle),
    ...before.slice(before.length - shared).map(kept),
  ];
}

function compareMiddle(before: readonly string[], after: readonly string[]): readonly HunkLine[] {
  const isOneSided = before.length === 0 || after.length === 0;
  const found = isOneSided
    ? undefined
    : diffArrays([...before], [...after], { maxEditLength: MAX_EDITS });
  if (found === undefined) {
    return [
      ...before.map((text) => ({ kind: '-' as const, text })),
      ...after.map((text) => ({ kind: '+' as const, text })),
    ];
  }
  return found.flatMap(({ value, added, removed }) => {
    const kind = added ? '+' : removed ? '-' : ' ';
    return value.map((text) => ({ kind, text }) as const);
  });
}

function kept(text: string): HunkLine {
  return { kind: ' ', text };
}

function sharedStart(before: readonly string[], after: readonly string[]): number {
  let length = 0;
  while (length < before.length && length < after.length && before[length] === after[length]) {
    length++;
  }
  return length;
}

function sharedEnd(before: readonly string[], after: readonly string[], start: number): number {
  const most = Math.min(before.length, after.length) - start;
  let length = 0;
  while (length < most && before[before.length - 1 - length] === after[after.length - 1 - length]) {
    length++;
  }
  return length;
}

const CONTEXT = 3;
const MAX_EDITS = 2000;
