/**
 * What a patch does to one file. Texts are bytes, one character for each, so that nothing is lost of a
 * file that is no UTF-8.
 */
export interface FilePatch {
  /** Path before; null for a new file. */
  readonly oldPath: string | null;
  /** Path afterwards; null for a file that is deleted. */
  readonly newPath: string | null;
  /** Whether the file stays under its old path too. */
  readonly isCopy: boolean;
  /** Whether the file is a program afterwards; null when the patch does not say. */
  readonly isExecutable: boolean | null;
  /** Changed places, in the order of the patch. */
  readonly hunks: readonly Hunk[];
  /** Line of the patch at which it begins, from 1. */
  readonly line: number;
}

/** One changed place with what stands around it. */
export interface Hunk {
  /** First line in the old file, from 1; 0 before the first. */
  readonly oldStart: number;
  /** First line in the new file, likewise. */
  readonly newStart: number;
  /** Lines in their order. */
  readonly lines: readonly HunkLine[];
  /** Line of the patch at which it begins, from 1. */
  readonly line: number;
}

/** A line of a hunk. */
export interface HunkLine {
  /** Kept, removed or added. */
  readonly kind: ' ' | '-' | '+';
  /** Bytes with the line feed; only the last line of a file may have none. */
  readonly text: string;
}

/** The bytes of a text, one character for each. */
export function toBytesText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The bytes behind a text of one character for each. */
export function fromBytesText(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** Lines with their line feeds. */
export function splitLines(text: string): string[] {
  const lines: string[] = [];
  let start = 0;
  for (let feed = text.indexOf('\n'); feed >= 0; feed = text.indexOf('\n', start)) {
    lines.push(text.slice(start, feed + 1));
    start = feed + 1;
  }
  if (start < text.length) lines.push(text.slice(start));
  return lines;
}
