import { type Diagnostic, deepFreeze } from '@millforge/contracts';
import type { SourceDocument } from '@millforge/source';
import { report } from '../diagnostics.ts';
import { type DocumentFault, NOTHING } from '../document-readers.ts';
import type { HarnessSource } from '../harness-source.ts';
import { didYouMean, nearestName } from '../nearest-name.ts';
import { readHarnessShape } from './harness-shape.ts';
import { type Finding, wordFindings } from './word-findings.ts';

/** A harness in its full form, or every fault of its form. */
export type ReadHarnessResult =
  | { readonly ok: true; readonly harness: HarnessSource }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Reads a parsed document as a harness, frozen; all faults of form are collected. */
export function readHarness(document: SourceDocument): ReadHarnessResult {
  const faults: DocumentFault[] = [];
  const harness = readHarnessShape(document.value, {
    path: [],
    faults,
    keysOf: (mapping) => document.index.keysOf(mapping),
  });
  if (harness !== undefined && faults.length === 0)
    return { ok: true, harness: deepFreeze(harness) };
  return { ok: false, diagnostics: wordFindings(faults.map(toFinding), document) };
}

function toFinding(fault: DocumentFault): Finding {
  const path = toPointer(fault.path);
  return {
    path,
    word: (place) =>
      faultConstructor(fault)({
        ...place,
        hint: fault.advice ?? hintFor(fault),
        fields: { field_path: path },
      }),
  };
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
  if (path.length === 0) return '/';
  let pointer = '';
  for (const part of path) {
    const isPlain = typeof part === 'number' || !/[~/]/.test(part);
    pointer += `/${isPlain ? part : part.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return pointer;
}

/** Tells by the place of a fault which code stands for it. */
export function faultConstructor(
  fault: Pick<DocumentFault, 'path'> &
    Partial<Pick<DocumentFault, 'isUnknownKey' | 'isIdentifier'>>,
) {
  if (fault.isUnknownKey === true) return report.unknownField;
  if (fault.path.includes('tool_ref')) return report.toolReferenceInexact;
  if (fault.path[0] === 'budgets') return report.budgetInvalid;
  if (fault.path[0] === 'context') return report.contextPolicyInvalid;
  const isIdentifier =
    fault.isIdentifier === true || fault.path.some((part) => IDENTIFIER_FIELDS.has(String(part)));
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
