import type { FileHandle } from 'node:fs/promises';
import { openPlainFile } from '../open-plain-file.ts';

/** The text of a file, or why it is not searched. */
export type Searchable =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary' | 'large' | 'unreadable' };

/** Reads a file for searching; one that was named by the model is searched even if it looks binary. */
export async function readSearchable(path: string, isNamed: boolean): Promise<Searchable> {
  try {
    const { file, stats } = await openPlainFile(path, { isFile: !isNamed });
    try {
      if (stats.size > MAX_BYTES) return { kind: 'large' };
      const bytes = await readBounded(file, stats.size);
      if (bytes === null) return { kind: 'large' };
      const encoding = encodingOf(bytes);
      const isBinary = encoding === 'utf-8' && bytes.subarray(0, SNIFFED_BYTES).includes(0);
      if (isBinary && !isNamed) return { kind: 'binary' };
      return { kind: 'text', text: new TextDecoder(encoding).decode(bytes) };
    } finally {
      await file.close();
    }
  } catch {
    // One closed file must not hide what the others hold; the caller says how many there were.
    return { kind: 'unreadable' };
  }
}

/** All of a file, whatever its size says: some of the system's say nothing. Null beyond the limit. */
async function readBounded(file: FileHandle, size: number): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  for (let length = 0; length <= MAX_BYTES; ) {
    const piece = Buffer.allocUnsafe(Math.max(PIECE_BYTES, size - length));
    const { bytesRead } = await file.read(piece, 0, piece.length, length);
    const isWhole = size > 0 && length + bytesRead === size;
    if (isWhole && length === 0) return piece.subarray(0, bytesRead);
    pieces.push(piece.subarray(0, bytesRead));
    length += bytesRead;
    if (bytesRead === 0 || isWhole) return Buffer.concat(pieces);
  }
  return null;
}

function encodingOf(bytes: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
}

const MAX_BYTES = 16 * 1024 * 1024;
const PIECE_BYTES = 4096;
const SNIFFED_BYTES = 8192;
