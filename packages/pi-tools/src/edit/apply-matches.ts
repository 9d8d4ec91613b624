import type { Match } from './match-edits.ts';
import { lineFeedView } from './text-view.ts';

/** A text with its matched places replaced. */
export interface AppliedMatches {
  readonly text: string;
  /** What was replaced, ascending, in offsets of the original. */
  readonly spans: readonly Span[];
}

/** One stretch of the original and what stands there now. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly newText: string;
}

/**
 * Replaces the matched places; everything else stays as it is, byte for byte.
 *
 * New lines take the ending of the lines they stand among, so that files with mixed endings keep them.
 */
export function applyMatches(text: string, matches: readonly Match[]): AppliedMatches {
  const spans: Span[] = [];
  const pieces: string[] = [];
  let at = 0;
  for (const match of matches) {
    const { start, end, newText } = narrow(text, match);
    const span = { start, end, newText: withEndings(newText, endingAt(text, start, end)) };
    spans.push(span);
    pieces.push(text.slice(at, start), span.newText);
    at = end;
  }
  pieces.push(text.slice(at));
  return { text: pieces.join(''), spans };
}

/** Leaves out what old and new text begin and end with, whole lines only, so that it is not rewritten. */
function narrow(text: string, match: Match): Span {
  const old = lineFeedView(text.slice(match.start, match.end));
  const next = lineFeedView(match.newText).text;
  const shorter = Math.min(old.text.length, next.length);
  let head = 0;
  for (let index = 0; index < shorter && old.text[index] === next[index]; index++) {
    if (next[index] === '\n') head = index + 1;
  }
  let tail = 0;
  for (let length = 1; length <= shorter - head; length++) {
    if (old.text[old.text.length - length] !== next[next.length - length]) break;
    if (next[next.length - length] === '\n') tail = length;
  }
  const start = old.start(head) ?? 0;
  const end = old.start(old.text.length - tail) ?? old.text.length;
  return {
    start: match.start + start,
    end: match.start + end,
    newText: next.slice(head, next.length - tail),
  };
}

/** The first line ending inside the place, else the one before it, else the one after it. */
function endingAt(text: string, start: number, end: number): string {
  const inside = ENDING.exec(text.slice(start, end));
  if (inside !== null) return inside[0];
  const before = text.lastIndexOf('\n', start - 1);
  if (before >= 0 && start > 0) return text[before - 1] === '\r' ? '\r\n' : '\n';
  return ENDING.exec(text.slice(end))?.[0] ?? ENDING.exec(text)?.[0] ?? '\n';
}

function withEndings(text: string, ending: string): string {
  return ending === '\n' ? text : text.replaceAll('\n', ending);
}

const ENDING = /\r\n|\n|\r/;
