import type { Diagnostic, JsonObject } from '@millforge/contracts';
import { type ParsedSource, parseSource } from '@millforge/source';
import type { CompileRequest } from '../compile-request.ts';
import type { HarnessSource } from '../harness-source.ts';
import { writeValue } from './write-value.ts';

/** A harness as text, as bytes of text, or as a plain object of the same form. */
export type HarnessInput = string | Uint8Array | JsonObject | HarnessSource;

/** A parsed source, and how findings in it are to be shown. */
export interface ParsedInput extends ParsedSource {
  /** Takes positions off findings when there is no text that they could stand in. */
  readonly present: (diagnostics: readonly Diagnostic[]) => readonly Diagnostic[];
}

/** Parses what a caller gave: text and bytes as they are, an object by way of its JSON text. */
export function parseInput(source: HarnessInput, request: CompileRequest): ParsedInput {
  const logicalPath = request.logicalPath ?? 'in-memory';
  if (typeof source === 'string' || isBytes(source)) {
    const format = request.format ?? formatOf(source, logicalPath);
    const parsed = parseSource({ logicalPath, format, content: source });
    return { ...parsed, present: (diagnostics) => diagnostics };
  }
  // One parser for all: an object passes the same limits and rules as a text.
  const written = writeValue(source);
  if (!written.ok) {
    const diagnostics = [written.diagnostic];
    return { source: null, documentSha256: null, diagnostics, present: (found) => found };
  }
  const parsed = parseSource({ logicalPath, format: 'json', content: written.text });
  return {
    source: parsed.source,
    documentSha256: null,
    diagnostics: parsed.diagnostics.map(withoutPosition),
    present: (diagnostics) => diagnostics.map(withoutPosition),
  };
}

/** A proxy may throw when it is asked for its prototype; such a value is no list of bytes. */
function isBytes(source: unknown): source is Uint8Array {
  try {
    return source instanceof Uint8Array;
  } catch {
    return false;
  }
}

function formatOf(source: string | Uint8Array, logicalPath: string): 'yaml' | 'json' {
  if (/\.ya?ml$/i.test(logicalPath)) return 'yaml';
  if (/\.json$/i.test(logicalPath)) return 'json';
  const start = typeof source === 'string' ? source.slice(0, 64) : asciiOf(source.subarray(0, 64));
  return /^(?:\ufeff|\u00ef\u00bb\u00bf)?\s*\{/.test(start) ? 'json' : 'yaml';
}

function asciiOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

function withoutPosition(diagnostic: Diagnostic): Diagnostic {
  const { span: _, logicalPath: __, ...rest } = diagnostic;
  return rest;
}
