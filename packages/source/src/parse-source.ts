import type { Diagnostic } from '@millforge/contracts';
import type { SourceDocument } from './source-document.ts';
import type { SourceLimits } from './source-limits.ts';

/** One document to parse. */
export interface SourceInput {
  /** Name that diagnostics show; never opened. */
  readonly logicalPath: string;
  /** Notation of the text; anything but these two is answered with `MF-S005`. */
  readonly format: 'yaml' | 'json' | (string & {});
  /** The document as bytes, or as text that stands for its UTF-8 encoding. */
  readonly content: Uint8Array | string;
}

/** Settings of one parse. */
export interface ParseSourceOptions {
  /** Limits that replace those of the harness language, one by one. */
  readonly limits?: Partial<SourceLimits>;
}

/** What came of one parse: a document, or exactly one diagnostic. */
export interface ParsedSource {
  /** The document, or null when it was refused. */
  readonly source: SourceDocument | null;
  /** Digest of the normalised text, or null when the bytes never became text. */
  readonly documentSha256: string | null;
  /** Empty with a document, one error of phase `parse` without. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Turns untrusted YAML or JSON text into a located value, or into one diagnostic.
 *
 * Never throws for any content, never reads more than the limits allow, and never repeats text of
 * the document in a message.
 */
export declare function parseSource(input: SourceInput, options?: ParseSourceOptions): ParsedSource;
