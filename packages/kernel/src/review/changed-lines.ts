import { diffArrays } from 'diff';
import { linesOf, textOf } from './text-lines.ts';

/** The lines of a text that an earlier one does not have there; all of them where the two have little in common. */
export function changedLines(
  earlier: Uint8Array | null,
  bytes: Uint8Array,
): readonly (readonly [number, number])[] {
  const text = textOf(Buffer.from(bytes));
  if (text === null) return [];
  const lines = linesOf(text);
  const before = earlier === null ? '' : textOf(Buffer.from(earlier));
  const all: readonly (readonly [number, number])[] = lines.length === 0 ? [] : [[1, lines.length]];
  if (before === null || before === '') return all;
  const pieces = diffArrays([...linesOf(before)], [...lines], { maxEditLength: MOST_EDITS });
  if (pieces === undefined) return all;
  const changed: (readonly [number, number])[] = [];
  let line = 1;
  for (const { added, removed, count } of pieces) {
    if (removed) continue;
    if (added) changed.push([line, line + count - 1]);
    line += count;
  }
  return changed;
}

// The work grows with the square of this.
const MOST_EDITS = 1000;
