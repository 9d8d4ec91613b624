import { MillforgeError } from '../error/millforge-error.ts';
import { isNodeId } from '../ids/identifiers.ts';
import { canonicalJson } from '../json/canonical-json.ts';
import { compareCodePoints } from '../json/compare-code-points.ts';
import { deepFreeze } from '../json/freeze.ts';
import type { JsonObject } from '../json/json-value.ts';
import { clampText } from './clamp-text.ts';
import { createRedactor, looksSecret } from './redaction.ts';
import { REDACTED } from './secret-span.ts';

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

/** Facts by name, as a constructor takes them. */
export type DiagnosticFields = { readonly [key: string]: DiagnosticFieldValue };

/** Where a diagnostic stands and what it is about, besides its facts. */
export type DiagnosticPlace = Pick<Diagnostic, 'path'> &
  Partial<Pick<Diagnostic, 'span' | 'hint' | 'related' | 'nodeId' | 'logicalPath'>>;

/** One row of a table of diagnostics. */
export interface DiagnosticDefinition<Fields> {
  /** Permanent code; begins with the family of the table. */
  readonly code: string;
  /** The same in words, kebab-case. */
  readonly name: string;
  /** Default `error`. */
  readonly severity?: 'error' | 'warning';
  /** The phase that finds it. */
  readonly phase: string;
  /** Facts that the message needs but that are not reported as data. */
  readonly messageOnly?: readonly string[];
  /** Builds the one sentence; nothing else builds a message. */
  readonly message: (fields: Fields, place: DiagnosticPlace) => string;
}

/** One typed constructor per row; it clamps what it is given and never throws. */
export type DiagnosticConstructors<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends {
    readonly message: (fields: infer Fields, place: DiagnosticPlace) => string;
  }
    ? DiagnosticConstructor<Fields>
    : never;
};

/** Makes a diagnostic of one code; `fields` is required where the message needs facts. */
export type DiagnosticConstructor<Fields> = (
  found: DiagnosticPlace &
    (unknown extends Fields
      ? { readonly fields?: DiagnosticFields }
      : { readonly fields: Fields & DiagnosticFields }),
) => Diagnostic;

/**
 * Declares the diagnostics of a package and gives one constructor per row.
 *
 * @throws `diagnostic/invalid-table` for a code outside the family or with two names.
 */
export function defineDiagnostics<
  const Table extends { readonly [name: string]: DiagnosticDefinition<never> },
>(family: string, table: Table): DiagnosticConstructors<Table>;
export function defineDiagnostics(
  family: string,
  table: { readonly [name: string]: DiagnosticDefinition<DiagnosticFields> },
): object {
  const codes = new Map<string, string>();
  const constructors: { [name: string]: DiagnosticConstructor<DiagnosticFields> } = {};
  for (const [name, row] of Object.entries(table)) {
    // One code may have several messages, but only one meaning.
    if (!row.code.startsWith(family) || (codes.get(row.code) ?? row.name) !== row.name) {
      throw new MillforgeError(
        'diagnostic/invalid-table',
        `Diagnostic ${name} must have a code that begins with ${family} and stands for one name; it has ${row.code}.`,
      );
    }
    codes.set(row.code, row.name);
    constructors[name] = (found) => build(row, found);
  }
  return Object.freeze(constructors);
}

/** The order in which diagnostics are reported. */
export interface DiagnosticOrder {
  /** Phases, first to last. */
  readonly phases: readonly string[];
  /** Rank of codes inside a phase; a phase without an entry ranks all its codes alike. */
  readonly precedence?: { readonly [phase: string]: PhasePrecedence };
}

/** Rank of the codes of one phase, low first. */
export interface PhasePrecedence {
  /** Rank of single codes. */
  readonly codes: { readonly [code: string]: number };
  /** Rank of every other code. */
  readonly others: number;
}

/** Sorts by phase, rank, line, column, path, code, node and message, so that input order never shows. */
export function sortDiagnostics(
  diagnostics: readonly Diagnostic[],
  order: DiagnosticOrder,
): readonly Diagnostic[] {
  return diagnostics.toSorted(
    (a, b) =>
      phaseRank(a, order) - phaseRank(b, order) ||
      codeRank(a, order) - codeRank(b, order) ||
      (a.span?.line ?? 0) - (b.span?.line ?? 0) ||
      (a.span?.column ?? 0) - (b.span?.column ?? 0) ||
      compareCodePoints(a.path, b.path) ||
      compareCodePoints(a.code, b.code) ||
      compareCodePoints(a.nodeId ?? '', b.nodeId ?? '') ||
      compareCodePoints(a.message, b.message),
  );
}

