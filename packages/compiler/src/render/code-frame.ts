import type { DiagnosticSpan } from '@millforge/contracts';
import type { GlyphLines } from './glyph-lines.ts';
import type { IsHidden } from './hidden-lines.ts';
import type { Paint } from './paint.ts';
import type { Glyph } from './plain-text.ts';

/** What a frame is drawn from. */
export interface FrameSource {
  /** Lines of the normalised source. */
  readonly lines: GlyphLines;
  /** Lines that may not be shown. */
  readonly isHidden: IsHidden;
  /** Columns that a line of the frame may take. */
  readonly width: number;
  /** Colours, or none. */
  readonly paint: Paint;
}

/** Draws the line of a span with one line on each side, and marks the place; empty where the source ends before. */
export function codeFrame(span: DiagnosticSpan, source: FrameSource): readonly string[] {
  const { lines, paint } = source;
  if (span.line > lines.count) return [];
  const first = Math.max(1, span.line - 1);
  const last = Math.min(lines.count, span.line + 1);
  const gutter = String(last).length;
  const room = Math.max(20, source.width - gutter - '   | '.length);
  const marked = markedPart(span, lines, room);
  // All lines of a frame are cut at the same place, or they would no longer stand below each other.
  const start = cutStart(marked, room);
  const end = start + reachOf(room);
  const rows: string[] = [];
  for (let line = first; line <= last; line++) {
    const isMarked = line === span.line;
    const sign = isMarked ? paint.mark('>') : ' ';
    const number = paint.dim(`${String(line).padStart(gutter)} |`);
    const isHidden = source.isHidden(line);
    const text = isHidden
      ? paint.dim('(hidden: this line holds something that looks like a secret)')
      : cut({ glyphs: lines.slice(line, start, end), start, length: lines.lengthOf(line) }, room);
    rows.push(`${sign} ${number} ${text}`.trimEnd());
    if (isMarked && !isHidden) {
      const carets = paint.mark(caretsOf(marked, start, room));
      rows.push(`  ${paint.dim(`${' '.repeat(gutter)} |`)} ${carets}`);
    }
  }
  return rows;
}

/** What lies around a place of a line, and the part of it that is meant. */
interface Marked {
  /** Characters that may be seen, and no others: a line may be as long as a document. */
  readonly glyphs: readonly Glyph[];
  /** Index in the line of the first of these characters. */
  readonly offset: number;
  /** Where the part begins, as an index of these characters. */
  readonly from: number;
  /** Where the part ends, or these characters do. */
  readonly to: number;
}

function markedPart(span: DiagnosticSpan, lines: GlyphLines, room: number): Marked {
  const { line } = span;
  const length = lines.lengthOf(line);
  const column = Math.min(span.column - 1, length);
  const offset = Math.max(0, column - reachOf(room));
  const glyphs = lines.slice(line, offset, column + reachOf(room));
  const from = column - offset;
  const isStated = span.endColumn !== undefined && (span.endLine ?? line) === line;
  const stated = isStated ? (span.endColumn ?? 0) - 1 - offset : from;
  const isWhole = offset + glyphs.length === length;
  const to = stated > from ? stated : from + tokenLength(glyphs.slice(from), isWhole);
  const least = from + 1;
  return {
    glyphs,
    offset,
    from,
    to: Math.min(Math.max(to, least), Math.max(glyphs.length, least)),
  };
}

/** How many characters on one side of a place are looked at; marks that take no column are among them. */
function reachOf(room: number): number {
  return 4 * room;
}

/** Length of the word that begins a text: a quoted text whole, of a list item its first word too. */
function tokenLength(glyphs: readonly Glyph[], isWhole: boolean): number {
  const text = glyphs.map((glyph) => glyph.text.charAt(0)).join('');
  return ((isWhole ? TOKEN : CUT_TOKEN).exec(text)?.[0] ?? '').length;
}

const TOKEN = /^(?:- +)?(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s:,[\]{}#]+)/;
/** The same where the text goes on: its quotes may be closed behind what is looked at. */
const CUT_TOKEN = /^(?:- +)?(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|'[^']*(?:'|$)|[^\s:,[\]{}#]+)/;

/** Index in the line of the first character shown, so that the marked one is well inside. */
function cutStart({ glyphs, offset, from }: Marked, room: number): number {
  let start = from;
  let width = 0;
  const wanted = Math.floor(room / 3);
  // A line that fits up to the mark is shown from its beginning.
  while (start > 0 && width + widthAt(glyphs, start - 1) <= room - 20) {
    width += widthAt(glyphs, start - 1);
    start--;
  }
  if (offset + start === 0) return 0;
  start = from;
  width = 0;
  while (start > 0 && width < wanted) {
    start--;
    width += widthAt(glyphs, start);
  }
  // A mark is not shown without the character that bears it.
  while (start < from && widthAt(glyphs, start) === 0) start++;
  return offset + start;
}

/** What is seen of a line. */
interface Shown {
  /** The characters from the first that is shown, and no more than can be. */
  readonly glyphs: readonly Glyph[];
  /** Index in the line of the first of them. */
  readonly start: number;
  /** Characters of the whole line. */
  readonly length: number;
}

function cut({ glyphs, start, length }: Shown, room: number): string {
  const lead = start > 0 && length > 0 ? ELLIPSIS : '';
  let width = lead.length;
  let text = lead;
  for (const [index, glyph] of glyphs.entries()) {
    const isLast = start + index === length - 1;
    if (width + glyph.width > room - (isLast ? 0 : 1)) return text + ELLIPSIS;
    text += glyph.text;
    width += glyph.width;
  }
  return start + glyphs.length < length ? text + ELLIPSIS : text;
}

function caretsOf({ glyphs, offset, from, to }: Marked, start: number, room: number): string {
  const lead = start > 0 ? ELLIPSIS.length : 0;
  const before = lead + widthOf(glyphs.slice(start - offset, from));
  const marked = Math.max(1, widthOf(glyphs.slice(from, to)));
  return ' '.repeat(before) + '^'.repeat(Math.max(1, Math.min(marked, room - before)));
}

function widthOf(glyphs: readonly Glyph[]): number {
  return glyphs.reduce((sum, glyph) => sum + glyph.width, 0);
}

function widthAt(glyphs: readonly Glyph[], index: number): number {
  return glyphs[index]?.width ?? 0;
}

const ELLIPSIS = '…';
