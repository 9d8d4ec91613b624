import { isBreak, isSpace } from './characters.ts';
import { endOfQuoted } from './read-quoted.ts';
import { resolveDoubleQuoted, resolvePlainKey, resolveSingleQuoted } from './resolve-scalar.ts';
import { fail, failLine, failProperty, type YamlCursor } from './yaml-cursor.ts';

/** Finds the colon behind a key that begins at an offset, or -1 when the line is no entry. */
export function findColon(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === DOUBLE_QUOTE || first === SINGLE_QUOTE) return colonBehindQuoted(text, start);
  // What begins with one of these is no plain text, whatever follows.
  if (NOT_PLAIN.has(first)) return -1;
  const isIndicator = first === QUESTION_MARK || first === DASH;
  if (isIndicator && isBreak(text.charCodeAt(start + 1))) return -1;
  for (let at = start; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COLON && isBreak(text.charCodeAt(at + 1))) return at;
    if (code === LINE_FEED || Number.isNaN(code)) return -1;
    if (code === HASH && isSpace(text.charCodeAt(at - 1))) return -1;
  }
}

/** Reads the key that begins at the cursor and ends before its colon. */
export function readKey(cursor: YamlCursor, colon: number): string | undefined {
  const { text, limits, at: start } = cursor;
  let end = colon;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  const token = text.slice(start, end);
  const first = text.charCodeAt(start);
  const key =
    first === DOUBLE_QUOTE
      ? resolveDoubleQuoted(token, limits)
      : first === SINGLE_QUOTE
        ? resolveSingleQuoted(token, limits)
        : resolvePlainKey(token, limits);
  if (key.ok) return key.value;
  if (key.rule === 'quoted' || key.rule === 'empty-key') return failLine(cursor, key.rule, start);
  return key.rule === 'merge-key' ? failMerge(cursor, colon) : fail(cursor, key.rule, start);
}

/** An alias is what authors merge, and it is named first. */
function failMerge(cursor: YamlCursor, colon: number): undefined {
  let at = colon + 1;
  while (isSpace(cursor.text.charCodeAt(at))) at += 1;
  return /[&*]/.test(cursor.text.charAt(at))
    ? failProperty(cursor, at)
    : fail(cursor, 'merge-key', cursor.at);
}

function colonBehindQuoted(text: string, start: number): number {
  let at = endOfQuoted(text, start);
  if (at < 0) return -1;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return text.charCodeAt(at) === COLON && isBreak(text.charCodeAt(at + 1)) ? at : -1;
}

const LINE_FEED = 0x0a;
const DOUBLE_QUOTE = 0x22;
const HASH = 0x23;
const SINGLE_QUOTE = 0x27;
const DASH = 0x2d;
const COLON = 0x3a;
const QUESTION_MARK = 0x3f;
const NOT_PLAIN: ReadonlySet<number> = new Set(
  Array.from('[]{},&*!|>%@`', (character) => character.charCodeAt(0)),
);
