import { MAX_ENTRIES } from '../read-value.ts';

/** A slip of JSON syntax that has exactly one reading. */
export type SyntaxRepair =
  | 'trailing-comma'
  | 'single-quotes'
  | 'python-literal'
  | 'raw-control'
  | 'bare-key'
  | 'missing-close';

/** Strict JSON text for a value as a model wrote it, or where it could not be read. */
export type Transcript =
  | {
      readonly ok: true;
      /** The value as strict JSON, as far as syntax goes; keys and numbers are not judged. */
      readonly json: string;
      /** Where the value ends in the text. */
      readonly end: number;
      /** What was mended, each kind once. */
      readonly repairs: readonly SyntaxRepair[];
    }
  | {
      readonly ok: false;
      /** Where reading stopped. */
      readonly at: number;
      /** Whether the text ended too early; otherwise something is wrong before its end. */
      readonly isCut: boolean;
    };

/** Which slips are taken besides those of plain JSON. */
export interface TranscribeOptions {
  /** Adds the one closing bracket that is missing behind a complete inner value at the end of the text. */
  readonly mayClose?: boolean;
  /** Takes names without quotes as keys, and these texts around strings. */
  readonly bare?: { readonly quotes: readonly string[] };
}

/**
 * Copies one value from a text into strict JSON, mending only what can mean one thing.
 *
 * Strings are walked as strings, so brackets and fences inside them count for nothing. Never recurses;
 * linear in the text read. A string that was cut is never closed.
 */
export function transcribeJson(
  text: string,
  start: number,
  options: TranscribeOptions = {},
): Transcript {
  const cursor: Cursor = {
    text,
    at: start,
    out: [],
    repairs: new Set(),
    open: [],
    entries: 0,
    options,
  };
  if (!readAll(cursor)) {
    return { ok: false, at: cursor.at, isCut: cursor.at >= text.length };
  }
  return { ok: true, json: cursor.out.join(''), end: cursor.at, repairs: [...cursor.repairs] };
}

interface Cursor {
  readonly text: string;
  at: number;
  readonly out: string[];
  readonly repairs: Set<SyntaxRepair>;
  /** The closing brackets that are still due. */
  readonly open: string[];
  /** Keys and items so far. */
  entries: number;
  readonly options: TranscribeOptions;
}

function readAll(cursor: Cursor): boolean {
  if (!readValueOrOpen(cursor)) return false;
  while (cursor.open.length > 0) {
    cursor.entries += 1;
    if (cursor.entries > MAX_ENTRIES) return false;
    const isDone = cursor.open.at(-1) === '}' ? readEntry(cursor) : readValueOrOpen(cursor);
    if (!isDone) return false;
  }
  return true;
}

function readEntry(cursor: Cursor): boolean {
  skipSpace(cursor);
  if (!readKey(cursor)) return false;
  skipSpace(cursor);
  if (cursor.text[cursor.at] !== ':') return false;
  cursor.at += 1;
  cursor.out.push(':');
  return readValueOrOpen(cursor);
}

/** Reads a scalar whole and what follows it, or enters a container. */
function readValueOrOpen(cursor: Cursor): boolean {
  skipSpace(cursor);
  const mark = cursor.text[cursor.at];
  if (mark === '{' || mark === '[') {
    if (cursor.open.length >= MAX_DEPTH) return false;
    const close = mark === '{' ? '}' : ']';
    cursor.at += 1;
    cursor.out.push(mark);
    cursor.open.push(close);
    skipSpace(cursor);
    return cursor.text[cursor.at] === close ? readFollowing(cursor) : true;
  }
  return readScalar(cursor) && (cursor.open.length === 0 || readFollowing(cursor));
}

/** Moves past closing brackets to the next entry, or to the end of the outermost value. */
function readFollowing(cursor: Cursor): boolean {
  for (;;) {
    const close = cursor.open.at(-1);
    if (close === undefined) return true;
    skipSpace(cursor);
    if (cursor.text[cursor.at] === ',') {
      cursor.at += 1;
      skipSpace(cursor);
      if (cursor.text[cursor.at] !== close) {
        cursor.out.push(',');
        return true;
      }
      cursor.repairs.add('trailing-comma');
    }
    if (cursor.text[cursor.at] === close) cursor.at += 1;
    else if (isLastCloseMissing(cursor)) cursor.repairs.add('missing-close');
    else return false;
    cursor.out.push(close);
    cursor.open.pop();
  }
}

/** Only behind a bracket: behind a scalar, more of it may be missing than the bracket. */
function isLastCloseMissing({ text, at, open, out, options }: Cursor): boolean {
  const last = out.at(-1);
  const isBehindBracket = last === '}' || last === ']';
  return options.mayClose === true && at >= text.length && open.length === 1 && isBehindBracket;
}

