import type { ExactJson } from '@millforge/contracts';

/** One position in a document: one-based, columns in Unicode code points. */
export interface SourceLocation {
  /** Line of the normalised text, from 1. */
  readonly line: number;
  /** Code point within the line, from 1. */
  readonly column: number;
}

/** Where the parts of one document stand in its text; asked through `locate` and `entriesOf`. */
export interface SourceIndex {
  /** Keys of a mapping in the order they were written; of a value of another document, in its own. */
  keysOf(container: object): readonly string[];
  /** Position of a mapping entry's key token or of a list item, or null when there is none. */
  locationOf(container: object, key: string | number): SourceLocation | null;
}

/** A parsed document: its frozen value, and a position for every entry and item in it. */
export interface SourceDocument {
  /** Tells this document apart from other values in memory. */
  readonly kind: 'source_document';
  /** Name that diagnostics show; never opened. */
  readonly logicalPath: string;
  /** Notation the text was read as. */
  readonly format: 'yaml' | 'json';
  /** SHA-256 of the text without byte order mark and with LF line ends, in lower-case hex. */
  readonly documentSha256: string;
  /**
   * The root mapping, frozen to its leaves, with number kinds kept.
   *
   * `4` is the number 4 and `4.0` a `JsonFloat`; a fractional number is a plain number; an integer
   * past the safe range is a bigint. `__proto__` is a key like any other. Integer-like keys come
   * first when a mapping is enumerated: ask `entriesOf` where the written order matters.
   */
  readonly value: { readonly [key: string]: ExactJson };
  /** Positions and written order. */
  readonly index: SourceIndex;
}

/** Entries of a mapping of a document in the order they were written, integer-like keys too. */
export function entriesOf(
  document: SourceDocument,
  mapping: { readonly [key: string]: ExactJson },
): readonly (readonly [key: string, value: ExactJson])[] {
  const entries: (readonly [string, ExactJson])[] = [];
  for (const key of document.index.keysOf(mapping)) {
    const value = Object.hasOwn(mapping, key) ? mapping[key] : undefined;
    if (value !== undefined) entries.push([key, value]);
  }
  return entries;
}
