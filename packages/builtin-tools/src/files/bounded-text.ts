import { endOfWord } from './token-cut.ts';

/** Text of bytes that may have been cut. */
export interface BoundedText {
  /** The text; ends in `[truncated]` when something was left out. */
  readonly text: string;
  /** Whether something was left out. */
  readonly isCut: boolean;
}

/** Decodes at most `maxBytes` of UTF-8, never half a word or character; what is no UTF-8 becomes U+FFFD. */
export function boundedText(bytes: Uint8Array, maxBytes: number): BoundedText {
  if (bytes.length <= maxBytes) return { text: decode(bytes), isCut: false };
  let end = maxBytes;
  // At most three bytes back: what looks like the middle of a longer character is no UTF-8 at all.
  while (end > maxBytes - 3 && end > 0 && isContinuation(bytes[end])) end--;
  const cut = endOfWord(bytes, end);
  return { text: `${decode(bytes.subarray(0, cut))}[truncated]`, isCut: true };
}

/** Whether bytes are those of no text: a NUL stands among the first 8,000, as git judges too. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_HEAD).includes(0);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** The bytes by which a file is judged. */
export const BINARY_HEAD = 8000;
