import { type Diagnostic, deepFreeze } from '@millforge/contracts';
import { locate, type SourceDocument } from '@millforge/source';
import { report } from '../diagnostics.ts';
import { type DocumentFault, NOTHING } from '../document-readers.ts';
import type { HarnessSource } from '../harness-source.ts';
import { didYouMean, nearestName } from '../nearest-name.ts';
import { readHarnessShape } from './harness-shape.ts';

/** A harness in its full form, or every fault of its form. */
export type ReadHarnessResult =
  | { readonly ok: true; readonly harness: HarnessSource }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Reads a parsed document as a harness, frozen; all faults of form are collected. */
export function readHarness(document: SourceDocument): ReadHarnessResult {
  const faults: DocumentFault[] = [];
  const keysOf = (mapping: object) => document.index.keysOf(mapping) ?? Object.keys(mapping);
  const harness = readHarnessShape(document.value, { path: [], faults, keysOf });
  if (harness !== undefined && faults.length === 0)
    return { ok: true, harness: deepFreeze(harness) };
  const told = firstInText(faults, document);
  return { ok: false, diagnostics: told.map((fault) => toDiagnostic(fault, document)) };
}

/**
 * The faults that a report can show, for it shows the first ones in the order of the text.
 *
 * A hostile document has thousands, and to word a fault costs far more than to find it.
 */
function firstInText(
  faults: readonly DocumentFault[],
  document: SourceDocument,
): readonly DocumentFault[] {
  if (faults.length <= MAX_WORDED) return faults;
  const placed = faults
    .map((fault) => {
      const span = locate(document, toPointer(fault.path), { listed: LISTED });
      return { fault, line: span?.line ?? 0, column: span?.column ?? 0 };
    })
    .toSorted((left, right) => left.line - right.line || left.column - right.column);
  const last = placed[MAX_WORDED - 1];
  // What stands at one place is put in order by more than the place, so it is kept together.
  return placed
    .filter(
      ({ line, column }, at) =>
        at < MAX_WORDED || (line === last?.line && column === last.column && at < 4 * MAX_WORDED),
    )
    .map(({ fault }) => fault);
}

/** More than the 128 diagnostics that a result holds, so that it still says that there were more. */
const MAX_WORDED = 160;

/** Where a pointer into the model stands in the document, as diagnostics carry it. */
export function placeIn(document: SourceDocument, pointer: string) {
  const span = locate(document, pointer, { listed: LISTED });
  return {
    path: pointer,
    logicalPath: document.logicalPath,
    ...(span === null ? {} : { span }),
  };
}

/** Gives findings in the model their place in the document, each by its own path. */
export function placeFindings(
  diagnostics: readonly Diagnostic[],
  document: SourceDocument,
): readonly Diagnostic[] {
  return diagnostics.map((diagnostic) =>
    Object.freeze({ ...diagnostic, ...placeIn(document, diagnostic.path) }),
  );
}

/** Mappings that the model holds as lists, with the field that an entry's own value becomes. */
const LISTED = {
  nodes: null,
  argument_matches: null,
  required_by_terminal: 'artifact_ids',
  capability_constraints: 'constraints',
};

function toDiagnostic(fault: DocumentFault, document: SourceDocument): Diagnostic {
  const pointer = toPointer(fault.path);
  return constructorFor(fault)({
    ...placeIn(document, pointer),
    hint: fault.advice ?? hintFor(fault),
    fields: { field_path: pointer },
  });
}

function hintFor({ path, expected, found, knownKeys }: DocumentFault): string {
  const key = String(path.at(-1) ?? '');
  if (knownKeys !== undefined) {
    const known = `Known here: ${knownKeys.join(', ')}.`;
    return didYouMean(nearestName(knownKeys)(key)) || known;
  }
  if (found === NOTHING) return `Add the missing key '${key}': ${expected}.`;
  return found === undefined ? `Expected ${expected}.` : `Expected ${expected}, found ${found}.`;
}

function toPointer(path: DocumentFault['path']): string {
  const segments = path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1'));
  return `/${segments.join('/')}`;
}

function constructorFor(fault: DocumentFault) {
  if (fault.isUnknownKey) return report.unknownField;
  if (fault.path.includes('tool_ref')) return report.toolReferenceInexact;
  if (fault.path[0] === 'budgets') return report.budgetInvalid;
  if (fault.path[0] === 'context') return report.contextPolicyInvalid;
  const isIdentifier =
    fault.isIdentifier || fault.path.some((part) => IDENTIFIER_FIELDS.has(String(part)));
  return isIdentifier ? report.identifierInvalid : report.schemaInvalid;
}

const IDENTIFIER_FIELDS: ReadonlySet<string> = new Set([
  'artifact_id',
  'capability_id',
  'current_argument',
  'declared_artifact_ids',
  'harness_id',
  'model_profile_id',
  'model_tool_name',
  'node_id',
  'policy_id',
  'prior_argument',
  'produces',
  'required_by_terminal',
  'required_for',
  'stage_kind_ids',
  'terminal_result',
]);
