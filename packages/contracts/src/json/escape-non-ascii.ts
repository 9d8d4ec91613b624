/** Writes every code unit of a text from DEL on as a JSON escape; right for JSON text, whose own signs lie below. */
export function escapeNonAscii(text: string): string {
  if (!NON_ASCII.test(text)) return text;
  // Through bytes: one replacement per character takes ten times as long where a text is dense with them.
  const bytes = new Uint8Array(Math.min(text.length, CHUNK) * ESCAPE_BYTES);
  const decoder = new TextDecoder();
  let escaped = '';
  for (let from = 0; from < text.length; from += CHUNK) {
    const length = fill(bytes, text, from);
    escaped += decoder.decode(bytes.subarray(0, length));
  }
  return escaped;
}

function fill(bytes: Uint8Array, text: string, from: number): number {
  const to = Math.min(from + CHUNK, text.length);
  let length = 0;
  for (let index = from; index < to; index++) {
    const unit = text.charCodeAt(index);
    if (unit < DEL) {
      bytes[length++] = unit;
      continue;
    }
    bytes[length++] = BACKSLASH;
    bytes[length++] = LOWER_U;
    bytes[length++] = hexDigit(unit >> 12);
    bytes[length++] = hexDigit((unit >> 8) & 15);
    bytes[length++] = hexDigit((unit >> 4) & 15);
    bytes[length++] = hexDigit(unit & 15);
  }
  return length;
}

function hexDigit(value: number): number {
  return value + (value < 10 ? ZERO : BEFORE_LOWER_A);
}

const CHUNK = 4096;
const ESCAPE_BYTES = 6;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
const DEL = 0x7f;
const ZERO = 0x30;
/** Ten below the letter for ten. */
const BEFORE_LOWER_A = 0x57;
const NON_ASCII = /[\x7f-\uffff]/;
