/** The lines of a text; an end behind the last one begins no further line. */
export function linesOf(text: string): readonly string[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The text of UTF-8 bytes; null when they are none, or hold a null character. */
export function textOf(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : null;
}
