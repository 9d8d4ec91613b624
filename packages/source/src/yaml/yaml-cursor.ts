import type { OffsetFault, Places } from '../located-value.ts';
import type { SourceLimits } from '../source-limits.ts';
import { isMarker, isSpace } from './characters.ts';
import { indentOf, lineStartOf } from './lines.ts';

/** The state of one reading of YAML text. */
export interface YamlCursor {
  readonly text: string;
  readonly limits: SourceLimits;
  readonly places: Places;
  /** Offset of the next character to look at. */
  at: number;
  /** Offset at which the line of that character begins. */
  lineStart: number;
  /** Column of the first character of the line with content that comes next, or -1 at the end. */
  column: number;
  /** Whether the document has begun, so that another marker would begin a second one. */
  isOpen: boolean;
  /** Entries and items counted so far. */
  entries: number;
  /** The first fault; nothing is read after it. */
  fault: OffsetFault | null;
}

/**
 * Moves to the first character of the next line that is neither blank nor a comment.
 *
 * Begins at the end of a line or at the start of one. Answers false only after a fault; at the end
 * of the text the column is -1.
 */
export function toNextLine(cursor: YamlCursor): boolean {
  const { text } = cursor;
  let at = text.charCodeAt(cursor.at) === LINE_FEED ? cursor.at + 1 : cursor.at;
  for (;;) {
    const lineStart = at;
    let code = text.charCodeAt(at);
    while (code === SPACE) code = text.charCodeAt(++at);
    const indentEnd = at;
    while (isSpace(code)) code = text.charCodeAt(++at);
    if (code === LINE_FEED) {
      at += 1;
      continue;
    }
    const lineEnd = code === HASH ? text.indexOf('\n', at) : at;
    if (code === HASH && lineEnd >= 0) {
      at = lineEnd + 1;
      continue;
    }
    if (at >= text.length || code === HASH) return stopAtEnd(cursor);
    if (at > indentEnd) return fail(cursor, 'tab', indentEnd) !== undefined;
    cursor.at = at;
    cursor.lineStart = lineStart;
    cursor.column = at - lineStart;
    if (at > lineStart || !cursor.isOpen || !isMarker(text, at)) return true;
    return fail(cursor, 'several-documents', at) !== undefined;
  }
}

/** Moves past spaces and tabs; answers whether anything but a comment follows on the line. */
export function isFollowedOnLine(cursor: YamlCursor): boolean {
  const { text } = cursor;
  const start = cursor.at;
  let code = text.charCodeAt(start);
  while (isSpace(code)) code = text.charCodeAt(++cursor.at);
  if (code === LINE_FEED || cursor.at >= text.length) return false;
  if (code !== HASH || cursor.at === start) return true;
  const end = text.indexOf('\n', cursor.at);
  cursor.at = end < 0 ? text.length : end;
  return false;
}

/** Lets a collection open that keeps to the limit on nesting. */
export function isWithin(cursor: YamlCursor, depth: number, offset: number): boolean {
  return depth <= cursor.limits.maxDepth || fail(cursor, 'depth', offset) !== undefined;
}

/** Counts an entry or item. */
export function isCounted(cursor: YamlCursor, offset: number): boolean {
  cursor.entries += 1;
  return (
    cursor.entries <= cursor.limits.maxEntries || fail(cursor, 'entries', offset) !== undefined
  );
}

/** Notes the first fault; the undefined answer is what every reading function passes up. */
export function fail(cursor: YamlCursor, rule: OffsetFault['rule'], offset: number): undefined {
  cursor.fault = { ok: false, rule, offset };
  return undefined;
}

/** Notes a fault of the structure, which stands at the indentation of its line. */
export function failLine(cursor: YamlCursor, rule: OffsetFault['rule'], offset: number): undefined {
  return fail(cursor, rule, indentOf(cursor.text, offset));
}

/** Notes an anchor, an alias or a tag, which stands at the start of its line. */
export function failProperty(cursor: YamlCursor, offset: number): undefined {
  const rule = cursor.text.charAt(offset) === '!' ? 'tag' : 'anchor';
  return fail(cursor, rule, lineStartOf(cursor.text, offset));
}

function stopAtEnd(cursor: YamlCursor): boolean {
  cursor.at = cursor.text.length;
  cursor.lineStart = cursor.at;
  cursor.column = -1;
  return true;
}

const LINE_FEED = 0x0a;
const SPACE = 0x20;
const HASH = 0x23;
