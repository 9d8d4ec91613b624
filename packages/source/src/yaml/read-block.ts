import type { ExactJson } from '@millforge/contracts';
import { notePlace } from '../located-value.ts';
import { isIndicator } from './characters.ts';
import { readInline } from './read-inline.ts';
import { findColon, readKey } from './read-key.ts';
import {
  fail,
  failLine,
  isCounted,
  isFollowedOnLine,
  isWithin,
  toNextLine,
  type YamlCursor,
} from './yaml-cursor.ts';

/**
 * Reads what begins on a line of its own, deeper than the column of what holds it.
 *
 * Like every function here it leaves the cursor at the next line with content, or after a fault
 * anywhere.
 */
export function readBlock(
  cursor: YamlCursor,
  holder: number,
  depth: number,
): ExactJson | undefined {
  if (isIndicator(cursor.text, cursor.at, '-')) return readList(cursor, holder, depth);
  const colon = findColon(cursor.text, cursor.at);
  return colon < 0 ? readInline(cursor, holder, depth) : readMapping(cursor, colon, depth);
}

function readMapping(cursor: YamlCursor, firstColon: number, depth: number): ExactJson | undefined {
  const { text, places, column } = cursor;
  if (!isWithin(cursor, depth, cursor.at)) return undefined;
  const mapping: { [key: string]: ExactJson } = {};
  let colon = firstColon;
  do {
    const start = cursor.at;
    const key = readKey(cursor, colon);
    if (key === undefined) return undefined;
    if (mapping[key] !== undefined && Object.hasOwn(mapping, key)) {
      return fail(cursor, 'duplicate-yaml-key', start);
    }
    if (!isCounted(cursor, start)) return undefined;
    notePlace(places, [mapping, key], start);
    cursor.at = colon + 1;
    const value = readValue(cursor, column, depth + 1);
    if (value === undefined) return undefined;
    setEntry(mapping, key, value);
    colon = cursor.column === column ? findColon(text, cursor.at) : NONE;
  } while (colon >= 0);
  if (cursor.column === column) return failEntry(cursor);
  return cursor.column > column ? fail(cursor, 'indentation', cursor.at) : mapping;
}

/** Says why a line in the place of an entry is none. */
function failEntry(cursor: YamlCursor): undefined {
  const { text, at: start, column } = cursor;
  if (isIndicator(text, start, '-')) return fail(cursor, 'indentation', start);
  const value = readInline(cursor, column, 1);
  return value === undefined ? undefined : fail(cursor, 'colon', start);
}

function readValue(cursor: YamlCursor, column: number, depth: number): ExactJson | undefined {
  const { text, at } = cursor;
  if (isFollowedOnLine(cursor)) return readInline(cursor, column, depth);
  if (!toNextLine(cursor)) return undefined;
  if (cursor.column > column) return readBlock(cursor, column, depth);
  // The items of a list may stand at the column of their key.
  if (cursor.column === column && isIndicator(text, cursor.at, '-')) {
    return readList(cursor, column, depth);
  }
  return isWithin(cursor, depth, at) ? {} : undefined;
}

function readList(cursor: YamlCursor, holder: number, depth: number): ExactJson | undefined {
  const { text, places, column } = cursor;
  if (!isWithin(cursor, depth, cursor.at)) return undefined;
  const list: ExactJson[] = [];
  do {
    if (!isCounted(cursor, cursor.at)) return undefined;
    notePlace(places, [list, list.length], cursor.at);
    const value = readItem(cursor, column, depth + 1);
    if (value === undefined) return undefined;
    list.push(value);
  } while (cursor.column === column && isIndicator(text, cursor.at, '-'));
  const isInPlace = cursor.column < column || (cursor.column === column && column === holder);
  return isInPlace ? list : fail(cursor, 'indentation', cursor.at);
}

function readItem(cursor: YamlCursor, column: number, depth: number): ExactJson | undefined {
  const { text, at: dash } = cursor;
  cursor.at += 1;
  if (!isFollowedOnLine(cursor)) {
    if (!toNextLine(cursor)) return undefined;
    if (cursor.column > column) return readBlock(cursor, column, depth);
    return isWithin(cursor, depth, dash) ? {} : undefined;
  }
  // A list that opens on the line of the item that holds it reads like a text.
  if (isIndicator(text, cursor.at, '-')) return failLine(cursor, 'indentation', dash);
  const colon = findColon(text, cursor.at);
  if (colon < 0) return readInline(cursor, column, depth);
  const tab = text.slice(dash, cursor.at).indexOf('\t');
  if (tab >= 0) return fail(cursor, 'tab', dash + tab);
  cursor.column = cursor.at - cursor.lineStart;
  return readMapping(cursor, colon, depth);
}

/** Plain assignment to `__proto__` would change the prototype instead of making an entry. */
function setEntry(mapping: { [key: string]: ExactJson }, key: string, value: ExactJson): void {
  if (key !== '__proto__') mapping[key] = value;
  else {
    Object.defineProperty(mapping, key, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
  }
}

const NONE = -1;
