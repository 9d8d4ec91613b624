import type { StructuredPatchHunk } from 'diff';

/** Shows hunks as people read them: a sign, the number of the line, the line; gaps as dots. */
export function showHunks(
  hunks: readonly StructuredPatchHunk[],
  before: string,
  after: string,
): string {
  const pieces = { before: countPieces(before), after: countPieces(after) };
  const width = String(Math.max(pieces.before, pieces.after)).length;
  const gap = ` ${' '.repeat(width)} ...`;
  const rows: string[] = [];
  let nextLine = 1;
  for (const hunk of hunks) {
    if (hunk.oldStart > nextLine) rows.push(gap);
    let { oldStart, newStart } = hunk;
    for (const line of hunk.lines) {
      const sign = line[0] ?? '';
      if (sign === '\\') continue;
      const number = sign === '+' ? newStart : oldStart;
      rows.push(`${sign}${String(number).padStart(width)} ${line.slice(1)}`);
      if (sign !== '+') oldStart++;
      if (sign !== '-') newStart++;
    }
    nextLine = oldStart;
  }
  const total = before.endsWith('\n') ? pieces.before - 1 : pieces.before;
  if (nextLine <= total && before !== '') rows.push(gap);
  return rows.join('\n');
}

function countPieces(text: string): number {
  let pieces = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) pieces++;
  return pieces;
}
