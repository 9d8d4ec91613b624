import {
  IDEMPOTENCIES,
  isArtifactId,
  isDottedId,
  type JsonSchema,
  normalizeSchema,
  SIDE_EFFECT_CLASSES,
} from '@millforge/contracts';
import {
  APPROVAL_WORDS,
  type CustomToolDeclaration,
  type ManifestVersion,
  RUNTIME_KINDS,
  type RuntimeKind,
  requirementOf,
} from '../custom-tool-manifest.ts';
import { found } from '../diagnostics.ts';
import { type FieldReader, type ReadPlace, readFields } from './field-reader.ts';
import { readImplementation } from './read-implementation.ts';

/** Reads one declared tool; whatever is wrong with it is reported. */
export function readDeclaration(
  value: unknown,
  version: ManifestVersion,
  place: ReadPlace,
): CustomToolDeclaration {
  const { path, report } = place;
  const known = version === '1.0' ? FIELDS : [...FIELDS, 'implementation'];
  const read = readFields(value, known, place);
  const kinds: readonly RuntimeKind[] = version === '1.0' ? ['contract_only'] : RUNTIME_KINDS;
  const runtimeKind = read.oneOf('runtime_kind', kinds, KIND);
  const effect = read.oneOf('side_effect_class', SIDE_EFFECT_CLASSES);
  const capabilities = read.set('required_capabilities', {
    is: isDottedId,
    expected: 'capability ids',
    absent: [],
    complaint: found.capabilitiesMalformed,
  });
  const artifacts = read.set('produced_artifact_ids', {
    is: isArtifactId,
    expected: 'artifact ids',
    absent: [],
    complaint: found.artifactsMalformed,
  });
  const approval = requirementOf(read.value('approval_policy'));
  if (approval === null) {
    read.oneOf('approval_policy', APPROVAL_WORDS, { complaint: found.approvalMalformed });
  }
  const toolId = read.word('tool_id', { is: isDottedId, expected: 'a dotted id' });
  const reserved = RESERVED.find((prefix) => `${toolId}.`.startsWith(prefix));
  if (reserved !== undefined) {
    report(found.reservedId({ path: `${path}/tool_id`, fields: { prefix: reserved } }));
  }
  if (approval === 'forbidden') report(found.forbiddenTool({ path: `${path}/approval_policy` }));
  if (effect !== 'read_only' && approval === 'none') {
    const fields = { side_effect_class: effect };
    report(found.approvalRequired({ path: `${path}/approval_policy`, fields }));
  }
  if ((effect !== 'read_only' || artifacts.length > 0) && capabilities.length === 0) {
    const fields = { side_effect_class: effect };
    report(found.capabilityMissing({ path: `${path}/required_capabilities`, fields }));
  }
  return {
    tool_id: toolId,
    tool_version: read.integer('tool_version', { most: 2_147_483_647 }),
    implementation_id: read.text('implementation_id', { maxBytes: FIELD_BYTES }),
    runtime_kind: runtimeKind,
    model_tool_name: read.text('model_tool_name', { maxBytes: FIELD_BYTES }),
    description: read.text('description', { maxBytes: DESCRIPTION_BYTES }),
    description_policy: read.oneOf('description_policy', ['operator_supplied', 'source_supplied']),
    input_schema: readSchema(read, 'input_schema', { ...place, version }),
    output_schema: readSchema(read, 'output_schema', { ...place, version }),
    required_capabilities: capabilities,
    produced_artifact_ids: artifacts,
    side_effect_class: effect,
    idempotency: read.oneOf('idempotency', IDEMPOTENCIES),
    timeout_policy: readTimeouts(read, place),
    output_policy: readOutputPolicy(read, place),
    approval_policy: approval ?? 'forbidden',
    input_policy: read.oneOf('input_policy', EXACT, { absent: 'json_schema_exact' }),
    output_contract_policy: read.oneOf('output_contract_policy', EXACT, {
      absent: 'json_schema_exact',
    }),
    idempotency_key_policy:
      read.value('idempotency_key_policy', { absent: null }) === null
        ? null
        : read.text('idempotency_key_policy', { maxBytes: FIELD_BYTES }),
    // Of a kind that there is not, nobody can say whether it carries code.
    implementation: kinds.some((kind) => kind === read.value('runtime_kind', KIND))
      ? readImplementation(read.value('implementation'), runtimeKind, {
          path: `${path}/implementation`,
          report,
        })
      : null,
    expected_declaration_sha256: read.digest('expected_declaration_sha256'),
    expected_descriptor_sha256: read.digest('expected_descriptor_sha256'),
    expected_compilation_record_sha256: read.digest('expected_compilation_record_sha256'),
  };
}

function readSchema(
  read: FieldReader,
  field: 'input_schema' | 'output_schema',
  { path, report, version }: ReadPlace & { readonly version: ManifestVersion },
): JsonSchema {
  const value = read.value(field);
  const place = { path: `${path}/${field}` };
  const unsupported =
    field === 'input_schema' ? found.inputSchemaUnsupported : found.outputSchemaUnsupported;
  if (typeof value !== 'object' || value === null) {
    report(unsupported({ ...place, fields: { schema_error: `${field} is missing`, field } }));
    return NOTHING;
  }
  const normal = normalizeSchema(value, `/${field}`, { version });
  if (normal.ok) return normal.value;
  const fields = { error_type: 'SchemaSubsetError', schema_error: normal.message };
  report(unsupported({ path: `${path}${normal.path}`, fields }));
  return NOTHING;
}

function readTimeouts(read: FieldReader, { path, report }: ReadPlace) {
  const complaint = found.timeoutInvalid;
  const value = read.value('timeout_policy');
  const fields = readFields(value, ['timeout_seconds', 'cancellation_grace_seconds'], {
    path: `${path}/timeout_policy`,
    report,
    complaint,
  });
  return {
    timeout_seconds: fields.integer('timeout_seconds', { most: 86_400 }),
    cancellation_grace_seconds: fields.integer('cancellation_grace_seconds', { most: 3600 }),
  };
}

function readOutputPolicy(read: FieldReader, { path, report }: ReadPlace) {
  const known = ['max_output_bytes', 'max_summary_utf8', 'redact_secrets'];
  const fields = readFields(read.value('output_policy'), known, {
    path: `${path}/output_policy`,
    report,
    complaint: found.outputPolicyInvalid,
  });
  return {
    max_output_bytes: fields.integer('max_output_bytes', { most: 67_108_864 }),
    max_summary_utf8: fields.integer('max_summary_utf8', { most: 65_536 }),
    redact_secrets: fields.flag('redact_secrets'),
  };
}

const FIELDS = [
  'tool_id',
  'tool_version',
  'implementation_id',
  'runtime_kind',
  'model_tool_name',
  'description',
  'description_policy',
  'input_schema',
  'output_schema',
  'required_capabilities',
  'produced_artifact_ids',
  'side_effect_class',
  'idempotency',
  'timeout_policy',
  'output_policy',
  'approval_policy',
  'input_policy',
  'output_contract_policy',
  'idempotency_key_policy',
  'expected_declaration_sha256',
  'expected_descriptor_sha256',
  'expected_compilation_record_sha256',
];
const KIND = { absent: 'contract_only', complaint: found.runtimeKindUnsupported };
const EXACT = ['json_schema_exact'] as const;
const RESERVED = ['builtin.', 'connector.', 'forged.'];
const FIELD_BYTES = 512;
const DESCRIPTION_BYTES = 65_536;
const NOTHING: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {},
  required: [],
};
