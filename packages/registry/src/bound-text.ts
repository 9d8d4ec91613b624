/** A text within a limit, and whether something was left out. */
export interface BoundedText {
  /** At most the limit in UTF-8 bytes; ends in `[truncated]` when it was cut. */
  readonly text: string;
  /** Whether something was left out. */
  readonly isCut: boolean;
}

/** Cuts a text to a number of UTF-8 bytes, the marker included, never inside a character. */
export function boundText(text: string, maxBytes: number): BoundedText {
  // A UTF-16 unit takes at most three bytes, so most texts need no encoding.
  if (text.length * 3 <= maxBytes) return { text, isCut: false };
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return { text, isCut: false };
  const marker = maxBytes > MARKER.length ? MARKER : '';
  let end = maxBytes - marker.length;
  while (end > 0 && isContinuation(bytes[end])) end--;
  return {
    text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, end)) + marker,
    isCut: true,
  };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** What stands where something was left out. */
export const MARKER = '[truncated]';
