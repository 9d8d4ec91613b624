import type { Diagnostic } from '@millforge/contracts';
import { type SourceFault, toDiagnostic } from './diagnostics.ts';
import { parseJson } from './json/parse-json.ts';
import { indexValue } from './located-value.ts';
import type { SourceDocument } from './source-document.ts';
import { SOURCE_LIMITS, type SourceLimits } from './source-limits.ts';
import { createPositions } from './text/positions.ts';
import { readText } from './text/read-text.ts';
import { parseYaml } from './yaml/parse-yaml.ts';

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
 * Never throws for any content, never builds more than the limits allow, and never repeats text of
 * the document in a message. Time is linear in the size of the content.
 */
export function parseSource(input: SourceInput, options: ParseSourceOptions = {}): ParsedSource {
  const { logicalPath } = input;
  const format = readFormat(input.format);
  const limits: SourceLimits = { ...SOURCE_LIMITS, ...options.limits };
  const read = readText(input.content, limits.maxBytes);
  if (!read.ok) return refused(read.fault, logicalPath, null);
  const { text, sha256: documentSha256 } = read;
  if (format === null) {
    const fault: SourceFault = { rule: 'unknown-format', location: { line: 1, column: 1 } };
    return refused(fault, logicalPath, documentSha256);
  }
  const positions = createPositions(text);
  const parsed = format === 'json' ? parseJson(text, limits) : parseYaml(text, limits);
  if (!parsed.ok) {
    const { rule, offset, detail } = parsed;
    const location = positions.at(Math.min(offset, text.length));
    const fault = detail === undefined ? { rule, location } : { rule, location, detail };
    return refused(fault, logicalPath, documentSha256);
  }
  const source: SourceDocument = Object.freeze({
    kind: 'source_document',
    logicalPath,
    format,
    documentSha256,
    value: parsed.root,
    index: indexValue(parsed.root, parsed.places, positions),
  });
  return { source, documentSha256, diagnostics: [] };
}

function readFormat(format: string): SourceDocument['format'] | null {
  return format === 'yaml' || format === 'json' ? format : null;
}

function refused(
  fault: SourceFault,
  logicalPath: string,
  documentSha256: string | null,
): ParsedSource {
  return { source: null, documentSha256, diagnostics: [toDiagnostic(fault, logicalPath)] };
}
