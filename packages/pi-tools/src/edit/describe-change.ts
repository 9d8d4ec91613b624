import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatchHunk, structuredPatch } from 'diff';
import type { Span } from './apply-matches.ts';
import { showHunks } from './show-hunks.ts';
import { spanHunks } from './span-hunks.ts';

/** What an edit changed, for the record and for whoever shows it to a person. */
export interface ChangeDescription {
  /** Unified diff with four lines of context; null when it would be too large. */
  readonly patch: string | null;
  /** The same with line numbers, for people; null when it would be too large. */
  readonly diff: string | null;
  /** First line of the new text that differs, from 1. */
  readonly firstChangedLine: number;
}

/** A text before and after, and the places that differ. */
export interface Change {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** In offsets of `before`. */
  readonly spans: readonly Span[];
}

/** Describes a change within fixed size, in work that grows with the length of the text alone. */
export function describeChange(change: Change): ChangeDescription {
  const { path, before, after } = change;
  const hunks = compare(change) ?? spanHunks(before, change.spans, MAX_SHOWN);
  const firstChangedLine = firstLineOf(hunks) ?? firstDifference(before, after);
  if (hunks === null) return { patch: null, diff: null, firstChangedLine };
  const names = { oldFileName: path, newFileName: path };
  const headers = { oldHeader: undefined, newHeader: undefined };
  const patch = formatPatch({ ...names, ...headers, hunks }, FILE_HEADERS_ONLY);
  const diff = showHunks(hunks, before, after);
  return { patch: bounded(patch), diff: bounded(diff), firstChangedLine };
}

/**
 * Line by line; null when that is too much work. What comes before the first place is left out but for its
 * context, which changes nothing: equal beginnings always stand beside each other.
 */
function compare({ path, before, after, spans }: Change): StructuredPatchHunk[] | null {
  if (before.length > MAX_COMPARED || after.length > MAX_COMPARED) return null;
  const from = contextStart(before, spans[0]?.start ?? 0);
  const options = { context: CONTEXT, maxEditLength: MAX_EDITS };
  const [old, next] = [before.slice(from), after.slice(from)];
  const found = structuredPatch(path, path, old, next, undefined, undefined, options);
  if (found === undefined) return null;
  const lines = countFeedsBefore(before, from);
  return found.hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + lines,
    newStart: hunk.newStart + lines,
  }));
}

/** Where the context begins of a change in the line at an offset. */
function contextStart(text: string, offset: number): number {
  let start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
  for (let line = 0; line < CONTEXT && start > 1; line++) {
    start = text.lastIndexOf('\n', start - 2) + 1;
  }
  return start;
}

function countFeedsBefore(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function bounded(text: string): string | null {
  return text.length <= MAX_SHOWN ? text : null;
}

function firstLineOf(hunks: readonly StructuredPatchHunk[] | null): number | null {
  const [hunk] = hunks ?? [];
  if (hunk === undefined) return null;
  const unchanged = hunk.lines.findIndex((line) => !line.startsWith(' '));
  return hunk.newStart + Math.max(0, unchanged);
}

function firstDifference(before: string, after: string): number {
  let line = 1;
  for (let index = 0; index < after.length && before[index] === after[index]; index++) {
    if (after[index] === '\n') line++;
  }
  return line;
}

const CONTEXT = 4;
const MAX_COMPARED = 1024 * 1024;
const MAX_EDITS = 1000;
const MAX_SHOWN = 32 * 1024;
