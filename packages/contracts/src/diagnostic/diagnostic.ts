import type { JsonObject } from '../json/json-value.ts';

/** A mistake in a user's document, as plain data: returned and collected, never thrown. */
export interface Diagnostic {
  /** Permanent code, for example `MF-R001`. */
  readonly code: string;
  /** The same in words, for example `unknown-tool`. */
  readonly name: string;
  /** Whether it fails the document. */
  readonly severity: 'error' | 'warning';
  /** The phase that found it. */
  readonly phase: string;
  /** One sentence: what is wrong and what was expected; redacted, at most 1,024 bytes. */
  readonly message: string;
  /** RFC 6901 pointer into the document; `/` for the root. */
  readonly path: string;
  /** Where the path stands in the source text. */
  readonly span?: DiagnosticSpan;
  /** What to do about it. */
  readonly hint?: string;
  /** Other ids that take part, at most 16. */
  readonly related?: readonly string[];
  /** The harness node it is about. */
  readonly nodeId?: string;
  /** Facts as data, sorted by key, at most 16. */
  readonly fields?: readonly DiagnosticField[];
  /** Path of the source document, relative to its root. */
  readonly logicalPath?: string;
}

/** A range in a source text; lines and columns count from 1. */
export interface DiagnosticSpan {
  /** First line. */
  readonly line: number;
  /** First column, in characters. */
  readonly column: number;
  /** Last line; that of `line` if absent. */
  readonly endLine?: number;
  /** Column behind the last character; `column` if absent. */
  readonly endColumn?: number;
}

/** One fact of a diagnostic. */
export interface DiagnosticField {
  /** `[a-z][a-z0-9_]*`, at most 64 characters. */
  readonly key: string;
  /** The fact; texts are redacted and at most 512 bytes. */
  readonly value: DiagnosticFieldValue;
}

/** What a fact may be. */
export type DiagnosticFieldValue = string | number | boolean;

/** Writes a diagnostic the way reports and `compile --json` show it; all keys are always present. */
export function toDiagnosticJson(
  diagnostic: Diagnostic,
  options: { readonly logicalPath?: string } = {},
): JsonObject {
  const { code, severity, phase, message, path, span } = diagnostic;
  const logicalPath = diagnostic.logicalPath ?? options.logicalPath;
  const location = span && {
    line: span.line,
    column: span.column,
    end_line: span.endLine ?? span.line,
    end_column: span.endColumn ?? span.column,
  };
  return {
    code,
    severity,
    phase,
    message,
    source_reference:
      logicalPath === undefined
        ? null
        : { logical_path: logicalPath, field_path: path, location: location ?? null },
    harness_id: null,
    node_id: diagnostic.nodeId ?? null,
    related_ids: diagnostic.related ?? [],
    suggested_fix: diagnostic.hint ?? null,
    fields: (diagnostic.fields ?? []).map(({ key, value }) => ({ key, value })),
  };
}
