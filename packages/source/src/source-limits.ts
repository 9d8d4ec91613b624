/** Sizes past which a source document is refused. */
export interface SourceLimits {
  /** Raw bytes of the document, a byte order mark included. */
  readonly maxBytes: number;
  /** Nesting of mappings and lists; the root mapping is level 1. */
  readonly maxDepth: number;
  /** Mapping entries and list items of the whole document together. */
  readonly maxEntries: number;
  /** UTF-8 bytes of one key or string after decoding. */
  readonly maxScalarBytes: number;
  /** Characters of one number as written, sign and exponent included. */
  readonly maxNumberChars: number;
}

/** The limits of the harness source language: part of what a document may be. */
export const SOURCE_LIMITS: SourceLimits = Object.freeze({
  maxBytes: 1_048_576,
  maxDepth: 32,
  maxEntries: 10_000,
  maxScalarBytes: 65_536,
  maxNumberChars: 128,
});
