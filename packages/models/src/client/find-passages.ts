/** A stretch of a line. */
export interface Passage {
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
}

/**
 * The stretches of a short line that stand in other texts, at least so many characters of them at a time.
 *
 * Each character of the texts is looked at once, by a sum that rolls along: a failed request must not
 * cost its conversation times the length of the answer.
 */
export function findPassages(
  line: string,
  where: { readonly in: Iterable<string>; readonly chars: number },
): readonly Passage[] {
  const { chars } = where;
  if (line.length < chars) return [];
  const wanted = new Map<string, number[]>();
  /** How many windows are looked for by the end of their sum: most of a text has none. */
  const sums = new Uint16Array(SUMS);
  eachWindow(line, chars, (sum, at) => {
    const window = line.slice(at, at + chars);
    const places = wanted.get(window);
    if (places !== undefined) {
      places.push(at);
      return;
    }
    wanted.set(window, [at]);
    sums[sum & LAST_SUM] = (sums[sum & LAST_SUM] ?? 0) + 1;
  });
  const starts: number[] = [];
  for (const text of where.in) {
    eachWindow(text, chars, (sum, at) => {
      if (sums[sum & LAST_SUM] === 0) return;
      const window = text.slice(at, at + chars);
      const places = wanted.get(window);
      if (places === undefined) return;
      starts.push(...places);
      // Found once is enough.
      wanted.delete(window);
      sums[sum & LAST_SUM] = (sums[sum & LAST_SUM] ?? 1) - 1;
    });
  }
  return merged(
    starts.toSorted((a, b) => a - b),
    chars,
  );
}

function eachWindow(text: string, chars: number, take: (sum: number, at: number) => void): void {
  let leaving = 1;
  for (let count = 0; count < chars; count += 1) leaving = Math.imul(leaving, BASE);
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) {
    sum = (Math.imul(sum, BASE) + text.charCodeAt(at)) | 0;
    if (at >= chars) sum = (sum - Math.imul(leaving, text.charCodeAt(at - chars))) | 0;
    if (at >= chars - 1) take(sum, at - chars + 1);
  }
}

function merged(starts: readonly number[], chars: number): readonly Passage[] {
  const passages: { start: number; end: number }[] = [];
  for (const start of starts) {
    const last = passages.at(-1);
    if (last !== undefined && start <= last.end) last.end = start + chars;
    else passages.push({ start, end: start + chars });
  }
  return passages;
}

const BASE = 0x01000193;
const SUMS = 0x10000;
const LAST_SUM = SUMS - 1;