function readKey(cursor: Cursor): boolean {
  const mark = cursor.text[cursor.at];
  if (mark === '"' || mark === "'") return readString(cursor, mark);
  const { bare } = cursor.options;
  if (bare === undefined) return false;
  if (readDelimited(cursor, bare.quotes)) return true;
  BARE_KEY.lastIndex = cursor.at;
  const [key] = BARE_KEY.exec(cursor.text) ?? [];
  if (key === undefined) return false;
  cursor.at += key.length;
  cursor.out.push(JSON.stringify(key));
  cursor.repairs.add('bare-key');
  return true;
}

function readScalar(cursor: Cursor): boolean {
  const mark = cursor.text[cursor.at];
  if (mark === '"' || mark === "'") return readString(cursor, mark);
  if (readDelimited(cursor, cursor.options.bare?.quotes ?? [])) return true;
  WORD.lastIndex = cursor.at;
  const [word] = WORD.exec(cursor.text) ?? [];
  if (word === undefined) return false;
  const literal = PYTHON.get(word);
  if (literal !== undefined) cursor.repairs.add('python-literal');
  else if (!NUMBER_OR_LITERAL.test(word)) return false;
  cursor.at += word.length;
  cursor.out.push(literal ?? word);
  return true;
}

/** A string between texts that stand for quotes and never inside one. */
function readDelimited(cursor: Cursor, quotes: readonly string[]): boolean {
  const quote = quotes.find((one) => cursor.text.startsWith(one, cursor.at));
  if (quote === undefined) return false;
  const from = cursor.at + quote.length;
  const to = cursor.text.indexOf(quote, from);
  if (to < 0) {
    cursor.at = cursor.text.length;
    return false;
  }
  cursor.out.push(JSON.stringify(cursor.text.slice(from, to)));
  cursor.at = to + quote.length;
  return true;
}

function readString(cursor: Cursor, quote: '"' | "'"): boolean {
  const { text } = cursor;
  const from = cursor.at + 1;
  const to = endOfString(text, from, quote);
  if (to < 0) {
    cursor.at = text.length;
    return false;
  }
  const inside = text.slice(from, to);
  // A raw line break behind a backslash could continue the line or be meant; nobody can tell.
  if (BROKEN_ESCAPE.test(inside)) return false;
  if (quote === "'") cursor.repairs.add('single-quotes');
  if (CONTROL.test(inside)) cursor.repairs.add('raw-control');
  cursor.out.push('"', quote === "'" ? inDoubleQuotes(inside) : withEscapes(inside), '"');
  cursor.at = to + 1;
  return quote === '"' || isFollowedByMark(cursor);
}

/** The place of the quote that ends a string, or -1; steps over quotes, not over every escape. */
function endOfString(text: string, from: number, quote: string): number {
  let at = from;
  for (;;) {
    at = text.indexOf(quote, at);
    if (at < 0) return -1;
    let slashes = 0;
    while (at - slashes > from && text.charCodeAt(at - slashes - 1) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
    at += 1;
  }
}

/** JSON has no escaped apostrophe, and needs the other quote escaped. */
function inDoubleQuotes(inside: string): string {
  if (!/["\\]/.test(inside)) return withEscapes(inside);
  // Only where one escape can be taken for another they have to be walked one by one.
  const quoted = /\\["\\]/.test(inside)
    ? inside.replaceAll(/\\[^]|"/g, (mark) => SINGLE_TO_DOUBLE.get(mark) ?? mark)
    : inside.replaceAll("\\'", "'").replaceAll('"', '\\"');
  return withEscapes(quoted);
}

function withEscapes(inside: string): string {
  if (!CONTROL.test(inside)) return inside;
  const escaped = inside.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
  return CONTROL.test(escaped)
    ? escaped.replaceAll(CONTROLS, (mark) => JSON.stringify(mark).slice(1, -1))
    : escaped;
}

/** An apostrophe inside a word ends the string early; then something else than punctuation follows. */
function isFollowedByMark({ text, at, open }: Cursor): boolean {
  if (open.length === 0) return true;
  BEHIND_STRING.lastIndex = at;
  return BEHIND_STRING.test(text);
}

function skipSpace(cursor: Cursor): void {
  SPACE.lastIndex = cursor.at;
  SPACE.test(cursor.text);
  cursor.at = SPACE.lastIndex;
}

const SPACE = /[ \t\r\n]*/y;
const BARE_KEY = /[A-Za-z_][\w-]*/y;
const WORD = /[-+\w.]+/y;
const NUMBER_OR_LITERAL = /^(?:true|false|null|-?\d[\d.eE+-]*)$/;
// What JSON does not take inside a string: control characters, everything below the space.
const CONTROL = /[^ -\uffff]/;
const CONTROLS = /[^ -\uffff]/g;
const BROKEN_ESCAPE = /\\[^ -\uffff]/;
const BACKSLASH = 0x5c;
const SINGLE_TO_DOUBLE: ReadonlyMap<string, string> = new Map([
  ["\\'", "'"],
  ['"', '\\"'],
]);
/** As deep as the strict reader goes, which reads what comes of this. */
const MAX_DEPTH = 1000;
const BEHIND_STRING = /[ \t\r\n]*(?:[,:}\])]|$)/y;
const PYTHON: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
]);
