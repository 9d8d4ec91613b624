import type { DiagnosticSpan } from '@millforge/contracts';
import type { IsHidden } from './hidden-lines.ts';
import type { Paint } from './paint.ts';
import { type Glyph, glyphsOf } from './plain-text.ts';

/** What a frame is drawn from. */
export interface FrameSource {
  /** Lines of the normalised source. */
  readonly lines: readonly string[];
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
  if (span.line > lines.length) return [];
  const first = Math.max(1, span.line - 1);
  const last = Math.min(lines.length, span.line + 1);
  const gutter = String(last).length;
  const room = Math.max(20, source.width - gutter - '   | '.length);
  const marked = spanGlyphs(span, glyphsOf(lines[span.line - 1] ?? ''));
  // All lines of a frame are cut at the same place, or they would no longer stand below each other.
  const start = cutStart(marked, room);
  const rows: string[] = [];
  for (let line = first; line <= last; line++) {
    const isMarked = line === span.line;
    const sign = isMarked ? paint.mark('>') : ' ';
    const number = paint.dim(`${String(line).padStart(gutter)} |`);
    const isHidden = source.isHidden(line);
    const text = isHidden
      ? paint.dim('(hidden: this line holds something that looks like a secret)')
      : cut(glyphsOf(lines[line - 1] ?? ''), start, room);
    rows.push(`${sign} ${number} ${text}`.trimEnd());
    if (isMarked && !isHidden) {
      const carets = paint.mark(caretsOf(marked, start, room));
      rows.push(`  ${paint.dim(`${' '.repeat(gutter)} |`)} ${carets}`);
    }
  }
  return rows;
}

/** A line and the part of it that is meant, as indices of its characters. */
interface Marked {
  readonly glyphs: readonly Glyph[];
  readonly from: number;
  readonly to: number;
}

function spanGlyphs(span: DiagnosticSpan, glyphs: readonly Glyph[]): Marked {
  const from = Math.min(span.column - 1, glyphs.length);
  const isStated = span.endColumn !== undefined && (span.endLine ?? span.line) === span.line;
  const stated = isStated ? (span.endColumn ?? 0) - 1 : from;
  const to = stated > from ? stated : from + tokenLength(glyphs, from);
  return { glyphs, from, to: Math.min(Math.max(to, from + 1), Math.max(glyphs.length, from + 1)) };
}

/** Length of the word that begins at a place: a quoted text whole, of a list item its first word too. */
function tokenLength(glyphs: readonly Glyph[], from: number): number {
  const rest = glyphs
    .slice(from)
    .map(({ text }) => text.charAt(0))
    .join('');
  return (TOKEN.exec(rest)?.[0] ?? '').length;
}

const TOKEN = /^(?:- +)?(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s:,[\]{}#]+)/;

/** Index of the first character shown, so that the marked one is well inside. */
function cutStart({ glyphs, from }: Marked, room: number): number {
  let start = from;
  let width = 0;
  const wanted = Math.floor(room / 3);
  // A line that fits up to the mark is shown from its beginning.
  while (start > 0 && width + widthAt(glyphs, start - 1) <= room - 20) {
    width += widthAt(glyphs, start - 1);
    start--;
  }
  if (start === 0) return 0;
  start = from;
  width = 0;
  while (start > 0 && width < wanted) {
    start--;
    width += widthAt(glyphs, start);
  }
  return start;
}

function cut(glyphs: readonly Glyph[], start: number, room: number): string {
  const shown = glyphs.slice(start);
  const lead = start > 0 && glyphs.length > 0 ? ELLIPSIS : '';
  let width = lead.length;
  let text = lead;
  for (const [index, glyph] of shown.entries()) {
    const isLast = index === shown.length - 1;
    if (width + glyph.width > room - (isLast ? 0 : 1)) return text + ELLIPSIS;
    text += glyph.text;
    width += glyph.width;
  }
  return text;
}

function caretsOf({ glyphs, from, to }: Marked, start: number, room: number): string {
  const lead = start > 0 ? ELLIPSIS.length : 0;
  const before = lead + widthOf(glyphs.slice(start, from));
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
