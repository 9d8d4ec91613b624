import type { JsonObject, JsonValue } from '@millforge/contracts';

/** A manifest of two tools that is accepted, of which tests change a part. */
export function sampleManifest(): SampleManifest {
  return {
    schema_version: 'millforge.custom_tool.source',
    kind: 'custom_tool_source',
    version: '1.0',
    package_id: 'custom.package',
    package_version: 1,
    source_name: 'sample',
    created_at: '2026-01-02T03:04:05Z',
    tools: [sampleTool('echo'), sampleTool('list')],
    policy_metadata: { owner: 'docs' },
  };
}

/** What a manifest is while a test changes it. */
export interface SampleManifest {
  [field: string]: unknown;
  version: string;
  tools: SampleTool[];
}

/** What a tool is while a test changes it. */
export interface SampleTool {
  [field: string]: unknown;
}

export function sampleTool(name: string): SampleTool {
  return {
    tool_id: `custom.${name}`,
    tool_version: 1,
    implementation_id: `impl.custom.${name}.v1`,
    model_tool_name: `custom_${name}`,
    description: `Answers with the ${name} of a text.`,
    description_policy: 'operator_supplied',
    input_schema: schemaOf('message'),
    output_schema: schemaOf('result'),
    required_capabilities: [`custom.${name}`],
    side_effect_class: 'read_only',
    idempotency: 'idempotent',
    timeout_policy: { timeout_seconds: 5, cancellation_grace_seconds: 1 },
    output_policy: { max_output_bytes: 65_536, max_summary_utf8: 4096, redact_secrets: true },
    approval_policy: 'none',
  };
}

export function schemaOf(property: string): JsonObject {
  return {
    type: 'object',
    additionalProperties: false,
    properties: { [property]: { type: 'string', description: 'A text.' } },
    required: [property],
  };
}

export function samplePolicy(rest: { readonly [field: string]: JsonValue } = {}): JsonObject {
  return {
    allowed_capability_ids: ['custom.echo', 'custom.list'],
    max_description_utf8: 512,
    ...rest,
  };
}
