import { readFileSync } from 'node:fs';
import { type BytePath, toSystemPath } from './byte-path.ts';
import { clipRow } from './clip-row.ts';

/**
 * The rows of Pi for matches with context: a window for each, of a file that is read once more, whole and
 * as UTF-8, and in which every kind of line break ends a line.
 */
export function piWindows(
  file: { readonly path: BytePath; readonly name: string },
  numbers: readonly number[],
  context: number,
): { readonly rows: readonly string[]; readonly isClipped: boolean } {
  const lines = readLines(file.path);
  const rows: string[] = [];
  let isClipped = false;
  for (const number of numbers) {
    if (lines === null) {
      rows.push(`${file.name}:${number}: (unable to read file)`);
      continue;
    }
    const end = Math.min(lines.length, number + context);
    for (let at = Math.max(1, number - context); at <= end; at++) {
      const line = lines[at - 1] ?? '';
      const shown = clipRow(line, true);
      isClipped ||= shown !== line;
      rows.push(at === number ? `${file.name}:${at}: ${shown}` : `${file.name}-${at}- ${shown}`);
    }
  }
  return { rows, isClipped };
}

function readLines(path: BytePath): readonly string[] | null {
  try {
    return readFileSync(toSystemPath(path), 'utf8').split(/\r\n|\r|\n/);
  } catch {
    // Pi says so in the row.
    return null;
  }
}
