import { MillforgeError } from '../error/millforge-error.ts';
import {
  type ContainerInProgress,
  fail,
  type JsonCursor,
  type JsonFault,
  type ObjectInProgress,
  skipSpace,
} from './json-cursor.ts';
import type { ExactJson } from './json-value.ts';
import { setOwn } from './plain-object.ts';
import { readJsonNumber } from './read-json-number.ts';
import { readJsonString } from './read-json-string.ts';

/** Bounds and hooks of one reading. */
export interface ReadJsonOptions {
  /** Nesting of objects and arrays that is still read, the root being level 1; 1,000 unless given. */
  readonly maxDepth?: number;
  /** Object entries and array items of the whole text together; unbounded unless given. */
  readonly maxEntries?: number;
  /** UTF-8 bytes of one key or string after decoding; unbounded unless given. */
  readonly maxStringBytes?: number;
  /** Characters of one number as written; 1,000 unless given. */
  readonly maxNumberChars?: number;
  /** Accepts control characters in strings when they are written as escapes. */
  readonly allowControlCharacters?: boolean;
  /** Accepts halves of surrogate pairs, for texts that are joined afterwards; they cannot be written down. */
  readonly allowLoneSurrogates?: boolean;
  /**
   * Hears of every object entry and array item before its value is read.
   *
   * The offset, in UTF-16 units, is that of the key token or of the item's first character. The
   * container is the very object of the result, so a map by identity can hold what was heard.
   */
  onEntry?(container: object, key: string | number, offset: number): void;
}

/** A value with its number kinds, or the first fault of the text. */
export type ReadJsonResult =
  | {
      /** The text is one JSON value. */
      readonly ok: true;
      /** The value: `4` is a number, `4.0` a `JsonFloat`, an integer past the safe range a bigint. */
      readonly value: ExactJson;
    }
  | JsonFault;

/**
 * Reads one JSON text strictly, keeping every difference that canonical JSON keeps.
 *
 * Refuses duplicate keys (compared after decoding), unpaired surrogates, control characters, numbers
 * that overflow, and anything after the value. `__proto__` is a key like any other. Never throws and
 * never recurses; the time is linear in the text.
 */
export function readJson(text: string, options: ReadJsonOptions = {}): ReadJsonResult {
  const cursor: JsonCursor = {
    text,
    maxEntries: options.maxEntries ?? Number.POSITIVE_INFINITY,
    maxDepth: options.maxDepth ?? DEFAULT_MAX_DEPTH,
    maxStringBytes: options.maxStringBytes ?? Number.POSITIVE_INFINITY,
    maxNumberChars: options.maxNumberChars ?? DEFAULT_MAX_NUMBER_CHARS,
    allowsControls: options.allowControlCharacters ?? false,
    allowsLoneSurrogates: options.allowLoneSurrogates ?? false,
    onEntry: options.onEntry?.bind(options),
    at: 0,
    entries: 0,
    opened: null,
    fault: null,
  };
  const value = readRoot(cursor);
  skipSpace(cursor);
  if (value !== undefined && cursor.at < text.length) {
    fail(cursor, cursor.at, ['trailing', 'Something follows the end of the JSON value.']);
  }
  if (cursor.fault !== null) return cursor.fault;
  if (value === undefined) throw new MillforgeError('internal/json-reader', 'No fault was noted.');
  return { ok: true, value };
}

// The containers still open live in an array, not on the call stack: a hostile text cannot exhaust
// it. A container is placed in its parent when it opens, so that closing one is nothing but a pop.
function readRoot(cursor: JsonCursor): ExactJson | undefined {
  skipSpace(cursor);
  const root = readValue(cursor, 0);
  const outer: ContainerInProgress[] = [];
  let container = takeOpened(cursor);
  while (container !== null) {
    const key = Array.isArray(container) ? nextItem(cursor, container) : nextKey(cursor, container);
    const value = key === undefined ? undefined : readValue(cursor, outer.length + 1);
    if (key === undefined || value === undefined) return undefined;
    if (Array.isArray(container)) container.push(value);
    else setOwn(container, String(key), value);
    const opened = takeOpened(cursor);
    if (opened !== null) {
      outer.push(container);
      container = opened;
      continue;
    }
    while (container !== null && !isFollowed(cursor, container)) {
      if (cursor.fault !== null) return undefined;
      container = outer.pop() ?? null;
    }
  }
  return root;
}

