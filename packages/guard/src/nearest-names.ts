/** Sorts names by their distance from a wrong one; equal distances keep the order given. */
export function nearestNames(wrong: string, names: readonly string[]): readonly string[] {
  const target = fold(wrong);
  return names
    .map((name, place) => ({ name, place, distance: distance(target, fold(name)) }))
    .toSorted((a, b) => a.distance - b.distance || a.place - b.place)
    .map(({ name }) => name);
}

/** Case and separators say little about which tool was meant. A name longer than any tool's is cut. */
function fold(name: string): string {
  return name
    .slice(0, 128)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
}

/** Number of insertions, deletions and substitutions. */
function distance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      const inserted = (current[column - 1] ?? 0) + 1;
      const deleted = (previous[column] ?? 0) + 1;
      current.push(Math.min(replaced, inserted, deleted));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
