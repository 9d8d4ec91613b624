/**
 * Prepares a search for the known name that a wrong one was probably meant to be.
 *
 * The search answers null where no name is near enough. It gives up after 64 different questions:
 * a report shows little more, and a hostile document may ask thousands.
 */
export function nearestName(known: Iterable<string>): (wrong: string) => string | null {
  const names = [...new Set(known)].toSorted();
  const answers = new Map<string, string | null>();
  return (wrong) => {
    const before = answers.get(wrong);
    if (before !== undefined) return before;
    if (answers.size >= MAX_QUESTIONS) return null;
    const answer = search(wrong, names);
    answers.set(wrong, answer);
    return answer;
  };
}

/** Words a hint around the nearest name; empty where there is none. */
export function didYouMean(name: string | null): string {
  return name === null ? '' : `Did you mean '${name}'?`;
}

/** Names as an author reads them, a long list cut. */
export function quoted(names: readonly string[]): string {
  const shown = names.slice(0, MAX_SHOWN).map((name) => `'${name}'`);
  const more = names.length - shown.length;
  return more === 0 ? joined(shown) : `${shown.join(', ')} and ${more} more`;
}

const MAX_QUESTIONS = 64;
const MAX_SHOWN = 5;

function joined(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

function search(wrong: string, names: readonly string[]): string | null {
  // A third of the letters may differ; past that a guess misleads more than it helps.
  let bound = Math.min(3, Math.floor(wrong.length / 3));
  let nearest: string | null = null;
  if (bound < 1) return null;
  for (const name of names) {
    if (name === wrong) continue;
    const distance = editDistance(wrong, name, bound);
    if (distance > bound) continue;
    nearest = name;
    bound = distance - 1;
    if (bound < 1) break;
  }
  return nearest;
}

/** Insertions, deletions, replacements and swaps of neighbours; more than the bound is not counted out. */
function editDistance(left: string, right: string, bound: number): number {
  if (Math.abs(left.length - right.length) > bound) return bound + 1;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current: number[] = [row];
    let lowest = row;
    for (let column = 1; column <= right.length; column++) {
      const cost = cellCost({ left, right, row, column }, { current, last, beforeLast });
      current.push(cost);
      lowest = Math.min(lowest, cost);
    }
    if (lowest > bound) return bound + 1;
    beforeLast = last;
    last = current;
  }
  return last[right.length] ?? bound + 1;
}

interface Cell {
  readonly left: string;
  readonly right: string;
  readonly row: number;
  readonly column: number;
}

interface Rows {
  readonly current: readonly number[];
  readonly last: readonly number[];
  readonly beforeLast: readonly number[];
}

function cellCost({ left, right, row, column }: Cell, { current, last, beforeLast }: Rows): number {
  const isSame = left[row - 1] === right[column - 1];
  const replaced = at(last, column - 1) + (isSame ? 0 : 1);
  const inserted = at(current, column - 1) + 1;
  const deleted = at(last, column) + 1;
  const isSwap =
    row > 1 &&
    column > 1 &&
    left[row - 1] === right[column - 2] &&
    left[row - 2] === right[column - 1];
  const swapped = isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY;
  return Math.min(replaced, inserted, deleted, swapped);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
