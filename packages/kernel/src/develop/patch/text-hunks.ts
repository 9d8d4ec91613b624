import { diffArrays } from 'diff';

/**
 * The hunks between two texts, with three lines around each change; empty when there are none.
 *
 * Where more than a few thousand lines are unlike, what differs is told as one change, so that the work stays bounded.
 */
export function textHunks(before: string, after: string): string {
  const lines = compare(linesOf(before), linesOf(after));
  let text = '';
  let oldLine = 1;
  let newLine = 1;
  for (let at = 0; at < lines.length; ) {
    let change = at;
    while (lines[change]?.mark === ' ') change++;
    if (change === lines.length) break;
    const start = Math.max(at, change - CONTEXT);
    const inside = lines.slice(start, endOfHunk(lines, change));
    oldLine += start - at;
    newLine += start - at;
    const oldCount = inside.filter(({ mark }) => mark !== '+').length;
    const newCount = inside.filter(({ mark }) => mark !== '-').length;
    text += `@@ -${range(oldLine, oldCount)} +${range(newLine, newCount)} @@\n`;
    text += inside.map(written).join('');
    oldLine += oldCount;
    newLine += newCount;
    at = start + inside.length;
  }
  return text;
}

interface Line {
  readonly mark: ' ' | '-' | '+';
  /** With its line feed, if it has one. */
  readonly text: string;
}

function written({ mark, text }: Line): string {
  return text.endsWith('\n') ? mark + text : `${mark}${text}\n\\ No newline at end of file\n`;
}

/** A range without lines names the line before it. */
function range(line: number, count: number): string {
  return `${count === 0 ? line - 1 : line},${count}`;
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => `${line}\n`);
  const last = lines.pop()?.slice(0, -1) ?? '';
  return last === '' ? lines : [...lines, last];
}

/** Behind the last change that is near enough to the one before, and its context. */
function endOfHunk(lines: readonly Line[], change: number): number {
  let last = change;
  for (let at = change; at < lines.length && at - last <= 2 * CONTEXT; at++) {
    if (lines[at]?.mark !== ' ') last = at;
  }
  return Math.min(lines.length, last + 1 + CONTEXT);
}

function compare(before: readonly string[], after: readonly string[]): readonly Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  const most = Math.min(before.length, after.length) - start;
  let end = 0;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const old = before.slice(start, before.length - end);
  const next = after.slice(start, after.length - end);
  const found =
    old.length === 0 || next.length === 0
      ? undefined
      : diffArrays(old, next, { maxEditLength: MAX_EDITS });
  const middle =
    found === undefined
      ? [...marked('-', old), ...marked('+', next)]
      : found.flatMap(({ value, added, removed }) =>
          marked(added ? '+' : removed ? '-' : ' ', value),
        );
  return [
    ...marked(' ', before.slice(0, start)),
    ...middle,
    ...marked(' ', before.slice(before.length - end)),
  ];
}

function marked(mark: Line['mark'], lines: readonly string[]): readonly Line[] {
  return lines.map((text) => ({ mark, text }));
}

const CONTEXT = 3;
const MAX_EDITS = 2000;
