import type { ExactJson } from '@millforge/contracts';
import { readFlow } from '../json/read-flow.ts';
import { isIndicator, isSpace } from './characters.ts';
import { indentOf } from './lines.ts';
import { fail, failLine, failProperty, type YamlCursor } from './yaml-cursor.ts';

/** Reads the flow collection that begins at the cursor and moves behind it; its content is JSON. */
export function readFlowNode(
  cursor: YamlCursor,
  holder: number,
  depth: number,
): ExactJson | undefined {
  const { text, limits, places, entries, at: start } = cursor;
  const extent = findExtent(text, start, holder);
  if (extent.isClosed && isKey(text, extent.end)) return failKey(cursor);
  const read = readFlow(text.slice(start, extent.end), start, {
    limits: {
      ...limits,
      maxDepth: limits.maxDepth - depth + 1,
      maxEntries: limits.maxEntries - entries,
    },
    places,
    onEntry: () => {
      cursor.entries += 1;
    },
  });
  if (read.ok) {
    cursor.at = extent.end;
    cursor.lineStart = text.lastIndexOf('\n', extent.end - 1) + 1;
    return read.value;
  }
  // Where a value is missing, an anchor, alias or tag may be what stands in its place.
  if (read.rule === 'flow-malformed' && /[&*!]/.test(text.charAt(read.offset))) {
    return failProperty(cursor, read.offset);
  }
  cursor.fault = read;
  return undefined;
}

interface Extent {
  readonly end: number;
  readonly isClosed: boolean;
}

/** Finds the bracket that closes, or where a line is not indented enough to belong to the collection. */
function findExtent(text: string, start: number, holder: number): Extent {
  let depth = 0;
  let isQuoted = false;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LINE_FEED) {
      const content = lineContent(text, at + 1);
      const column = content.indent;
      const isClosing = depth === 1 && column === holder && /[\]}]/.test(text.charAt(content.at));
      if (column <= holder && !isClosing) return { end: content.at, isClosed: false };
      at = content.at - 1;
    } else if (isQuoted) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isQuoted = false;
    } else if (code === QUOTE) isQuoted = true;
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) depth += 1;
    else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) {
      depth -= 1;
      if (depth === 0) return { end: at + 1, isClosed: true };
    }
  }
  return { end: text.length, isClosed: false };
}

/** The first character of the next line that is not blank, and the spaces before it. */
function lineContent(text: string, from: number): { readonly at: number; readonly indent: number } {
  let lineStart = from;
  for (;;) {
    const indentEnd = lineStart + spacesAt(text, lineStart);
    let at = indentEnd;
    while (isSpace(text.charCodeAt(at))) at += 1;
    if (text.charCodeAt(at) !== LINE_FEED) return { at, indent: indentEnd - lineStart };
    lineStart = at + 1;
  }
}

function spacesAt(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === SPACE) at += 1;
  return at - from;
}

function isKey(text: string, end: number): boolean {
  let at = end;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return isIndicator(text, at, ':');
}

function failKey(cursor: YamlCursor): undefined {
  const { text, at } = cursor;
  const before = text.slice(indentOf(text, at), at);
  return /^(?:-[ \t]+)?$/.test(before)
    ? fail(cursor, 'key-type', at)
    : failLine(cursor, 'several-colons', at);
}

const LINE_FEED = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
