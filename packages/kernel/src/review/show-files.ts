import type { CapturedTree, RoleCoverage } from './review-role.ts';

/** A run of lines of one file, as it is shown to a model. */
export interface ShownPart {
  /** The file. */
  readonly path: string;
  /** Number of the first line. */
  readonly first: number;
  /** The lines. */
  readonly lines: readonly string[];
  /** Lines of the whole file. */
  readonly total: number;
  /** Lines that were added or changed since an earlier state; null where none is known. */
  readonly changed: readonly (readonly [number, number])[] | null;
}

/** What one request shows. */
export interface ShownBatch {
  readonly parts: readonly ShownPart[];
}

/** How much is shown at once, and of one file in all. */
export interface ShowLimits {
  /** Most bytes of one request. */
  readonly batchBytes: number;
  /** Most bytes of one file, over all requests. */
  readonly fileBytes: number;
}

/** What is shown of a file: lines of its beginning, of so many. */
export type ShownExtent =
  | { readonly kind: 'text'; readonly shown: number; readonly lines: number }
  | { readonly kind: 'not-text' };

/**
 * Deals the files of a capture out to requests, in their order; a function of the capture alone.
 *
 * A file goes on in the next request where one is full. What does not fit at all is not shown, which `extents`
 * tells.
 */
export async function* dealFiles(
  tree: CapturedTree,
  limits: ShowLimits,
  extents: Map<string, ShownExtent>,
): AsyncIterable<ShownBatch> {
  let parts: ShownPart[] = [];
  let room = limits.batchBytes;
  for (const { path } of tree.files) {
    const lines = await tree.readLines(path);
    if (lines === null) {
      extents.set(path, { kind: 'not-text' });
      continue;
    }
    let shown = 0;
    let fileRoom = limits.fileBytes;
    for (;;) {
      if (room <= 0) {
        yield { parts };
        parts = [];
        room = limits.batchBytes;
      }
      const fitting = countFitting(lines, shown, Math.min(room, fileRoom));
      if (fitting > 0 || lines.length === 0) {
        const taken = lines.slice(shown, shown + fitting);
        const changed = tree.changedLines(path);
        parts.push({ path, first: shown + 1, lines: taken, total: lines.length, changed });
        const bytes = sizeOf(taken);
        room -= bytes + Buffer.byteLength(path) + PART_OVERHEAD;
        fileRoom -= bytes;
        shown += fitting;
      }
      if (shown >= lines.length) break;
      // An empty request that cannot hold the next line never will, nor will a file that is used up.
      const isStuck = countFitting(lines, shown, Math.min(limits.batchBytes, fileRoom)) === 0;
      if (isStuck) break;
      yield { parts };
      parts = [];
      room = limits.batchBytes;
    }
    extents.set(path, { kind: 'text', shown, lines: lines.length });
  }
  if (parts.length > 0) yield { parts };
}

/** How a file was looked at, if every request that shows it was answered. */
export function coverageOf(path: string, extent: ShownExtent | undefined): RoleCoverage {
  if (extent === undefined) return { state: 'none', path, reason: 'not-asked' };
  if (extent.kind === 'not-text') return { state: 'none', path, reason: 'not-text' };
  const { shown, lines } = extent;
  if (shown === lines) return { state: 'whole', path };
  if (shown === 0) return { state: 'none', path, reason: 'line-too-long' };
  return { state: 'truncated', path, shown_lines: shown, lines };
}

function countFitting(lines: readonly string[], from: number, room: number): number {
  let left = room;
  let count = 0;
  for (let place = from; place < lines.length; place += 1) {
    left -= lineSize(lines[place] ?? '');
    if (left < 0) break;
    count += 1;
  }
  return count;
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + lineSize(line), 0);
}

/** A line with its number and its end. */
function lineSize(line: string): number {
  return Buffer.byteLength(line) + LINE_OVERHEAD;
}

const LINE_OVERHEAD = 10;
/** The marks around a part; it keeps a thousand empty files from being one request. */
const PART_OVERHEAD = 64;