function takeOpened(cursor: JsonCursor): ContainerInProgress | null {
  const { opened } = cursor;
  cursor.opened = null;
  return opened;
}

/** Reads a scalar or an empty container whole, and only the opening bracket of any other. */
function readValue(cursor: JsonCursor, depth: number): ExactJson | undefined {
  switch (cursor.text.charCodeAt(cursor.at)) {
    case QUOTE:
      return readJsonString(cursor);
    case OPEN_BRACE:
      return openContainer(cursor, depth, {});
    case OPEN_BRACKET:
      return openContainer(cursor, depth, []);
    case LOWER_T:
      return readWord(cursor, 'true', true);
    case LOWER_F:
      return readWord(cursor, 'false', false);
    case LOWER_N:
      return readWord(cursor, 'null', null);
    default:
      return readJsonNumber(cursor);
  }
}

function openContainer(
  cursor: JsonCursor,
  depth: number,
  container: ContainerInProgress,
): ContainerInProgress | undefined {
  if (depth >= cursor.maxDepth) {
    return fail(cursor, cursor.at, ['depth', `Nesting is deeper than ${cursor.maxDepth} levels.`]);
  }
  cursor.at += 1;
  skipSpace(cursor);
  const close = Array.isArray(container) ? CLOSE_BRACKET : CLOSE_BRACE;
  if (cursor.text.charCodeAt(cursor.at) === close) cursor.at += 1;
  else cursor.opened = container;
  return container;
}

function readWord<T>(cursor: JsonCursor, word: string, value: T): T | undefined {
  if (!cursor.text.startsWith(word, cursor.at)) {
    return fail(cursor, cursor.at, ['malformed', 'A value is missing.']);
  }
  cursor.at += word.length;
  return value;
}

function nextItem(cursor: JsonCursor, list: ExactJson[]): number | undefined {
  const index = list.length;
  if (!isCounted(cursor, cursor.at)) return undefined;
  cursor.onEntry?.(list, index, cursor.at);
  return index;
}

function nextKey(cursor: JsonCursor, object: ObjectInProgress): string | undefined {
  const start = cursor.at;
  if (cursor.text.charCodeAt(start) !== QUOTE)
    return failAt(cursor, 'A key in double quotes is missing.');
  const key = readJsonString(cursor);
  if (key === undefined) return undefined;
  // No JSON value is undefined, so the first test alone answers nearly always; the second tells own
  // keys from the names that every object inherits.
  if (object[key] !== undefined && Object.hasOwn(object, key)) {
    return fail(cursor, start, ['duplicate-key', 'A key stands twice in one object.']);
  }
  skipSpace(cursor);
  if (cursor.text.charCodeAt(cursor.at) !== COLON) return failAt(cursor, 'A colon is missing.');
  cursor.at += 1;
  if (!isCounted(cursor, start)) return undefined;
  skipSpace(cursor);
  cursor.onEntry?.(object, key, start);
  return key;
}

function isCounted(cursor: JsonCursor, offset: number): boolean {
  cursor.entries += 1;
  if (cursor.entries <= cursor.maxEntries) return true;
  fail(cursor, offset, ['entries', `There are more than ${cursor.maxEntries} entries.`]);
  return false;
}

/** Moves past the comma to the next entry, or past the closing bracket and answers false. */
function isFollowed(cursor: JsonCursor, container: ContainerInProgress): boolean {
  skipSpace(cursor);
  const code = cursor.text.charCodeAt(cursor.at);
  if (code === COMMA) {
    cursor.at += 1;
    skipSpace(cursor);
    return true;
  }
  const isList = Array.isArray(container);
  if (code === (isList ? CLOSE_BRACKET : CLOSE_BRACE)) cursor.at += 1;
  else failAt(cursor, `A comma or the closing ${isList ? 'bracket' : 'brace'} is missing.`);
  return false;
}

function failAt(cursor: JsonCursor, message: string): undefined {
  const isEnd = cursor.at >= cursor.text.length;
  return fail(cursor, cursor.at, ['malformed', isEnd ? 'The JSON text ends too early.' : message]);
}

const DEFAULT_MAX_DEPTH = 1000;
const DEFAULT_MAX_NUMBER_CHARS = 1000;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const LOWER_F = 0x66;
const LOWER_N = 0x6e;
const LOWER_T = 0x74;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
