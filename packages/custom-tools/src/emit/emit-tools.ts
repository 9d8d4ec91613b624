import {
  deepFreeze,
  descriptorDigest,
  digest,
  type ExactJson,
  type JsonSchema,
  type ToolDescriptor,
  withoutAnnotations,
} from '@millforge/contracts';
import type { CustomToolDeclaration, CustomToolManifest } from '../custom-tool-manifest.ts';
import type { CustomToolRecord, ImplementationRecord } from '../custom-tool-record.ts';

/** Digest of what a declaration says; what it expects of digests is not in it. */
export function declarationDigest(
  tool: CustomToolDeclaration,
  implementation: ImplementationRecord | null,
): string {
  return digestOf({
    kind: 'millforge.custom_tool.declaration.v1',
    tool_id: tool.tool_id,
    tool_version: tool.tool_version,
    implementation_id: tool.implementation_id,
    runtime_kind: tool.runtime_kind,
    model_tool_name: tool.model_tool_name,
    description: tool.description,
    description_policy: tool.description_policy,
    input_schema: withoutAnnotations(tool.input_schema),
    output_schema: withoutAnnotations(tool.output_schema),
    required_capabilities: tool.required_capabilities,
    produced_artifact_ids: tool.produced_artifact_ids,
    side_effect_class: tool.side_effect_class,
    idempotency: tool.idempotency,
    timeout_policy: tool.timeout_policy,
    output_policy: tool.output_policy,
    approval_policy: tool.approval_policy,
    input_policy: tool.input_policy,
    output_contract_policy: tool.output_contract_policy,
    idempotency_key_policy: tool.idempotency_key_policy,
    ...implementationPart(implementation),
  });
}

/** Digest of what a manifest means: neither the time nor the order of its tools is in it. */
export function sourceDigest(
  manifest: CustomToolManifest,
  declarations: readonly string[],
): string {
  const tools = manifest.tools.map((tool, index) => ({
    tool_id: tool.tool_id,
    tool_version: tool.tool_version,
    declaration_sha256: declarations[index] ?? '',
  }));
  return digestOf({
    kind: 'millforge.custom_tool.source.v1',
    schema_version: manifest.schema_version,
    source_kind: manifest.kind,
    version: manifest.version,
    package_id: manifest.package_id,
    package_version: manifest.package_version,
    source_name: manifest.source_name,
    tools: tools.toSorted((a, b) =>
      a.tool_id === b.tool_id ? a.tool_version - b.tool_version : a.tool_id < b.tool_id ? -1 : 1,
    ),
    policy_metadata: manifest.policy_metadata,
  });
}

/** Makes the record of a tool, which proves itself by its digest. */
export function emitRecord(
  manifest: CustomToolManifest,
  tool: CustomToolDeclaration,
  made: {
    readonly sourceSha256: string;
    readonly declarationSha256: string;
    readonly descriptor: ToolDescriptor;
    readonly implementation: ImplementationRecord | null;
  },
): CustomToolRecord {
  const fields: Omit<CustomToolRecord, 'compilation_record_sha256'> = {
    kind: 'millforge.custom_tool.compilation_record.v1',
    package_id: manifest.package_id,
    package_version: manifest.package_version,
    source_sha256: made.sourceSha256,
    tool_id: tool.tool_id,
    tool_version: tool.tool_version,
    implementation_id: tool.implementation_id,
    runtime_kind: tool.runtime_kind,
    model_tool_name: tool.model_tool_name,
    declaration_sha256: made.declarationSha256,
    input_schema_sha256: schemaDigest(tool.input_schema),
    output_schema_sha256: schemaDigest(tool.output_schema),
    descriptor_sha256: descriptorDigest(made.descriptor),
    ...implementationPart(made.implementation),
    required_capabilities: tool.required_capabilities,
    produced_artifact_ids: tool.produced_artifact_ids,
    side_effect_class: tool.side_effect_class,
    idempotency: tool.idempotency,
    timeout_policy: tool.timeout_policy,
    output_policy: tool.output_policy,
    approval_policy: tool.approval_policy,
  };
  return deepFreeze({ ...fields, compilation_record_sha256: recordDigest(fields) });
}

/** Digest of a record without its own digest. */
export function recordDigest(fields: Omit<CustomToolRecord, 'compilation_record_sha256'>): string {
  return digestOf(fields);
}

function implementationPart(implementation: ImplementationRecord | null) {
  return implementation === null
    ? {}
    : { implementation_sha256: implementation.implementation_sha256 };
}

function schemaDigest(schema: JsonSchema): string {
  return digestOf(withoutAnnotations(schema));
}

function digestOf(value: object): string {
  // All of it is JSON by its types, but interfaces have no index signature; the encoder refuses anything else.
  return digest(value as ExactJson);
}
