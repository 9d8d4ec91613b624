/**
 * A path of the file system, one unit per byte. Names need not be text in UTF-8; this form loses nothing
 * of them, and compares in the order of the bytes.
 */
export type BytePath = string;

/** A path in the form of bytes. */
export function toBytePath(path: string): BytePath {
  return isAscii(path) ? path : Buffer.from(path).toString('latin1');
}

/** A path as the file system takes it. */
export function toSystemPath(path: BytePath): string | Buffer {
  return isAscii(path) ? path : Buffer.from(path, 'latin1');
}

/** A path as text; null when it is not UTF-8. */
export function toText(path: BytePath): string | null {
  if (isAscii(path)) return path;
  const bytes = Buffer.from(path, 'latin1');
  const text = bytes.toString();
  return bytes.equals(Buffer.from(text)) ? text : null;
}

/** A path as it can stand in one row: control characters, and bytes that are no UTF-8, as escapes. */
export function toRowName(path: BytePath): string {
  if (PLAIN.test(path)) return path;
  const text = toText(path) ?? withEscapedBytes(path);
  return text.replaceAll(CONTROL, (character) => JSON.stringify(character).slice(1, -1));
}

/** Whole characters stay; every other byte from 0x80 on becomes `\xff`. */
function withEscapedBytes(path: BytePath): string {
  return path.replaceAll(SEQUENCE, (bytes) => {
    const character = bytes.length > 1 ? Buffer.from(bytes, 'latin1').toString() : REPLACEMENT;
    if (!character.includes(REPLACEMENT)) return character;
    return bytes.replaceAll(/./gs, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
  });
}

function isAscii(text: string): boolean {
  return !BEYOND_ASCII.test(text);
}

const REPLACEMENT = '\ufffd';
const BEYOND_ASCII = /[\x80-\uffff]/;
const PLAIN = /^[ -~]*$/;
/** Everything below the space. */
const CONTROL = /[^ -\uffff]/g;
const SEQUENCE =
  /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]/g;
