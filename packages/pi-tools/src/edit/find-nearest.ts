import { looseText } from './text-view.ts';

/** What the file has where a text was probably meant. */
export type Nearest =
  /** The text is there but for its white space. */
  | { readonly kind: 'white-space'; readonly line: number; readonly lines: number }
  /** A stretch is there but for at least one line. */
  | {
      readonly kind: 'differs';
      readonly line: number;
      readonly differing: number;
      readonly begins: boolean;
    }
  /** One line has most words of the first one that is looked for. */
  | { readonly kind: 'similar'; readonly line: number };

/**
 * Finds the place in the lines of a file that looks most like a text that is not there; null for none.
 *
 * Lines are numbered from 0. The work grows with the length of the file alone, however often its lines
 * repeat.
 */
export function findNearest(lines: readonly string[], oldText: string): Nearest | null {
  const found = lines.map(squeeze);
  const all = oldText.split('\n').map(squeeze);
  const first = all.findIndex((line) => line !== '');
  if (first < 0) return null;
  const wanted = all.slice(first, all.findLastIndex((line) => line !== '') + 1);
  return (
    findStretch(found, wanted) ?? findInLine(found, wanted) ?? findSimilar(found, wanted[0] ?? '')
  );
}

/** Every line that is the same in both speaks for one place; the place with the longest lines wins. */
function findStretch(found: readonly string[], wanted: readonly string[]): Nearest | null {
  const indexes = new Map<string, number[]>();
  for (const [index, line] of wanted.entries()) {
    const same = indexes.get(line) ?? [];
    if (line !== '' && same.length < MAX_SAME) indexes.set(line, [...same, index]);
  }
  const votes = new Map<number, number>();
  let best = { start: 0, weight: MIN_WEIGHT - 1 };
  for (const [at, line] of found.entries()) {
    for (const index of indexes.get(line) ?? []) {
      const start = at - index;
      const weight = (votes.get(start) ?? 0) + Math.min(line.length, MAX_LINE_WEIGHT);
      votes.set(start, weight);
      if (weight > best.weight) best = { start, weight };
    }
  }
  if (best.weight < MIN_WEIGHT) return null;
  const differing = wanted.findIndex((line, index) => found[best.start + index] !== line);
  const line = Math.max(0, best.start);
  if (differing < 0) return { kind: 'white-space', line, lines: wanted.length };
  return { kind: 'differs', line, differing: best.start + differing, begins: differing > 0 };
}

function findInLine(found: readonly string[], wanted: readonly string[]): Nearest | null {
  const [only = ''] = wanted;
  if (wanted.length > 1) return null;
  const line = found.findIndex((one) => one.includes(only));
  return line < 0 ? null : { kind: 'white-space', line, lines: 1 };
}

function findSimilar(found: readonly string[], wanted: string): Nearest | null {
  const words = wordsOf(wanted);
  let best = { line: -1, share: MIN_SHARE };
  for (const [line, one] of found.entries()) {
    const others = wordsOf(one);
    let common = 0;
    for (const word of words) if (others.has(word)) common++;
    const share = (2 * common) / (words.size + others.size);
    if (share > best.share) best = { line, share };
  }
  return best.line < 0 ? null : { kind: 'similar', line: best.line };
}

function wordsOf(line: string): ReadonlySet<string> {
  return new Set(
    line
      .slice(0, MAX_COMPARED)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? [],
  );
}

function squeeze(line: string): string {
  const loose = PLAIN.test(line) ? line : looseText(line);
  return loose.replaceAll(/\s+/g, ' ').trim();
}

const PLAIN = /^[\t -~]*\r?$/;
const MAX_SAME = 8;
const MAX_LINE_WEIGHT = 40;
/** A bracket alone in a line says nothing. */
const MIN_WEIGHT = 3;
const MIN_SHARE = 0.5;
const MAX_COMPARED = 1000;
