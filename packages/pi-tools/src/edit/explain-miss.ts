import { unreachable } from '@millforge/contracts';
import { clipLine } from '../truncate-text.ts';
import { findNearest } from './find-nearest.ts';
import type { Edit, Miss } from './match-edits.ts';

/** What the model is told about an edit that has no place of its own, and what to do about it. */
export function explainMiss(
  miss: Miss,
  where: {
    readonly text: string;
    readonly path: string;
    readonly edits: readonly Edit[];
    /** Whether the closest place is looked for, and the places of an ambiguous text are told. */
    readonly explains: boolean;
  },
): string {
  const { path, edits, explains } = where;
  const isOne = edits.length === 1;
  const name = `edits[${miss.index}]`;
  switch (miss.kind) {
    case 'empty':
      return isOne
        ? `oldText must not be empty in ${path}.`
        : `${name}.oldText must not be empty in ${path}.`;
    case 'overlap':
      return `${name} and edits[${miss.other}] overlap in ${path}. Merge them into one edit or target disjoint regions.`;
    case 'ambiguous': {
      const lines = miss.places.map((place) => lineOf(where.text, place));
      const more = miss.count > miss.places.length ? ', …' : '';
      const count = `Found ${miss.count} occurrences of`;
      const what = isOne
        ? `${count} the text in ${path}. The text must be unique.`
        : `${count} ${name} in ${path}. Each oldText must be unique.`;
      const asked = `${what} Please provide more context to make it unique.`;
      return explains ? `${asked} They begin at lines ${lines.join(', ')}${more}.` : asked;
    }
    case 'not-found': {
      const what = isOne
        ? `Could not find the exact text in ${path}. The old text must match exactly including all whitespace and newlines.`
        : `Could not find ${name} in ${path}. The oldText must match exactly including all whitespace and newlines.`;
      return explains ? `${what}${advice(where.text, miss.index, edits)}` : what;
    }
    default:
      return unreachable(miss, 'miss');
  }
}

/** What probably went wrong, and what the file says where the text was meant. */
function advice(text: string, index: number, edits: readonly Edit[]): string {
  const oldText = edits[index]?.oldText ?? '';
  if (edits.some((edit, other) => other !== index && edit.newText.includes(oldText))) {
    return ' Every edit is matched against the original file, not against what the others make of it.';
  }
  const unescaped = oldText.replaceAll('\\n', '\n').replaceAll('\\t', '\t').replaceAll('\\"', '"');
  if (unescaped !== oldText && text.includes(unescaped)) {
    return ' It holds escapes such as \\n as two characters; write the characters themselves.';
  }
  const again = ' Read the file again and copy the text from it.';
  if (text.length > MAX_SEARCHED) return again;
  const lines = text.split('\n');
  const nearest = findNearest(lines, oldText);
  switch (nearest?.kind) {
    case undefined:
      return again;
    case 'white-space':
      return ` Only the white space differs at line ${nearest.line + 1}, where the file says:\n${shown(lines, nearest.line, nearest.lines)}`;
    case 'differs': {
      const how = nearest.begins ? 'begins' : 'looks';
      return ` It ${how} like line ${nearest.line + 1}, but differs at line ${nearest.differing + 1}, where the file says:\n${shown(lines, nearest.differing, 1)}`;
    }
    case 'similar':
      return ` The most similar line is line ${nearest.line + 1}, where the file says:\n${shown(lines, nearest.line, 1)}`;
    default:
      return unreachable(nearest, 'nearest');
  }
}

function shown(lines: readonly string[], from: number, count: number): string {
  if (from < 0) return '(before the beginning of the file)';
  if (from >= lines.length) return '(end of file)';
  const kept = lines.slice(from, from + Math.min(count, MAX_SHOWN_LINES));
  return kept.map((line) => clipLine(line, MAX_SHOWN_UNITS)).join('\n');
}

function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

const MAX_SEARCHED = 1024 * 1024;
const MAX_SHOWN_LINES = 10;
const MAX_SHOWN_UNITS = 500;
