import { fail, type JsonCursor } from './json-cursor.ts';
import { JsonFloat } from './json-value.ts';

/** Reads a number at the cursor and keeps its kind, or notes that no value stands there. */
export function readJsonNumber(cursor: JsonCursor): number | bigint | JsonFloat | undefined {
  const { text, at: start } = cursor;
  let at = start;
  const isNegative = text.charCodeAt(at) === MINUS;
  if (isNegative) at += 1;
  const first = text.charCodeAt(at);
  const wholeStart = at;
  at = skipDigits(text, at);
  if (at === wholeStart) return failWithoutDigits(cursor);
  if (first === ZERO && at > wholeStart + 1) return failMalformed(cursor);
  const wholeEnd = at;
  if (text.charCodeAt(at) === DOT) {
    at = skipDigits(text, wholeEnd + 1);
    if (at === wholeEnd + 1) return failMalformed(cursor);
  }
  const exponent = text.charCodeAt(at);
  if (exponent === LOWER_E || exponent === UPPER_E) {
    const sign = text.charCodeAt(at + 1);
    const digits = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
    at = skipDigits(text, digits);
    if (at === digits) return failMalformed(cursor);
  }
  if (at - start > cursor.maxNumberChars) {
    return fail(cursor, start, [
      'number-size',
      `A number is longer than ${cursor.maxNumberChars} characters.`,
    ]);
  }
  cursor.at = at;
  if (at === wholeEnd && at - wholeStart <= SMALL_DIGITS) {
    const value = smallInteger(text, wholeStart, at);
    // Integers have one zero: `-0` as a plain number would be the float.
    return isNegative && value !== 0 ? -value : value;
  }
  const lexeme = text.slice(start, at);
  return at === wholeEnd ? toInteger(lexeme) : toFloat(cursor, lexeme);
}

/** Adds the digits up without cutting them out of the text: most numbers are short integers. */
function smallInteger(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) value = value * 10 + text.charCodeAt(at) - ZERO;
  return value;
}

function toInteger(lexeme: string): number | bigint {
  const value = Number(lexeme);
  return Number.isSafeInteger(value) ? value : BigInt(lexeme);
}

function toFloat(cursor: JsonCursor, lexeme: string): number | JsonFloat | undefined {
  const value = Number(lexeme);
  if (!Number.isFinite(value)) {
    return fail(cursor, cursor.at - lexeme.length, ['non-finite', NOT_FINITE]);
  }
  return Number.isInteger(value) ? new JsonFloat(value) : value;
}

function failWithoutDigits(cursor: JsonCursor): undefined {
  const { text, at } = cursor;
  if (NON_FINITE_TOKENS.some((token) => text.startsWith(token, at))) {
    return fail(cursor, at, ['non-finite', NOT_FINITE]);
  }
  if (at >= text.length) return fail(cursor, at, ['malformed', 'The JSON text ends too early.']);
  const isSigned = text.charCodeAt(at) === MINUS;
  return isSigned ? failMalformed(cursor) : fail(cursor, at, ['malformed', 'A value is missing.']);
}

function failMalformed(cursor: JsonCursor): undefined {
  return fail(cursor, cursor.at, ['malformed', 'A number is not written as JSON has it.']);
}

function skipDigits(text: string, from: number): number {
  let at = from;
  let code = text.charCodeAt(at);
  while (code >= ZERO && code <= NINE) {
    at += 1;
    code = text.charCodeAt(at);
  }
  return at;
}

const NON_FINITE_TOKENS = ['NaN', 'Infinity', '+Infinity', '-Infinity'];
const NOT_FINITE = 'A number is not finite.';
const SMALL_DIGITS = 9;
const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;
const LOWER_E = 0x65;
const UPPER_E = 0x45;
