import { createPlaces, type FormatResult, isMapping, type OffsetFault } from '../located-value.ts';
import type { SourceLimits } from '../source-limits.ts';
import { readBlock } from './read-block.ts';
import { isFollowedOnLine, toNextLine, type YamlCursor } from './yaml-cursor.ts';

/**
 * Reads a document of the YAML subset whose root is a mapping.
 *
 * One pass from the first character to the first fault or to the end: every construct that the
 * subset leaves out is refused where it begins, before anything is built of it. Recursion is safe,
 * for nesting is bounded as it opens.
 */
export function parseYaml(text: string, limits: SourceLimits): FormatResult {
  const cursor: YamlCursor = {
    text,
    limits,
    places: createPlaces(),
    at: 0,
    lineStart: 0,
    column: -1,
    isOpen: false,
    entries: 0,
    fault: null,
  };
  return readDocument(cursor) ?? cursor.fault ?? refuse('yaml-malformed', cursor.at);
}

function readDocument(cursor: YamlCursor): FormatResult | null {
  const { text, places } = cursor;
  if (!toNextLine(cursor)) return null;
  // A second byte order mark, or a directive, can only stand before everything else.
  if (cursor.column === 0 && /[%\ufeff]/.test(text.charAt(cursor.at))) {
    return refuse('yaml-malformed', cursor.at);
  }
  const isMarked = cursor.column === 0 && /^---(?:\s|$)/.test(text.slice(cursor.at, cursor.at + 4));
  cursor.isOpen = true;
  if (isMarked) {
    cursor.at += 3;
    // A block cannot begin beside the marker, and a flow collection has no reason to.
    if (isFollowedOnLine(cursor)) return refuse('yaml-malformed', cursor.lineStart);
  } else cursor.at = cursor.lineStart;
  if (!toNextLine(cursor)) return null;
  if (cursor.column < 0) return refuse('yaml-root', 0);
  const start = cursor.at;
  const root = readBlock(cursor, -1, 1);
  if (root === undefined) return null;
  if (cursor.column >= 0) return refuse('indentation', cursor.at);
  if (isMapping(root)) return { ok: true, root, places };
  return refuse(Array.isArray(root) ? 'yaml-root' : 'colon', start);
}

function refuse(rule: OffsetFault['rule'], offset: number): OffsetFault {
  return { ok: false, rule, offset };
}
