import { unreachable } from '@millforge/contracts';
import type { Edit, Miss } from './match-edits.ts';
import { looseText } from './text-view.ts';

/** What the model is told about an edit that has no place of its own, and what to do about it. */
export function explainMiss(
  miss: Miss,
  where: { readonly text: string; readonly path: string; readonly edits: readonly Edit[] },
): string {
  const { path, edits } = where;
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
      const lines = miss.places.slice(0, 10).map((place) => lineOf(where.text, place));
      const more = miss.places.length > 10 ? ', …' : '';
      const count = `Found ${miss.places.length} occurrences of`;
      const what = isOne
        ? `${count} the text in ${path}. The text must be unique.`
        : `${count} ${name} in ${path}. Each oldText must be unique.`;
      return `${what} Please provide more context to make it unique. They begin at lines ${lines.join(', ')}${more}.`;
    }
    case 'not-found': {
      const what = isOne
        ? `Could not find the exact text in ${path}. The old text must match exactly including all whitespace and newlines.`
        : `Could not find ${name} in ${path}. The oldText must match exactly including all whitespace and newlines.`;
      return `${what}${nearest(where.text, edits[miss.index]?.oldText ?? '')}`;
    }
    default:
      return unreachable(miss, 'miss');
  }
}

/** The place in the file that looks most like the text that was not found. */
function nearest(text: string, oldText: string): string {
  const wanted = oldText.split('\n').map(squeeze);
  const first = wanted.findIndex((line) => line !== '');
  const lines = text.split('\n');
  const head = wanted[first];
  if (head === undefined) return '';
  let best = { line: -1, equal: 0 };
  for (const [index, line] of lines.entries()) {
    if (squeeze(line) !== head) continue;
    let equal = 1;
    while (
      first + equal < wanted.length &&
      squeeze(lines[index + equal] ?? '') === wanted[first + equal]
    ) {
      equal++;
    }
    if (equal > best.equal) best = { line: index, equal };
  }
  if (best.line < 0) return ' Read the file again and copy the text from it.';
  const from = best.line + 1;
  if (best.equal >= wanted.length - first) {
    const shown = lines.slice(best.line, best.line + Math.min(best.equal, 10)).join('\n');
    return ` Only the white space differs at line ${from}, where the file says:\n${shown}`;
  }
  const differing = best.line + best.equal;
  return ` It begins like line ${from}, but differs at line ${differing + 1}, where the file says:\n${lines[differing] ?? '(end of file)'}`;
}

function squeeze(line: string): string {
  return looseText(line).replaceAll(/\s+/g, ' ').trim();
}

function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
