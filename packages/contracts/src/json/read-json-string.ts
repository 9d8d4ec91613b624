import { exceedsUtf8, isSurrogate } from './exceeds-utf8.ts';
import { fail, type JsonCursor } from './json-cursor.ts';

/** Reads the string whose opening quote is at the cursor. */
export function readJsonString(cursor: JsonCursor): string | undefined {
  const { text, at: start } = cursor;
  let at = start + 1;
  let isPlain = true;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) break;
    if (code === BACKSLASH) return readEscaped(cursor, at);
    // Past the end of the text the code is NaN, which no comparison accepts.
    if (!(code >= SPACE)) return failInside(cursor, at);
    if (code > TILDE && (code < NO_BREAK_SPACE || isSurrogate(code))) isPlain = false;
    at += 1;
  }
  cursor.at = at + 1;
  const value = text.slice(start + 1, at);
  return isPlain ? admitSize(cursor, start, value) : admit(cursor, start, value);
}

// The engine decodes faster than any loop here; the loop finds the end, and when there is none or the
// engine refuses, a second one finds the first fault.
function readEscaped(cursor: JsonCursor, firstEscape: number): string | undefined {
  const { text, at: start } = cursor;
  let at = firstEscape;
  for (let code = BACKSLASH; code !== QUOTE; code = text.charCodeAt(at)) {
    if (!(code >= SPACE)) return failEscaped(cursor, firstEscape);
    at += code === BACKSLASH ? 2 : 1;
  }
  const value = decode(text.slice(start, at + 1));
  if (value === undefined) return failEscaped(cursor, firstEscape);
  cursor.at = at + 1;
  return admit(cursor, start, value);
}

function decode(token: string): string | undefined {
  try {
    const value: unknown = JSON.parse(token);
    return typeof value === 'string' ? value : undefined;
  } catch {
    // The only fault a token with these ends can have is inside; the caller looks for its place.
    return undefined;
  }
}

function failEscaped(cursor: JsonCursor, firstEscape: number): undefined {
  const { text } = cursor;
  let at = firstEscape;
  for (let code = BACKSLASH; code >= SPACE; code = text.charCodeAt(at)) {
    if (code === BACKSLASH && !isEscape(text, at)) {
      return fail(cursor, at, ['malformed', 'A string holds an escape that JSON does not know.']);
    }
    at += code === BACKSLASH ? 2 : 1;
  }
  return failInside(cursor, at);
}

function isEscape(text: string, at: number): boolean {
  const name = text.charAt(at + 1);
  if (name !== 'u') return name !== '' && SHORT_ESCAPES.includes(name);
  return HEX.test(text.slice(at + 2, at + 6));
}

/** Lets a decoded string through when it holds only characters of text and keeps to the limit. */
function admit(cursor: JsonCursor, start: number, value: string): string | undefined {
  if (!cursor.allowsControls && CONTROL.test(value)) {
    return fail(cursor, start, ['control-character', 'A string holds a control character.']);
  }
  if (!cursor.allowsLoneSurrogates && LONE_SURROGATE.test(value)) {
    return fail(cursor, start, ['lone-surrogate', 'A string holds half of a surrogate pair.']);
  }
  return admitSize(cursor, start, value);
}

function admitSize(cursor: JsonCursor, start: number, value: string): string | undefined {
  const { maxStringBytes } = cursor;
  if (!exceedsUtf8(value, maxStringBytes)) return value;
  return fail(cursor, start, ['string-size', `A string is longer than ${maxStringBytes} bytes.`]);
}

function failInside(cursor: JsonCursor, at: number): undefined {
  return at >= cursor.text.length
    ? fail(cursor, cursor.text.length, ['malformed', 'A string is not closed.'])
    : fail(cursor, at, ['malformed', 'A string holds a control character that is not escaped.']);
}

const SHORT_ESCAPES = '"\\/bfnrt';
const HEX = /^[0-9A-Fa-f]{4}/;
const CONTROL = /[^\P{Cc}\t\n\r]/u;
const LONE_SURROGATE = /\p{Cs}/u;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const TILDE = 0x7e;
const NO_BREAK_SPACE = 0xa0;
