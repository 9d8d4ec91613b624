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

/** Line by line; null when that is too much work. */
function compare({ path, before, after }: Change): StructuredPatchHunk[] | null {
  if (before.length > MAX_COMPARED || after.length > MAX_COMPARED) return null;
  const options = { context: 4, maxEditLength: MAX_EDITS };
  return structuredPatch(path, path, before, after, undefined, undefined, options)?.hunks ?? null;
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

const MAX_COMPARED = 1024 * 1024;
const MAX_EDITS = 1000;
const MAX_SHOWN = 32 * 1024;
