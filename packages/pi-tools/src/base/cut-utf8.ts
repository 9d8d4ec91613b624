/** Bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text);
}

/** The longest beginning of a text that has at most that many bytes in UTF-8; no character is split. */
export function cutUtf8(text: string, maxBytes: number): string {
  if (utf8Length(text) <= maxBytes) return text;
  const bytes = Buffer.from(text);
  let end = Math.max(0, maxBytes);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
