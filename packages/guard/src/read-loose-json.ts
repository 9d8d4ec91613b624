import type { JsonValue } from '@millforge/contracts';

/** A slip of JSON syntax that has exactly one reading. */
export type SyntaxRepair =
  | 'trailing-comma'
  | 'single-quotes'
  | 'python-literal'
  | 'raw-control'
  | 'bare-key'
  | 'missing-close';

/** A value as a model wrote it, or why there is none. */
export type LooseJson =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      /** Where the value ends in the text. */
      readonly end: number;
      /** What was mended, each kind once. */
      readonly repairs: readonly SyntaxRepair[];
    }
  | {
      readonly ok: false;
      /** One sentence about the first fault, with its place. */
      readonly message: string;
      /** Whether the text ended too early; otherwise something is wrong before its end. */
      readonly isCut: boolean;
      /** Whether it holds more than anybody asks for, so that it was not read to its end. */
      readonly isTooLarge: boolean;
    };

/** Which slips are taken besides plain JSON. */
export interface LooseJsonOptions {
  /** Takes what has one reading: trailing commas, single quotes, words of Python, raw control characters. */
  readonly slips?: boolean;
  /** Adds the one closing bracket that is missing behind a complete inner value at the end of the text. */
  readonly mayClose?: boolean;
  /** Takes names without quotes as keys, and these texts around strings. */
  readonly bare?: { readonly quotes: readonly string[] };
}

/**
 * Reads the JSON value that begins at a place of a text, mending only what can mean one thing.
 *
 * Refuses what has more than one reading even where the syntax is right: a key that stands twice, half of a
 * surrogate pair, a number that JavaScript does not hold. Strings are walked as strings, so brackets and fences
 * inside them count for nothing; one that was cut is never closed. `__proto__` is a key like any other. Never
 * recurses and never throws; linear in the text read.
 */
export function readLooseJson(
  text: string,
  start: number,
  options: LooseJsonOptions = {},
): LooseJson {
  const cursor: Cursor = {
    text,
    at: start,
    root: null,
    repairs: null,
    open: [],
    entries: 0,
    fault: null,
    slips: options.slips ?? false,
    mayClose: options.mayClose ?? false,
    bare: options.bare,
  };
  const isRead = readAll(cursor);
  const { at, fault, root, repairs, entries } = cursor;
  if (isRead && fault === null) {
    return { ok: true, value: root, end: at, repairs: repairs === null ? [] : [...repairs] };
  }
  const isCut = !isRead && at >= text.length;
  const isTooLarge = entries > MAX_ENTRIES;
  const message = isTooLarge ? TOO_LARGE : `This is not JSON: ${fault}`;
  return { ok: false, message, isCut, isTooLarge };
}

interface Cursor {
  readonly text: string;
  readonly slips: boolean;
  readonly mayClose: boolean;
  readonly bare: LooseJsonOptions['bare'] | undefined;
  at: number;
  /** The outermost value, as far as it was read. */
  root: JsonValue;
  /** Null as long as nothing was mended. */
  repairs: Set<SyntaxRepair> | null;
  /** The containers that are not closed yet. */
  readonly open: Container[];
  /** Keys and items so far. */
  entries: number;
  /** The first fault; behind one of meaning reading goes on, to see whether the text was cut. */
  fault: string | null;
}

interface Container {
  readonly close: ']' | '}';
  readonly into: JsonValue[] | { [key: string]: JsonValue };
  /** The key whose value comes next; of an object. */
  key: string;
}

function readAll(cursor: Cursor): boolean {
  if (!readValueOrOpen(cursor)) return false;
  for (;;) {
    const container = cursor.open.at(-1);
    if (container === undefined) return true;
    cursor.entries += 1;
    if (cursor.entries > MAX_ENTRIES) return false;
    if (container.close === '}' && !readKeyOf(container, cursor)) return false;
    if (!readValueOrOpen(cursor)) return false;
  }
}

function readKeyOf(container: Container, cursor: Cursor): boolean {
  skipSpace(cursor);
  const key = readKey(cursor);
  if (key === null) return refuse(cursor, 'A key in double quotes is missing.');
  if (Object.hasOwn(container.into, key)) refuse(cursor, 'A key stands twice in one object.');
  container.key = key;
  skipSpace(cursor);
  if (cursor.text[cursor.at] !== ':') return refuse(cursor, 'A colon is missing.');
  cursor.at += 1;
  return true;
}

/** Reads a scalar whole and what follows it, or enters a container. */
function readValueOrOpen(cursor: Cursor): boolean {
  skipSpace(cursor);
  const { text, open } = cursor;
  const mark = text[cursor.at];
  if (mark !== '{' && mark !== '[') {
    const value = readScalar(cursor);
    if (value === undefined) return refuse(cursor, 'There is no JSON value here.');
    place(cursor, value);
    return open.length === 0 || readFollowing(cursor);
  }
  if (open.length >= MAX_DEPTH) {
    return refuse(cursor, `Nesting is deeper than ${MAX_DEPTH} levels.`);
  }
  const close = mark === '[' ? ']' : '}';
  const into = mark === '[' ? [] : {};
  place(cursor, into);
  open.push({ close, into, key: '' });
  cursor.at += 1;
  skipSpace(cursor);
  return text[cursor.at] === close ? readFollowing(cursor) : true;
}