/** Sorts, then keeps at most 128 diagnostics and 262,144 bytes; a cut ends with the warning `MF-D001`. */
export function boundDiagnostics(
  diagnostics: readonly Diagnostic[],
  order: DiagnosticOrder,
): readonly Diagnostic[] {
  const sorted = sortDiagnostics(diagnostics, order);
  if (sorted.length <= MAX_DIAGNOSTICS && listBytes(sorted.map(bytesOf)) <= MAX_LIST_BYTES) {
    return sorted;
  }
  const truncation = diagnosticsTruncated({ path: '/' });
  const kept = sorted.filter(({ code }) => code !== truncation.code).slice(0, MAX_DIAGNOSTICS - 1);
  const sizes = [bytesOf(truncation), ...kept.map(bytesOf)];
  while (sizes.length > 1 && listBytes(sizes) > MAX_LIST_BYTES) sizes.pop();
  return [...kept.slice(0, sizes.length - 1), truncation];
}

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

type Found = DiagnosticPlace & { readonly fields?: DiagnosticFields };

function build(row: DiagnosticDefinition<DiagnosticFields>, found: Found): Diagnostic {
  const { span, hint, nodeId, logicalPath } = found;
  const facts = found.fields ?? {};
  const related = (found.related ?? []).filter((id) => id.trim() !== '');
  const fields = boundFields(facts, {
    hidden: row.messageOnly ?? [],
    relatedCount: related.length > MAX_RELATED ? related.length : null,
  });
  const message = safeText(row.message(facts, found), MAX_MESSAGE_BYTES);
  return deepFreeze({
    code: row.code,
    name: row.name,
    severity: row.severity ?? 'error',
    phase: row.phase,
    message: message.trim() === '' ? row.name : message,
    path: safeText(found.path.startsWith('/') ? found.path : `/${found.path}`, MAX_PATH_BYTES),
    ...(span === undefined ? {} : { span: { ...span } }),
    ...(hint === undefined ? {} : { hint: safeText(hint, MAX_MESSAGE_BYTES) }),
    ...(related.length === 0
      ? {}
      : { related: related.slice(0, MAX_RELATED).map((id) => safeText(id, MAX_FIELD_BYTES)) }),
    // An id outside the grammar may be anything, also a secret: the path still tells where it stands.
    ...(nodeId !== undefined && isNodeId(nodeId) ? { nodeId } : {}),
    ...(fields.length === 0 ? {} : { fields }),
    ...(logicalPath === undefined ? {} : { logicalPath: safeText(logicalPath, MAX_MESSAGE_BYTES) }),
  });
}

function boundFields(
  facts: DiagnosticFields,
  options: { readonly hidden: readonly string[]; readonly relatedCount: number | null },
): readonly DiagnosticField[] {
  const fields = Object.entries(facts)
    .filter(([key, value]) => isReportable(key, value) && !options.hidden.includes(key))
    .map(([key, value]) => ({ key, value: safeFieldValue(key, value) }))
    .slice(0, options.relatedCount === null ? MAX_FIELDS : MAX_FIELDS - 1);
  if (options.relatedCount !== null) {
    fields.push({ key: 'related_count', value: options.relatedCount });
  }
  return fields.toSorted((a, b) => compareCodePoints(a.key, b.key));
}

function isReportable(key: string, value: DiagnosticFieldValue): boolean {
  return FIELD_KEY.test(key) && (typeof value !== 'number' || Number.isFinite(value));
}

function safeFieldValue(key: string, value: DiagnosticFieldValue): DiagnosticFieldValue {
  if (typeof value !== 'string') return value;
  return looksSecret(value, key) ? REDACTED : safeText(value, MAX_FIELD_BYTES);
}

/** Redacts before it cuts: a cut could leave half of a secret, which no pattern finds. */
function safeText(text: string, maxBytes: number): string {
  return clampText(redactor.text(text), maxBytes);
}

function phaseRank({ phase }: Diagnostic, { phases }: DiagnosticOrder): number {
  const rank = phases.indexOf(phase);
  return rank < 0 ? phases.length : rank;
}

function codeRank({ phase, code }: Diagnostic, { precedence }: DiagnosticOrder): number {
  const ranks = precedence?.[phase];
  return ranks === undefined ? 0 : (ranks.codes[code] ?? ranks.others);
}

function bytesOf(diagnostic: Diagnostic): number {
  // Canonical JSON is ASCII, so its length is its size.
  return canonicalJson(toDiagnosticJson(diagnostic), { newline: false }).length;
}

function listBytes(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size + 1, 1);
}

const MAX_DIAGNOSTICS = 128;
const MAX_LIST_BYTES = 262_144;
const MAX_MESSAGE_BYTES = 1024;
const MAX_PATH_BYTES = 512;
const MAX_FIELD_BYTES = 512;
const MAX_RELATED = 16;
const MAX_FIELDS = 16;
const FIELD_KEY = /^[a-z][a-z0-9_]{0,63}$/;
const redactor = createRedactor();

const { diagnosticsTruncated } = defineDiagnostics('MF-D001', {
  diagnosticsTruncated: {
    code: 'MF-D001',
    name: 'diagnostics-truncated',
    severity: 'warning',
    phase: 'internal',
    message: () => 'Diagnostics were truncated.',
  },
});
