import type { ExactJson } from '@millforge/contracts';
import { isIndicator, isSpace } from './characters.ts';
import { indentOf } from './lines.ts';
import { readFlowNode } from './read-flow-node.ts';
import { readLiteral } from './read-literal.ts';
import { endOfQuoted } from './read-quoted.ts';
import {
  type ResolvedScalar,
  resolveDoubleQuoted,
  resolvePlain,
  resolveSingleQuoted,
} from './resolve-scalar.ts';
import {
  fail,
  failLine,
  failProperty,
  isFollowedOnLine,
  toNextLine,
  type YamlCursor,
} from './yaml-cursor.ts';

/** Reads a scalar, a literal or a flow collection that begins at the cursor, inside a line. */
export function readInline(
  cursor: YamlCursor,
  holder: number,
  depth: number,
): ExactJson | undefined {
  const { text, at: start } = cursor;
  switch (text.charAt(start)) {
    case '"':
    case "'":
      return readQuoted(cursor, holder);
    case '[':
    case '{': {
      const value = readFlowNode(cursor, holder, depth);
      return value === undefined ? undefined : endValue(cursor, holder, value);
    }
    case '|':
    case '>': {
      // The root of a source is a mapping, so a literal there is a line without its key.
      if (holder < 0) return failLine(cursor, 'colon', start);
      const value = readLiteral(cursor, holder);
      return value === undefined ? undefined : endBlock(cursor, holder, value);
    }
    case '&':
    case '*':
    case '!':
      return failProperty(cursor, start);
    case '%':
    case '@':
    case '`':
      return failLine(cursor, 'reserved-character', start);
    case ',':
    case ']':
    case '}':
      return failLine(cursor, 'yaml-malformed', start);
    default:
      return readPlain(cursor, holder);
  }
}

function readQuoted(cursor: YamlCursor, holder: number): string | undefined {
  const { text, limits, at: start } = cursor;
  const end = endOfQuoted(text, start);
  if (end < 0) return failLine(cursor, 'quoted', start);
  cursor.at = end;
  const token = text.slice(start, end);
  const resolved = token.startsWith('"')
    ? resolveDoubleQuoted(token, limits)
    : resolveSingleQuoted(token, limits);
  const value = settle(cursor, resolved, start);
  return value === undefined ? undefined : endValue(cursor, holder, value);
}

function readPlain(cursor: YamlCursor, holder: number): ExactJson | undefined {
  const { text, limits, at: start } = cursor;
  if (isIndicator(text, start, '-')) return failLine(cursor, 'indentation', start);
  if (isIndicator(text, start, '?')) return failLine(cursor, 'key-type', start);
  const end = endOfPlain(text, start);
  if (isIndicator(text, end, ':')) return failLine(cursor, 'several-colons', start);
  cursor.at = end;
  let textEnd = end;
  while (isSpace(text.charCodeAt(textEnd - 1))) textEnd -= 1;
  const value = settle(cursor, resolvePlain(text.slice(start, textEnd), limits), start);
  if (value === undefined) return undefined;
  isFollowedOnLine(cursor);
  if (!toNextLine(cursor)) return undefined;
  return cursor.column > holder ? failContinued(cursor, start) : value;
}

/** Offset of the colon, comment or line end that a plain scalar stops at. */
function endOfPlain(text: string, start: number): number {
  for (let at = start; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LINE_FEED || Number.isNaN(code)) return at;
    if (code === COLON && isIndicator(text, at, ':')) return at;
    if (code === HASH && isSpace(text.charCodeAt(at - 1))) return at;
  }
}

/** A plain scalar goes on in the next line: at its own column a colon is lost, else it is folded text. */
function failContinued(cursor: YamlCursor, start: number): undefined {
  const { text, at, column } = cursor;
  const isOwnLine = indentOf(text, start) === start;
  const ownColumn = start - text.lastIndexOf('\n', start - 1) - 1;
  return isOwnLine && ownColumn === column
    ? fail(cursor, 'colon', start)
    : fail(cursor, 'several-lines', at);
}

function endValue<Value extends ExactJson>(
  cursor: YamlCursor,
  holder: number,
  value: Value,
): Value | undefined {
  const end = cursor.at;
  if (isFollowedOnLine(cursor)) {
    const isColon = isIndicator(cursor.text, cursor.at, ':');
    return failLine(cursor, isColon ? 'several-colons' : 'unquoted-rest', end);
  }
  return toNextLine(cursor) ? endBlock(cursor, holder, value) : undefined;
}

function endBlock<Value extends ExactJson>(
  cursor: YamlCursor,
  holder: number,
  value: Value,
): Value | undefined {
  return cursor.column > holder ? fail(cursor, 'indentation', cursor.at) : value;
}

/** Faults of a quote stand at the indentation of the line, all others at the scalar. */
function settle<Value extends ExactJson>(
  cursor: YamlCursor,
  resolved: ResolvedScalar<Value>,
  start: number,
): Value | undefined {
  if (resolved.ok) return resolved.value;
  return resolved.rule === 'quoted'
    ? failLine(cursor, resolved.rule, start)
    : fail(cursor, resolved.rule, start);
}

const LINE_FEED = 0x0a;
const HASH = 0x23;
const COLON = 0x3a;
