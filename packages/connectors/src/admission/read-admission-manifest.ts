import {
  deepFreeze,
  IDEMPOTENCIES,
  isArtifactId,
  isDottedId,
  SIDE_EFFECT_CLASSES,
  type ToolOutputPolicy,
  type ToolTimeoutPolicy,
} from '@millforge/contracts';
import { found } from '../diagnostics.ts';
import type { ReadResult } from '../discovery/discovery-snapshot.ts';
import {
  createFieldReader,
  type FieldReader,
  type Place,
  readContextNames,
} from '../documents/field-reader.ts';
import { readExpectedIdentity, SHA256 } from '../identity/connector-identity.ts';
import type {
  ConnectorAdmissionManifest,
  ConnectorToolSelection,
  DeniedConnectorTool,
  DescriptionPolicy,
} from './admission-manifest.ts';
import { isSideEffecting, readApproval } from './approval-policy-name.ts';
import { findManifestConflicts } from './find-manifest-conflicts.ts';

/** Reads a manifest, with everything that is wrong in it; one that selects nothing is good as a draft only. */
export function readAdmissionManifest(
  value: unknown,
  options: {
    /** Whether nothing need be selected yet; default false. */
    readonly mayBeEmpty?: boolean;
  } = {},
): ReadResult<ConnectorAdmissionManifest> {
  const reader = createFieldReader('ConnectorAdmissionManifest', 'manifest');
  const of = reader.fields(value, '', MANIFEST_FIELDS);
  const at = (key: string): Place => ({ of, key });
  const optionalList = (key: string): readonly unknown[] =>
    reader.isAbsent(at(key)) ? [] : reader.list(at(key));
  const manifest: ConnectorAdmissionManifest = {
    schema_version: reader.word(at('schema_version'), ['millforge.connector.admission_manifest']),
    kind: reader.word(at('kind'), ['connector_admission_manifest']),
    version: reader.word(at('version'), ['1.0']),
    connector_id: reader.text(at('connector_id'), { bytes: 160 }),
    expected_identity: readExpectedIdentity(
      reader,
      of.values['expected_identity'],
      '/expected_identity',
    ),
    selected_tools: reader
      .list(at('selected_tools'))
      .map((tool, index) => readSelection(reader, tool, `/selected_tools/${index}`)),
    denied_tools: optionalList('denied_tools').map((tool, index) =>
      readDenied(reader, tool, `/denied_tools/${index}`),
    ),
    admitted_prompts: readContextNames(reader, at('admitted_prompts')),
    admitted_resources: readContextNames(reader, at('admitted_resources')),
    policy_metadata: reader.isAbsent(at('policy_metadata'))
      ? {}
      : reader.metadata(at('policy_metadata'), 'judged'),
    expected_connector_identity_sha256: readDigest(
      reader,
      at('expected_connector_identity_sha256'),
    ),
    expected_discovery_snapshot_sha256: readDigest(
      reader,
      at('expected_discovery_snapshot_sha256'),
    ),
  };
  for (const conflict of findManifestConflicts(manifest)) reader.add(conflict);
  if (manifest.selected_tools.length === 0 && options.mayBeEmpty !== true) {
    const fields = { model: 'ConnectorAdmissionManifest', expected: 'at least one tool' } as const;
    reader.add(found.manifest.documentInvalid({ path: '/selected_tools', fields }));
  }
  return reader.diagnostics.length > 0
    ? { ok: false, diagnostics: reader.diagnostics }
    : { ok: true, value: deepFreeze(manifest) };
}

function readSelection(reader: FieldReader, value: unknown, path: string): ConnectorToolSelection {
  const of = reader.fields(value, path, SELECTION_FIELDS);
  const at = (key: string): Place => ({ of, key });
  const name = (key: string): string => reader.text(at(key), { bytes: 512 });
  const inputPolicy = reader.word(at('input_schema_policy'), [
    'provider_exact',
    'operator_overlay',
  ]);
  const outputPolicy = reader.word(at('output_schema_policy'), [
    'provider_exact',
    'operator_supplied',
  ]);
  const effect = reader.word(at('side_effect_class'), SIDE_EFFECT_CLASSES);
  const approval = readApproval(reader, at('approval_policy'));
  const input = reader.isAbsent(at('input_schema'))
    ? null
    : reader.schema(at('input_schema'), 'input');
  const output = reader.isAbsent(at('output_schema'))
    ? null
    : reader.schema(at('output_schema'), 'output');
  const selection: ConnectorToolSelection = {
    provider_tool_name: reader.text(at('provider_tool_name'), { bytes: 160 }),
    tool_id: reader.text(at('tool_id'), CONNECTOR_TOOL_ID),
    tool_version: reader.integer(at('tool_version'), { low: 1, high: 2_147_483_647 }),
    implementation_id: name('implementation_id'),
    model_tool_name: name('model_tool_name'),
    description: reader.text(at('description'), { bytes: 65_536 }),
    description_policy: reader.word(at('description_policy'), DESCRIPTION_POLICIES),
    input_schema_policy: inputPolicy,
    output_schema_policy: outputPolicy,
    input_schema: input,
    output_schema: output,
    required_capabilities: reader.ids(at('required_capabilities'), CAPABILITY),
    produced_artifact_ids: reader.isAbsent(at('produced_artifact_ids'))
      ? []
      : reader.ids(at('produced_artifact_ids'), ARTIFACT),
    side_effect_class: effect,
    idempotency: reader.word(at('idempotency'), IDEMPOTENCIES),
    timeout_policy: readTimeoutPolicy(
      reader,
      of.values['timeout_policy'],
      `${path}/timeout_policy`,
    ),
    output_policy: readOutputPolicy(reader, of.values['output_policy'], `${path}/output_policy`),
    approval_policy: approval ?? 'forbidden',
    expected_raw_tool_sha256: readDigest(reader, at('expected_raw_tool_sha256')),
    expected_descriptor_sha256: readDigest(reader, at('expected_descriptor_sha256')),
    expected_admission_record_sha256: readDigest(reader, at('expected_admission_record_sha256')),
  };
  if (approval === 'forbidden') reader.add(found.manifest.forbiddenToolAdmitted({ path }));
  if (approval === 'none' && isSideEffecting(effect)) {
    const fields = { approval_policy: approval, side_effect_class: effect };
    reader.add(found.manifest.approvalPolicyInvalid({ path, fields }));
  }
  if (outputPolicy === 'operator_supplied' && output === null) {
    reader.add(lacksSchema('output', path));
  }
  if (inputPolicy === 'operator_overlay' && input === null) reader.add(lacksSchema('input', path));
  return selection;
}

