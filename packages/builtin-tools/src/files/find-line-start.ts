import type { OpenedFile } from '../paths/open-file.ts';
import { pathFault, shown } from '../paths/path-fault.ts';
import { toolFault } from '../tool-faults.ts';

/**
 * The byte at which a line of a file begins, found piece by piece.
 *
 * @throws `tool/invalid_arguments` for a line behind the last one, `path/too_large` where it lies deeper
 * in the file than is searched.
 */
export async function findLineStart(
  file: OpenedFile,
  search: { /** From 1. */ readonly line: number; readonly signal: AbortSignal },
): Promise<number> {
  const { size } = file.stats;
  let [line, position] = [1, 0];
  while (line < search.line && position < Math.min(size, MAX_SOUGHT)) {
    search.signal.throwIfAborted();
    const piece = await file.read(position, Math.min(PIECE, size - position));
    if (piece.length === 0) break;
    let at = 0;
    while (line < search.line) {
      const feed = piece.indexOf(FEED, at);
      if (feed < 0) break;
      line++;
      at = feed + 1;
    }
    position += line === search.line ? at : piece.length;
  }
  if (line === search.line && (position < size || line === 1)) return position;
  if (position < size) {
    const sentence = `line ${search.line} of ${shown(file.path)} lies behind the first 64 MiB.`;
    throw pathFault('too_large', sentence);
  }
  throw toolFault(
    'invalid_arguments',
    `start_line: ${shown(file.path)} has fewer than ${search.line} lines.`,
  );
}

const FEED = 0x0a;
const PIECE = 65_536;
const MAX_SOUGHT = 64 * 1024 * 1024;
