import type { StructuredPatchHunk } from 'diff';
import type { Span } from './apply-matches.ts';

/**
 * The hunks of a change whose places are known, without comparing anything else: the work grows with the
 * length of the file, not with what changed. Null when they would be larger than `maxLength`.
 */
export function spanHunks(
  before: string,
  spans: readonly Span[],
  maxLength: number,
): StructuredPatchHunk[] | null {
  const blocks = mergeLines(before, spans);
  const size = blocks.reduce((sum, block) => sum + block.end - block.start + block.text.length, 0);
  if (size > maxLength) return null;
  const hunks: StructuredPatchHunk[] = [];
  let counted = { offset: 0, line: 1 };
  let grown = 0;
  let previous: { readonly hunk: StructuredPatchHunk; readonly end: number } | null = null;
  for (const block of blocks) {
    counted = countLines(before, counted, block.start);
    const removed = linesOf(before.slice(block.start, block.end));
    const added = linesOf(block.text);
    const between = previous === null ? null : before.slice(previous.end, block.start);
    const near = between === null ? null : linesOf(between);
    if (previous !== null && near !== null && near.length <= 2 * CONTEXT) {
      extend(previous.hunk, near, ' ');
    } else {
      if (previous !== null) extend(previous.hunk, linesAfter(before, previous.end), ' ');
      const context = linesBefore(before, block.start);
      const oldStart = counted.line - context.length;
      const hunk = { oldStart, oldLines: 0, newStart: oldStart + grown, newLines: 0, lines: [] };
      extend(hunk, context, ' ');
      hunks.push(hunk);
    }
    const hunk = hunks[hunks.length - 1];
    if (hunk === undefined) continue;
    extend(hunk, removed, '-');
    extend(hunk, added, '+');
    grown += added.length - removed.length;
    previous = { hunk, end: block.end };
  }
  if (previous !== null) extend(previous.hunk, linesAfter(before, previous.end), ' ');
  return hunks;
}

/** Whole lines of the original and what stands there now. */
interface Block {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function mergeLines(before: string, spans: readonly Span[]): readonly Block[] {
  const blocks: Block[] = [];
  for (const span of spans) {
    const last = blocks[blocks.length - 1];
    const lineStart = before.lastIndexOf('\n', span.start - 1) + 1;
    const start = span.start === 0 ? 0 : lineStart;
    const end = lineEnd(before, span);
    if (last !== undefined && start < last.end) {
      blocks.pop();
      // The line that both touch already stands at the end of the last block, unchanged behind its span.
      const shared = last.end - span.start;
      const head = last.text.slice(0, last.text.length - shared);
      blocks.push({
        start: last.start,
        end,
        text: head + span.newText + before.slice(span.end, end),
      });
    } else {
      const text = before.slice(start, span.start) + span.newText + before.slice(span.end, end);
      blocks.push({ start, end, text });
    }
  }
  return blocks;
}

/** Where the last line that a span touches ends; one that ends a line touches no more. */
function lineEnd(before: string, { start, end, newText }: Span): number {
  const endsLine = end > start && before[end - 1] === '\n';
  if (endsLine && (newText === '' || newText.endsWith('\n'))) return end;
  const feed = before.indexOf('\n', end);
  return feed < 0 ? before.length : feed + 1;
}

function countLines(
  text: string,
  from: { readonly offset: number; readonly line: number },
  offset: number,
): { readonly offset: number; readonly line: number } {
  let { line } = from;
  for (let at = text.indexOf('\n', from.offset); at >= 0 && at < offset; ) {
    line++;
    at = text.indexOf('\n', at + 1);
  }
  return { offset, line };
}

/** Lines with their line feeds. */
function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

function linesBefore(text: string, end: number): readonly string[] {
  let start = end;
  for (let count = 0; count < CONTEXT && start > 0; count++) {
    start = start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
  }
  return linesOf(text.slice(start, end));
}

function linesAfter(text: string, start: number): readonly string[] {
  let end = start;
  for (let count = 0; count < CONTEXT && end < text.length; count++) {
    const feed = text.indexOf('\n', end);
    end = feed < 0 ? text.length : feed + 1;
  }
  return linesOf(text.slice(start, end));
}

function extend(hunk: StructuredPatchHunk, lines: readonly string[], sign: ' ' | '-' | '+'): void {
  for (const line of lines) {
    const isEnded = line.endsWith('\n');
    hunk.lines.push(sign + (isEnded ? line.slice(0, -1) : line));
    if (!isEnded) hunk.lines.push('\\ No newline at end of file');
  }
  if (sign !== '+') hunk.oldLines += lines.length;
  if (sign !== '-') hunk.newLines += lines.length;
}

const CONTEXT = 4;
