import { admitConnectorTools } from '@millforge/connectors';
import type { Diagnostic } from '@millforge/contracts';

/** The three documents of an admission that is accepted, to be changed by tests. */
export interface Documents {
  snapshot: Draft;
  manifest: Draft;
  policy: Draft;
}

/** A part of a document that a test may change into anything. */
export type Draft = { [K in Name | 0 | 1 | 2]: Draft } & { push(item: Draft): void };

type Name =
  | 'admitted_prompts'
  | 'allow_everything'
  | 'allowed_protocols'
  | 'allowed_transport_kinds'
  | 'approval_policy'
  | 'connector_id'
  | 'created_at'
  | 'denied_tools'
  | 'description'
  | 'description_policy'
  | 'expected_connector_identity_sha256'
  | 'expected_discovery_snapshot_sha256'
  | 'expected_identity'
  | 'expected_raw_tool_sha256'
  | 'implementation_id'
  | 'implementation_version'
  | 'input_schema'
  | 'max_description_utf8'
  | 'model_tool_name'
  | 'output_schema'
  | 'provider_annotations'
  | 'provider_description'
  | 'provider_metadata'
  | 'provider_tool_name'
  | 'provider_tools'
  | 'require_expected_hashes'
  | 'required_capabilities'
  | 'selected_tools'
  | 'side_effect_approval_matrix'
  | 'tool_id'
  | 'version';

/** A fresh copy of the documents. */
export function baseline(): Documents {
  // Tests reach into the documents freely, as whoever writes them by hand does.
  return structuredClone({
    snapshot: SNAPSHOT,
    manifest: MANIFEST,
    policy: POLICY,
  }) as object as Documents;
}

/** Codes and places of what an admission finds. */
export function findings(documents: Documents): readonly string[] {
  return admitConnectorTools(documents).diagnostics.map(
    ({ code, phase, path }) => `${code.slice(0, 7)} ${phase} ${path}`,
  );
}

/** What a diagnostic tells beside its sentence. */
export function factsOf({ fields = [] }: Diagnostic): { readonly [key: string]: string } {
  return Object.fromEntries(fields.map(({ key, value }) => [key, `${value}`]));
}

const CLOSED = { type: 'object', additionalProperties: false };
const TEXT_INPUT = {
  ...CLOSED,
  properties: { text: { type: 'string', description: 'What to say back.' } },
  required: ['text'],
};

const SNAPSHOT = {
  schema_version: 'millforge.connector.discovery_snapshot',
  kind: 'connector_discovery_snapshot',
  version: '1.0',
  connector_identity: {
    connector_id: 'connector.fake_mcp',
    protocol: 'mcp',
    protocol_version: '2025-03-26',
    transport_kind: 'stdio',
    implementation_name: 'fake-mcp',
    implementation_version: '1.0.0',
    discovered_at: '2026-01-01T00:00:00Z',
  },
  created_at: '2026-01-01T00:00:00Z',
  provider_tools: [
    {
      provider_tool_name: 'list_context',
      provider_description: 'Lists what is there.',
      input_schema: { ...CLOSED, properties: {} },
      output_schema: {
        ...CLOSED,
        properties: { names: { type: 'array', items: { type: 'string' } } },
        required: ['names'],
      },
      provider_annotations: { readOnlyHint: true },
    },
    {
      provider_tool_name: 'delete_everything',
      provider_description: 'Deletes everything.',
      input_schema: { ...CLOSED, properties: {} },
      provider_annotations: { destructiveHint: true },
    },
    {
      provider_tool_name: 'echo',
      provider_description: 'Says the text back.',
      input_schema: TEXT_INPUT,
      output_schema: TEXT_INPUT,
    },
  ],
  provider_prompts: ['greeting'],
  provider_resources: ['memo://one'],
  provider_metadata: {},
};

const COMMON = {
  tool_version: 1,
  description_policy: 'operator_supplied',
  input_schema_policy: 'provider_exact',
  output_schema_policy: 'provider_exact',
  input_schema: null,
  output_schema: null,
  produced_artifact_ids: [],
  idempotency: 'idempotent',
  timeout_policy: { timeout_seconds: 10, cancellation_grace_seconds: 1 },
  output_policy: { max_output_bytes: 4096, max_summary_utf8: 2048, redact_secrets: true },
};

const MANIFEST = {
  schema_version: 'millforge.connector.admission_manifest',
  kind: 'connector_admission_manifest',
  version: '1.0',
  connector_id: 'connector.fake_mcp',
  expected_identity: {
    protocol: 'mcp',
    protocol_version: '2025-03-26',
    transport_kind: 'stdio',
    implementation_name: 'fake-mcp',
    implementation_version: '1.0.0',
  },
  selected_tools: [
    {
      ...COMMON,
      provider_tool_name: 'list_context',
      tool_id: 'connector.fake_mcp.list_context',
      implementation_id: 'impl.connector.fake_mcp.list_context.v1',
      model_tool_name: 'list_context',
      description: 'Lists the names of what is there.',
      required_capabilities: ['context.read'],
      side_effect_class: 'read_only',
      approval_policy: 'none',
    },
    {
      ...COMMON,
      provider_tool_name: 'echo',
      tool_id: 'connector.fake_mcp.echo',
      implementation_id: 'impl.connector.fake_mcp.echo.v1',
      model_tool_name: 'echo',
      description: 'Says the text back.',
      required_capabilities: ['echo.call'],
      side_effect_class: 'network_write',
      idempotency: 'idempotent_with_key',
      approval_policy: 'millrace_explicit',
    },
  ],
  denied_tools: [{ provider_tool_name: 'delete_everything', reason: 'it deletes everything' }],
  admitted_prompts: ['greeting'],
  admitted_resources: [],
  policy_metadata: { ticket: 'OPS-12' },
};

const POLICY = {
  allowed_capability_ids: ['context.read', 'echo.call'],
  max_description_utf8: 512,
};
