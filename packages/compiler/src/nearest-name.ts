/**
 * Prepares a search for the known name that a wrong one was probably meant to be.
 *
 * The search answers null where no name is near enough. It gives up after 64 different questions, or after so many
 * letters: a report shows little more, and a hostile document may ask thousands.
 */
export function nearestName(known: Iterable<string>): (wrong: string) => string | null {
  const names = [...new Set(known)].toSorted();
  const answers = new Map<string, string | null>();
  const effort: Effort = { left: MAX_EFFORT };
  return (wrong) => {
    const before = answers.get(wrong);
    if (before !== undefined) return before;
    if (answers.size >= MAX_QUESTIONS || effort.left <= 0) return null;
    const answer = search(wrong, names, effort);
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
const MAX_EFFORT = 400_000;
const MAX_SHOWN = 5;

function joined(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** Letters that may still be compared. */
interface Effort {
  left: number;
}

function search(wrong: string, names: readonly string[], effort: Effort): string | null {
  // A third of the letters may differ; past that a guess misleads more than it helps.
  let bound = Math.min(3, Math.floor(wrong.length / 3));
  let nearest: string | null = null;
  for (const name of names) {
    if (bound < 1 || effort.left <= 0) break;
    if (name === wrong || Math.abs(name.length - wrong.length) > bound) continue;
    const distance = editDistance(wrong, name, { bound, effort });
    if (distance > bound) continue;
    nearest = name;
    bound = distance - 1;
  }
  return nearest;
}

/** Insertions, deletions, replacements and swaps of neighbours; more than the bound is not counted out. */
function editDistance(
  left: string,
  right: string,
  { bound, effort }: { readonly bound: number; readonly effort: Effort },
): number {
  const width = right.length;
  const far = bound + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: width + 1 }, (_, column) => Math.min(column, far));
  for (let row = 1; row <= left.length; row++) {
    const current = last.map(() => far);
    current[0] = Math.min(row, far);
    // Outside of this band every distance is past the bound.
    const from = Math.max(1, row - bound);
    const to = Math.min(width, row + bound);
    let lowest = row <= bound ? row : far;
    for (let column = from; column <= to; column++) {
      const isSame = left.charCodeAt(row - 1) === right.charCodeAt(column - 1);
      let cost = (last[column - 1] ?? far) + (isSame ? 0 : 1);
      cost = Math.min(cost, (current[column - 1] ?? far) + 1, (last[column] ?? far) + 1);
      const isSwap =
        row > 1 &&
        column > 1 &&
        left.charCodeAt(row - 1) === right.charCodeAt(column - 2) &&
        left.charCodeAt(row - 2) === right.charCodeAt(column - 1);
      if (isSwap) cost = Math.min(cost, (beforeLast[column - 2] ?? far) + 1);
      current[column] = Math.min(cost, far);
      lowest = Math.min(lowest, cost);
    }
    effort.left -= width + 1;
    if (lowest > bound) return far;
    beforeLast = last;
    last = current;
  }
  return last[width] ?? far;
}
