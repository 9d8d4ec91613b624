/** Number of insertions, deletions and substitutions between two texts; one more than `most` for all above it. */
export function editDistance(left: string, right: string, most: number): number {
  const width = right.length;
  if (Math.abs(left.length - width) > most) return most + 1;
  const row = Array.from({ length: width + 1 }, (_, index) => index);
  for (let line = 1; line <= left.length; line++) {
    const letter = left.charCodeAt(line - 1);
    let diagonal = line - 1;
    let before = line;
    let nearest = line;
    row[0] = line;
    for (let column = 1; column <= width; column++) {
      const above = row[column] ?? 0;
      const replaced = diagonal + (right.charCodeAt(column - 1) === letter ? 0 : 1);
      diagonal = above;
      before = Math.min(replaced, above + 1, before + 1);
      nearest = Math.min(nearest, before);
      row[column] = before;
    }
    // What is missing by here is not made up for later.
    if (nearest > most) return most + 1;
  }
  return Math.min(row[width] ?? 0, most + 1);
}
