import { compareCodePoints } from './compare-code-points.ts';
import { escapeNonAscii } from './escape-non-ascii.ts';
import { findUnwritable, unwritableError } from './find-unwritable.ts';
import { type ExactJson, JsonFloat } from './json-value.ts';
import { keptText, noteText } from './kept-text.ts';
import { isPlainObject } from './plain-object.ts';

/** How canonical JSON is written. */
export interface CanonicalJsonOptions {
  /** Whether the text ends with one line feed; default true. */
  readonly newline?: boolean;
}

/**
 * Writes a value as the one text that all digests of the house are taken of.
 *
 * Pure ASCII, keys sorted by code point, no spaces, integers and floats apart, one line feed at the end.
 * Any depth is accepted.
 *
 * @throws `json/non-finite` for NaN and infinities; `json/not-json` for cycles, undefined, functions, instances.
 */
export function canonicalJson(value: ExactJson, options?: CanonicalJsonOptions): string {
  const writer: Writer = { root: value, isTree: false, isAscii: true, deferred: [] };
  const shallow = write(value, writer, 0);
  const whole = writer.deferred.length === 0 ? shallow : splice(shallow, writer);
  const text = writer.isAscii ? whole : escapeNonAscii(whole);
  return options?.newline === false ? text : `${text}\n`;
}

/** One encoding: what it began with, and the containers that lie too deep for the call stack. */
interface Writer {
  readonly root: unknown;
  /** Whether the root is known to hold no cycle. */
  isTree: boolean;
  /** Whether no text so far needs an escape for a character past ASCII. */
  isAscii: boolean;
  readonly deferred: unknown[];
}

function write(value: unknown, writer: Writer, depth: number): string {
  switch (typeof value) {
    case 'string':
      return writeString(value, writer);
    case 'number':
      return Number.isInteger(value) ? writeInteger(value) : writeFloat(value, writer);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'bigint':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      if (depth === MAX_RECURSION) return defer(value, writer);
      if (Array.isArray(value) || isPlainObject(value)) return writeContainer(value, writer, depth);
      if (value instanceof JsonFloat) return writeFloat(value.value, writer);
      throw unwritableError(writer.root);
    case 'undefined':
    case 'function':
    case 'symbol':
    default:
      throw unwritableError(writer.root);
  }
}

function writeContainer(
  value: readonly unknown[] | { readonly [key: string]: unknown },
  writer: Writer,
  depth: number,
): string {
  const kept = keptText(value);
  if (typeof kept === 'string') return kept;
  const deferred = writer.deferred.length;
  const text = isList(value) ? writeArray(value, writer, depth) : writeObject(value, writer, depth);
  if (kept !== null || writer.deferred.length > deferred) return text;
  const ascii = escapeNonAscii(text);
  noteText(value, ascii);
  return ascii;
}

/** `Array.isArray` makes a readonly array an array of any; this guard keeps its element type. */
function isList(value: object): value is readonly unknown[] {
  return Array.isArray(value);
}

function writeArray(items: readonly unknown[], writer: Writer, depth: number): string {
  let text = '[';
  for (let index = 0; index < items.length; index++) {
    if (index > 0) text += ',';
    text += write(items[index], writer, depth + 1);
  }
  return `${text}]`;
}

function writeObject(
  entries: { readonly [key: string]: unknown },
  writer: Writer,
  depth: number,
): string {
  const keys = Object.keys(entries);
  if (keys.length > 1) sortKeys(keys);
  let text = '{';
  let mark = '';
  for (const key of keys) {
    text += mark + writeKey(key, writer) + write(entries[key], writer, depth + 1);
    mark = ',';
  }
  return `${text}}`;
}

/** Documents use the same few names over and over, so the written form of short ones is kept. */
function writeKey(key: string, writer: Writer): string {
  const known = KEYS.get(key);
  if (known !== undefined) return known;
  const text = `${writeString(key, writer)}:`;
  const isShort = key.length <= MAX_KEY_LENGTH && PLAIN.test(key);
  if (isShort && KEYS.size < MAX_KEYS) KEYS.set(key, text);
  return text;
}

/** Leaves a mark and puts the container off; a line feed marks it, since canonical text escapes its own. */
function defer(value: unknown, writer: Writer): string {
  // Only a deep value can be a cycle, so the search is not paid for by the usual document.
  if (!writer.isTree && findUnwritable(writer.root) !== null) throw unwritableError(writer.root);
  writer.isTree = true;
  writer.deferred.push(value);
  return MARK;
}

/** Writes the deferred containers in their places, each again with a call stack of its own. */
function splice(text: string, writer: Writer): string {
  const pending: (Writer | string)[] = [];
  let done = '';
  unfold(text, writer.deferred, pending);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') {
      done += next;
    } else {
      unfold(write(next.root, next, 0), next.deferred, pending);
      writer.isAscii &&= next.isAscii;
    }
  }
  return done;
}

function unfold(text: string, deferred: readonly unknown[], pending: (Writer | string)[]): void {
  const pieces = text.split(MARK);
  for (let index = pieces.length - 1; index >= 0; index--) {
    pending.push(pieces[index] ?? '');
    if (index === 0) continue;
    pending.push({ root: deferred[index - 1], isTree: true, isAscii: true, deferred: [] });
  }
}

function sortKeys(keys: string[]): void {
  if (keys.length > 16) {
    keys.sort(compareCodePoints);
    return;
  }
  // Insertion sort: on the few keys of a record it is several times as fast as the general one.
  let hasSurrogates = false;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] ?? '';
    hasSurrogates ||= !KEYS.has(key) && SURROGATE.test(key);
    let at = index;
    for (; at > 0; at--) {
      const before = keys[at - 1] ?? '';
      if (before <= key) break;
      keys[at] = before;
    }
    keys[at] = key;
  }
  if (hasSurrogates) keys.sort(compareCodePoints);
}

function writeString(text: string, writer: Writer): string {
  if (PLAIN.test(text)) return `"${text}"`;
  if (writer.isAscii && NON_ASCII.test(text)) writer.isAscii = false;
  return JSON.stringify(text);
}

function writeInteger(value: number): string {
  // String() turns to exponents at 1e21; an integer never has one. It also writes -0 as 0.
  return Math.abs(value) < 1e21 ? String(value) : String(BigInt(value));
}

function writeFloat(value: number, writer: Writer): string {
  if (!Number.isFinite(value)) throw unwritableError(writer.root);
  if (Object.is(value, -0)) return '-0.0';
  const magnitude = Math.abs(value);
  if (magnitude < 1e16 && (magnitude >= 1e-4 || magnitude === 0)) {
    return Number.isInteger(value) ? `${value}.0` : String(value);
  }
  // toExponential() gives the shortest digits that round-trip; only one-digit exponents are laid out differently.
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

const MAX_RECURSION = 200;
const MAX_KEYS = 1024;
const MAX_KEY_LENGTH = 64;
const KEYS = new Map<string, string>();
const MARK = '\n';
const PLAIN = /^[ !#-[\]-~]*$/;
const NON_ASCII = /[\x7f-\uffff]/;
const SURROGATE = /[\ud800-\udfff]/;
