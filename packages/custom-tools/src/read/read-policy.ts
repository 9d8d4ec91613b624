import { type Diagnostic, isDottedId, SIDE_EFFECT_CLASSES } from '@millforge/contracts';
import {
  APPROVAL_REQUIREMENTS,
  APPROVAL_WORDS,
  type ApprovalRequirement,
  RUNTIME_KINDS,
  type RuntimeKind,
  requirementOf,
} from '../custom-tool-manifest.ts';
import {
  type ApprovalMatrix,
  type CustomToolPolicy,
  DEFAULT_MATRIX,
} from '../custom-tool-policy.ts';
import { found } from '../diagnostics.ts';
import { type Report, readFields } from './field-reader.ts';

/** Reads a policy; null where anything is wrong. */
export function readPolicy(value: unknown): {
  readonly policy: CustomToolPolicy | null;
  readonly diagnostics: readonly Diagnostic[];
} {
  const diagnostics: Diagnostic[] = [];
  const report: Report = (diagnostic) => void diagnostics.push(diagnostic);
  const read = readFields(value, FIELDS, { path: '', report, complaint: found.policyMalformed });
  const policy: CustomToolPolicy = {
    allowed_capability_ids: read.set('allowed_capability_ids', {
      is: isDottedId,
      expected: 'capability ids',
    }),
    allowed_runtime_kinds: readKinds(read.value('allowed_runtime_kinds'), report),
    max_tools: read.integer('max_tools', { most: 128, absent: 128 }),
    max_schema_bytes: read.integer('max_schema_bytes', {
      most: Number.MAX_SAFE_INTEGER,
      absent: 65_536,
    }),
    max_description_utf8: read.integer('max_description_utf8', { most: 65_536, absent: 65_536 }),
    require_expected_hashes: read.flag('require_expected_hashes', { absent: false }),
    side_effect_approval_matrix: readMatrix(read.value('side_effect_approval_matrix'), report),
  };
  return { policy: diagnostics.length === 0 ? policy : null, diagnostics };
}

function readKinds(value: unknown, report: Report): readonly RuntimeKind[] {
  if (value === undefined) return ['contract_only'];
  const kinds = Array.isArray(value) ? RUNTIME_KINDS.filter((kind) => value.includes(kind)) : [];
  if (Array.isArray(value) && kinds.length > 0 && kinds.length === value.length) return kinds;
  const expected = `some of ${RUNTIME_KINDS.join(', ')}`;
  report(found.runtimeKindUnsupported({ path: '/allowed_runtime_kinds', fields: { expected } }));
  return [];
}

function readMatrix(value: unknown, report: Report): ApprovalMatrix {
  if (value === undefined) return DEFAULT_MATRIX;
  const path = '/side_effect_approval_matrix';
  const read = readFields(value, SIDE_EFFECT_CLASSES, {
    path,
    report,
    complaint: found.approvalMalformed,
  });
  const rows = SIDE_EFFECT_CLASSES.flatMap((effect) => {
    const row = read.value(effect);
    if (row === undefined) return [];
    const admitted = APPROVAL_REQUIREMENTS.filter(
      (each) => each !== 'forbidden' && (each !== 'none' || effect === 'read_only'),
    );
    const given = (Array.isArray(row) ? row : [])
      .map(requirementOf)
      .filter((each) => isOneOf(each, admitted));
    if (!Array.isArray(row) || given.length !== row.length) {
      const words = APPROVAL_WORDS.filter((word) => isOneOf(requirementOf(word), admitted));
      const expected = `a list of ${words.join(', ')}`;
      report(found.approvalMalformed({ path: `${path}/${effect}`, fields: { expected } }));
    }
    return [[effect, given] as const];
  });
  return Object.fromEntries(rows);
}

function isOneOf(
  value: unknown,
  words: readonly ApprovalRequirement[],
): value is ApprovalRequirement {
  return words.some((word) => word === value);
}

const FIELDS = [
  'allowed_capability_ids',
  'allowed_runtime_kinds',
  'max_tools',
  'max_schema_bytes',
  'max_description_utf8',
  'require_expected_hashes',
  'side_effect_approval_matrix',
];