function lacksSchema(side: 'input' | 'output', path: string) {
  const field = `${side}_schema`;
  const fields = { schema_error: `${field} must be given under this policy` };
  const make =
    side === 'input'
      ? found.manifest.inputSchemaUnsupported
      : found.manifest.outputSchemaUnsupported;
  return make({ path: `${path}/${field}`, fields });
}

function readDenied(reader: FieldReader, value: unknown, path: string): DeniedConnectorTool {
  const of = reader.fields(value, path, DENIED_FIELDS);
  const at = (key: string): Place => ({ of, key });
  return {
    provider_tool_name: reader.text(at('provider_tool_name'), { bytes: 160 }),
    reason: reader.text(at('reason'), { bytes: 512 }),
    approval_policy: reader.isAbsent(at('approval_policy'))
      ? 'forbidden'
      : (readApproval(reader, at('approval_policy')) ?? 'forbidden'),
    review_evidence: reader.isAbsent(at('review_evidence'))
      ? {}
      : reader.metadata(at('review_evidence'), 'judged'),
  };
}

function readTimeoutPolicy(reader: FieldReader, value: unknown, path: string): ToolTimeoutPolicy {
  const of = reader.fields(value, path, ['timeout_seconds', 'cancellation_grace_seconds']);
  return {
    timeout_seconds: reader.integer({ of, key: 'timeout_seconds' }, { low: 1, high: 86_400 }),
    cancellation_grace_seconds: reader.integer(
      { of, key: 'cancellation_grace_seconds' },
      { low: 1, high: 3600 },
    ),
  };
}

function readOutputPolicy(reader: FieldReader, value: unknown, path: string): ToolOutputPolicy {
  const of = reader.fields(value, path, ['max_output_bytes', 'max_summary_utf8', 'redact_secrets']);
  return {
    max_output_bytes: reader.integer({ of, key: 'max_output_bytes' }, { low: 1, high: 67_108_864 }),
    max_summary_utf8: reader.integer({ of, key: 'max_summary_utf8' }, { low: 1, high: 65_536 }),
    redact_secrets: reader.flag({ of, key: 'redact_secrets' }),
  };
}

function readDigest(reader: FieldReader, at: Place): string | null {
  return reader.isAbsent(at) ? null : reader.text(at, SHA256);
}

/** Where descriptions may come from, for readers of documents. */
const DESCRIPTION_POLICIES: readonly DescriptionPolicy[] = [
  'operator_supplied',
  'provider_sanitized',
  'provider_rejected',
];
const CONNECTOR_TOOL_ID = {
  bytes: 160,
  isRight: (text: string): boolean => isDottedId(text) && text.startsWith('connector.'),
  expected: 'a dotted id that begins with connector.',
};
const CAPABILITY = { isRight: isDottedId, expected: 'a capability id' };
const ARTIFACT = { isRight: isArtifactId, expected: 'an artifact id' };
const MANIFEST_FIELDS = [
  'schema_version',
  'kind',
  'version',
  'connector_id',
  'expected_identity',
  'selected_tools',
  'denied_tools',
  'admitted_prompts',
  'admitted_resources',
  'policy_metadata',
  'expected_connector_identity_sha256',
  'expected_discovery_snapshot_sha256',
];
const SELECTION_FIELDS = [
  'provider_tool_name',
  'tool_id',
  'tool_version',
  'implementation_id',
  'model_tool_name',
  'description',
  'description_policy',
  'input_schema_policy',
  'output_schema_policy',
  'input_schema',
  'output_schema',
  'required_capabilities',
  'produced_artifact_ids',
  'side_effect_class',
  'idempotency',
  'timeout_policy',
  'output_policy',
  'approval_policy',
  'expected_raw_tool_sha256',
  'expected_descriptor_sha256',
  'expected_admission_record_sha256',
];
const DENIED_FIELDS = ['provider_tool_name', 'reason', 'approval_policy', 'review_evidence'];