/** Puts a value where it belongs when its container opens, so that closing one is nothing but a pop. */
function place(cursor: Cursor, value: JsonValue): void {
  const container = cursor.open.at(-1);
  if (container === undefined) cursor.root = value;
  else if (Array.isArray(container.into)) container.into.push(value);
  else if (container.key === '__proto__') {
    // Plain assignment would change the prototype instead.
    const own = { value, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(container.into, container.key, own);
  } else container.into[container.key] = value;
}

/** Moves past closing brackets to the next entry, or to the end of the outermost value. */
function readFollowing(cursor: Cursor): boolean {
  const { text, open, slips } = cursor;
  for (;;) {
    const close = open.at(-1)?.close;
    if (close === undefined) return true;
    skipSpace(cursor);
    if (text[cursor.at] === ',') {
      cursor.at += 1;
      skipSpace(cursor);
      if (text[cursor.at] !== close || !slips) return true;
      mend(cursor, 'trailing-comma');
    }
    if (text[cursor.at] === close) cursor.at += 1;
    else if (isLastCloseMissing(cursor)) mend(cursor, 'missing-close');
    else return refuse(cursor, `A comma or the closing ${close} is missing.`);
    open.pop();
  }
}

/** Only behind a bracket: behind a scalar, more of it may be missing than the bracket. */
function isLastCloseMissing({ text, at, open, mayClose }: Cursor): boolean {
  if (!mayClose || at < text.length || open.length !== 1) return false;
  const last = text.trimEnd().at(-1);
  return last === '}' || last === ']';
}

function readKey(cursor: Cursor): string | null {
  const string = readString(cursor);
  const { bare } = cursor;
  if (string !== undefined || bare === undefined) return string ?? null;
  const delimited = readDelimited(cursor, bare.quotes);
  if (delimited !== undefined) return delimited;
  const key = take(BARE_KEY, cursor);
  if (key === '') return null;
  mend(cursor, 'bare-key');
  return key;
}

/** A string, number or word; undefined where there is none. */
function readScalar(cursor: Cursor): JsonValue | undefined {
  const { slips, bare } = cursor;
  const string =
    readString(cursor) ?? (bare === undefined ? undefined : readDelimited(cursor, bare.quotes));
  if (string !== undefined) return string ?? undefined;
  const from = cursor.at;
  const word = take(WORD, cursor);
  // Most numbers are small integers, about which there is nothing to ask.
  if (SHORT_INTEGER.test(word)) return Number(word) + 0;
  const literal = LITERALS.get(word);
  const isPython = /^[A-Z]/.test(word);
  if (literal !== undefined && (slips || !isPython)) {
    if (isPython) mend(cursor, 'python-literal');
    return literal;
  }
  if (NUMERIC.test(word)) return numberOf(word, cursor);
  cursor.at = from;
  return undefined;
}

function numberOf(word: string, cursor: Cursor): number {
  if (word.length > MAX_NUMBER) refuse(cursor, `A number is longer than ${MAX_NUMBER} characters.`);
  else if (!NUMBER.test(word)) refuse(cursor, 'A number is not written as JSON has it.');
  const number = Number(word);
  // An integer has one zero.
  if (INTEGER.test(word)) {
    if (!Number.isSafeInteger(number)) refuse(cursor, UNSAFE);
    return number + 0;
  }
  if (!Number.isFinite(number)) refuse(cursor, 'A number is not finite.');
  return number;
}

/** The string that begins here: undefined where none does, null for one that is wrong. */
function readString(cursor: Cursor): string | null | undefined {
  const { text, slips } = cursor;
  const from = cursor.at + 1;
  const quote = text[cursor.at];
  const isSingle = quote === "'" && slips;
  if (quote === undefined || !(isSingle || quote === '"')) return undefined;
  const to = endOfString(text, from, quote);
  if (to < 0) {
    cursor.at = text.length;
    return null;
  }
  const inside = text.slice(from, to);
  if (!isSingle && PLAIN.test(inside)) {
    cursor.at = to + 1;
    return inside;
  }
  const hasControl = inside.search(CONTROLS) >= 0;
  if (hasControl) {
    // A raw line break behind a backslash could continue the line or be meant; nobody can tell.
    if (!slips || BROKEN_ESCAPE.test(inside)) {
      refuse(cursor, 'A string holds a control character without an escape.');
      return null;
    }
    mend(cursor, 'raw-control');
  }
  if (isSingle) mend(cursor, 'single-quotes');
  const value = unescaped(isSingle ? inDoubleQuotes(inside) : inside, hasControl);
  if (value === null) refuse(cursor, 'A string holds an escape that JSON does not know.');
  else if (LONE_SURROGATE.test(value)) refuse(cursor, 'A string holds half of a surrogate pair.');
  cursor.at = to + 1;
  return isSingle && !isFollowedByMark(cursor) ? null : (value ?? '');
}

/** A string between texts that stand for quotes and never inside one, as `readString` tells it. */
function readDelimited(cursor: Cursor, quotes: readonly string[]): string | null | undefined {
  const quote = quotes.find((one) => cursor.text.startsWith(one, cursor.at));
  if (quote === undefined) return undefined;
  const from = cursor.at + quote.length;
  const to = cursor.text.indexOf(quote, from);
  cursor.at = to < 0 ? cursor.text.length : to + quote.length;
  return to < 0 ? null : cursor.text.slice(from, to);
}

/** The place of the quote that ends a string, or -1; steps over quotes, not over every escape. */
function endOfString(text: string, from: number, quote: string): number {
  let at = from;
  for (;;) {
    at = text.indexOf(quote, at);
    if (at < 0) return -1;
    let slashes = 0;
    while (at - slashes > from && text[at - slashes - 1] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at;
    at += 1;
  }
}

/** JSON has no escaped apostrophe, and needs the other quote escaped. */
function inDoubleQuotes(inside: string): string {
  // Only where one escape can be taken for another they have to be walked one by one.
  return /\\["\\]/.test(inside)
    ? inside.replaceAll(/\\[^]|"/g, (mark) => (mark === '"' ? '\\"' : mark === "\\'" ? "'" : mark))
    : inside.replaceAll("\\'", "'").replaceAll('"', '\\"');
}

/** What the inside of a string in double quotes stands for; the engine decodes faster than any loop here. */
function unescaped(inside: string, hasControl: boolean): string | null {
  if (!inside.includes('\\')) return inside;
  try {
    const plain = hasControl ? inside.replaceAll(CONTROLS, escaped) : inside;
    const value: unknown = JSON.parse(`"${plain}"`);
    return typeof value === 'string' ? value : null;
  } catch {
    // Between these quotes only an escape can be wrong.
    return null;
  }
}

function escaped(mark: string): string {
  return JSON.stringify(mark).slice(1, -1);
}

/** An apostrophe inside a word ends the string early; then something else than punctuation follows. */
function isFollowedByMark({ text, at, open }: Cursor): boolean {
  if (open.length === 0) return true;
  BEHIND_STRING.lastIndex = at;
  return BEHIND_STRING.test(text);
}

function skipSpace(cursor: Cursor): void {
  // Where a token follows at once, there is no need for a pattern.
  if (cursor.text.charCodeAt(cursor.at) > 32) return;
  SPACE.lastIndex = cursor.at;
  SPACE.test(cursor.text);
  cursor.at = SPACE.lastIndex;
}

function take(pattern: RegExp, cursor: Cursor): string {
  const { at, text } = cursor;
  pattern.lastIndex = at;
  if (!pattern.test(text)) return '';
  cursor.at = pattern.lastIndex;
  return text.slice(at, cursor.at);
}

function mend(cursor: Cursor, kind: SyntaxRepair): void {
  cursor.repairs ??= new Set();
  cursor.repairs.add(kind);
}

/** Notes the first fault; the answer is what every reading function passes up. */
function refuse(cursor: Cursor, message: string): false {
  const { at, text } = cursor;
  const what = at < text.length ? message : 'The JSON text ends too early.';
  cursor.fault ??= `${what} (character ${at + 1})`;
  return false;
}

/** Keys and items of one value together. No model writes as many; an object of a million would take seconds. */
const MAX_ENTRIES = 20_000;
const TOO_LARGE = `This is too large: there are more than ${MAX_ENTRIES} entries.`;
const MAX_DEPTH = 1000;
const MAX_NUMBER = 1000;
const UNSAFE =
  'An integer beyond ±(2^53−1) cannot become a JavaScript number without loss; keep it as text.';
const SPACE = /[ \t\r\n]*/y;
const BARE_KEY = /[A-Za-z_][\w-]*/y;
const WORD = /[-+\w.]+/y;
const NUMERIC = /^-?\d[\d.eE+-]*$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** An integer, written without a fraction or an exponent. */
export const INTEGER = /^-?\d+$/;
const SHORT_INTEGER = /^-?(?:0|[1-9]\d{0,14})$/;
// What stands for itself inside a string: no control character, no escape, no surrogate.
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;
// What JSON does not take inside a string: control characters, everything below the space.
const CONTROLS = /[^ -\uffff]/g;
const BROKEN_ESCAPE = /\\[^ -\uffff]/;
const LONE_SURROGATE = /\p{Cs}/u;
const BEHIND_STRING = /[ \t\r\n]*(?:[,:}\])]|$)/y;
/** The words of JSON, and those of Python, which begin with a capital. */
const LITERALS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['True', true],
  ['False', false],
  ['None', null],
]);
