import { MillforgeError } from '../error/millforge-error.ts';
import { isNodeId } from '../ids/identifiers.ts';
import { compareCodePoints } from '../json/compare-code-points.ts';
import { deepFreeze } from '../json/freeze.ts';
import { clampText } from './clamp-text.ts';
import type { Diagnostic, DiagnosticField, DiagnosticFieldValue } from './diagnostic.ts';
import { createRedactor, looksSecret } from './redaction.ts';
import { REDACTED } from './secret-span.ts';

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

const MAX_MESSAGE_BYTES = 1024;
const MAX_PATH_BYTES = 512;
const MAX_FIELD_BYTES = 512;
const MAX_RELATED = 16;
const MAX_FIELDS = 16;
const FIELD_KEY = /^[a-z][a-z0-9_]{0,63}$/;
const redactor = createRedactor();
