import { unreachable } from '@millforge/contracts';
import type { Span } from '../edit/apply-matches.ts';
import { toolFault } from '../tool-fault.ts';
import { type Anchor, anchorOf, showAnchor, splitRow } from './anchor.ts';
import { explainStale } from './explain-stale.ts';
import type { AnchoredFile } from './file-lines.ts';
import type { AnchoredEdit } from './read-anchored-edits.ts';

/**
 * Finds the stretch of the text that each change replaces, ascending. Every anchor has to name a line that
 * still says what it said; nothing is guessed.
 *
 * @throws `tool/conflict` for anchors that are stale and changes that touch the same lines.
 */
export function placeEdits(file: AnchoredFile, edits: readonly AnchoredEdit[]): readonly Span[] {
  const anchors = edits.flatMap(({ first, last }) => (first === last ? [first] : [first, last]));
  const stale = anchors.filter((anchor) => !isCurrent(file, anchor));
  if (stale.length > 0) throw toolFault('conflict', explainStale(file, stale));
  const placed = edits
    .map((edit, index) => ({ index, reach: reachOf(file, edit), span: spanOf(file, edit) }))
    .toSorted((left, right) => left.reach.from - right.reach.from || left.index - right.index);
  for (const [position, { index, reach }] of placed.entries()) {
    const next = placed[position + 1];
    if (next === undefined || next.reach.from > reach.to) continue;
    const [one, other] = [index, next.index].toSorted((left, right) => left - right);
    throw toolFault(
      'conflict',
      `edits[${one}] and edits[${other}] touch the same place of ${file.path}. Make one of them.`,
    );
  }
  return placed.map(({ span }) => span);
}

function isCurrent({ lines, isText }: AnchoredFile, { line, hash }: Anchor): boolean {
  if (line < 1 || line > lines.count) return false;
  return anchorOf(line, lines.text(line), { isText }).hash === hash;
}

/**
 * What a change touches, so that those of two changes show whether they have an order: lines count twice
 * their number, and what is inserted between two lines stands between them.
 */
function reachOf(
  { text, lines }: AnchoredFile,
  { op, first, last }: AnchoredEdit,
): { readonly from: number; readonly to: number } {
  if (op === 'replace' || op === 'delete') return { from: 2 * first.line, to: 2 * last.line };
  const after = op === 'insert_before' ? first.line - 1 : first.line;
  // What follows a last line without an ending depends on that line.
  const isOpen = after === lines.count && !text.endsWith('\n');
  const place = isOpen ? 2 * after : 2 * after + 1;
  return { from: place, to: place };
}

function spanOf(file: AnchoredFile, edit: AnchoredEdit): Span {
  const { lines, text } = file;
  const { op, first, last } = edit;
  const spelled = withoutAnchors(file, edit);
  const ending = endingAt(file, first.line);
  const added = spelled.join(ending);
  switch (op) {
    case 'replace':
      return { start: lines.start(first.line), end: lines.end(last.line), newText: added };
    case 'delete':
      return { start: lines.start(first.line), end: lines.start(last.line + 1), newText: '' };
    case 'insert_before': {
      const start = lines.start(first.line);
      return { start, end: start, newText: added + ending };
    }
    case 'insert_after': {
      const start = lines.start(first.line + 1);
      // Where the last line of the file has no ending, the new ones bring the one in between.
      const isEnded = text[start - 1] === '\n';
      return { start, end: start, newText: isEnded ? added + ending : ending + added };
    }
    default:
      return unreachable(op, 'op');
  }
}

/** The new lines without the anchors that a model copied along with them. */
function withoutAnchors(file: AnchoredFile, { lines }: AnchoredEdit): readonly string[] {
  const rows = lines.map((line) => ({ line, row: splitRow(line) }));
  if (rows.every(({ row }) => row === null)) return lines;
  if (rows.every(({ line, row }) => row !== null || line === '')) {
    return rows.map(({ line, row }) => row?.text ?? line);
  }
  const copied = rows.find(({ row }) => row !== null && isCurrent(file, row.anchor))?.row;
  if (copied === undefined || copied === null) return lines;
  throw toolFault(
    'invalid_arguments',
    `The text holds the anchor ${showAnchor(copied.anchor)} in front of a line; give the lines alone.`,
  );
}

/** The ending of a line, else that of the line before it, else the first of the file. */
function endingAt({ text, lines }: AnchoredFile, line: number): string {
  for (const one of [line, line - 1, 1]) {
    const ending = one < 1 ? '' : text.slice(lines.end(one), lines.start(one + 1));
    if (ending !== '') return ending;
  }
  return '\n';
}
