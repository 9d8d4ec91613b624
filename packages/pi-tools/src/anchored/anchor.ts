import { sha256 } from '@millforge/contracts';

/** The address of a line: where it stood, and what it said. */
export interface Anchor {
  /** Number of the line, from 1. */
  readonly line: number;
  /** The first hex digits of the digest of its text. */
  readonly hash: string;
}

/** The anchor of a line. `isText` says whether each character stands for its UTF-8 bytes, or for one byte. */
export function anchorOf(
  line: number,
  text: string,
  { isText }: { readonly isText: boolean },
): Anchor {
  const digest = sha256(isText ? text : Buffer.from(text, 'latin1'));
  return { line, hash: digest.slice(0, HASH_DIGITS) };
}

/** An anchor as a model reads and writes it. */
export function showAnchor({ line, hash }: Anchor): string {
  return `${line}#${hash}`;
}

/** A line with its anchor, as a model reads it. */
export function showRow(anchor: Anchor, text: string): string {
  return `${showAnchor(anchor)}${BAR}${text}`;
}

/** Reads an anchor, also one that the line still hangs on; null for anything else. */
export function parseAnchor(sent: string): Anchor | null {
  const [, line, hash] = ANCHOR.exec(sent.trim()) ?? [];
  return line === undefined || hash === undefined
    ? null
    : { line: Number(line), hash: hash.toLowerCase() };
}

/** The anchor that a row begins with and what follows it; null where there is none. */
export function splitRow(row: string): { readonly anchor: Anchor; readonly text: string } | null {
  const bar = row.indexOf(BAR);
  const anchor = bar < 0 ? null : parseAnchor(row.slice(0, bar));
  return anchor === null ? null : { anchor, text: row.slice(bar + BAR.length) };
}

const HASH_DIGITS = 4;
const BAR = '│';
const ANCHOR = /^(\d{1,9})#([0-9a-f]{4})(?:│.*)?$/is;
