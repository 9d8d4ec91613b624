import { clipLine } from '../truncate-text.ts';
import { type Anchor, anchorOf, showAnchor, showRow } from './anchor.ts';
import type { AnchoredFile } from './file-lines.ts';

/** What is told about anchors whose lines have changed: what stands there, and where the lines are. */
export function explainStale(file: AnchoredFile, stale: readonly Anchor[]): string {
  const shown = [...new Map(stale.map((anchor) => [showAnchor(anchor), anchor])).values()];
  const places = placesOf(file, new Set(shown.map(({ hash }) => hash)));
  const told = shown.slice(0, MAX_TOLD).map((anchor) => tell(file, anchor, places));
  const more = shown.length > MAX_TOLD ? `\n… and ${shown.length - MAX_TOLD} more.` : '';
  return `Nothing was changed: ${file.path} does not say any more what these anchors stand for. Use the current ones.\n${told.join('\n')}${more}`;
}

/** The lines that have one of the hashes. */
function placesOf(
  { lines, isText }: AnchoredFile,
  wanted: ReadonlySet<string>,
): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (let line = 1; line <= lines.count; line++) {
    const { hash } = anchorOf(line, lines.text(line), { isText });
    if (!wanted.has(hash)) continue;
    const known = places.get(hash);
    if (known === undefined) places.set(hash, [line]);
    else known.push(line);
  }
  return places;
}

function tell(
  file: AnchoredFile,
  anchor: Anchor,
  places: ReadonlyMap<string, readonly number[]>,
): string {
  const found = places.get(anchor.hash) ?? [];
  const [only] = found;
  if (only !== undefined && found.length === 1) {
    return `${showAnchor(anchor)} is now ${rowAt(file, only)}`;
  }
  if (found.length > 1) {
    const rows = found.slice(0, MAX_PLACES).map((line) => `  ${rowAt(file, line)}`);
    const more = found.length > MAX_PLACES ? `\n  … ${found.length - MAX_PLACES} more` : '';
    return `${showAnchor(anchor)} may be any of\n${rows.join('\n')}${more}`;
  }
  const { count } = file.lines;
  if (anchor.line > count || anchor.line < 1) {
    return `${showAnchor(anchor)} is gone; the file has ${count} lines`;
  }
  return `${showAnchor(anchor)} is gone; that line is now ${rowAt(file, anchor.line)}`;
}

function rowAt({ lines, isText }: AnchoredFile, line: number): string {
  const text = lines.text(line);
  return showRow(anchorOf(line, text, { isText }), clipLine(text, MAX_UNITS));
}

const MAX_TOLD = 10;
const MAX_PLACES = 5;
const MAX_UNITS = 200;
