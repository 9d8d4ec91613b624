import type { FileLines } from './file-lines.ts';
import type { AnchoredEdit } from './read-anchored-edits.ts';

/**
 * Finds replacements that repeat the line right before or behind them, which is what a range that is one
 * line too short leaves; gives a sentence about each.
 */
export function findRepeats(lines: FileLines, edits: readonly AnchoredEdit[]): readonly string[] {
  return edits.flatMap(({ op, first, last, lines: added }) => {
    if (op !== 'replace') return [];
    const behind = last.line < lines.count ? lines.text(last.line + 1) : '';
    const before = first.line > 1 ? lines.text(first.line - 1) : '';
    return [
      ...(isRepeated(added.at(-1), behind) ? [sentence('last', last.line + 1)] : []),
      ...(isRepeated(added[0], before) ? [sentence('first', first.line - 1)] : []),
    ];
  });
}

function isRepeated(added: string | undefined, beside: string): boolean {
  return added !== undefined && added.trim() !== '' && added === beside;
}

function sentence(which: 'first' | 'last', line: number): string {
  return `The ${which} new line is the same as the old line ${line}, which is still there; look whether it is meant twice.`;
}
