import {
  canonicalJson,
  type Diagnostic,
  isModelToolName,
  type JsonSchema,
  normalizeSchema,
  type ToolDescriptor,
  withoutAnnotations,
} from '@millforge/contracts';
import { found } from '../diagnostics.ts';
import type { DiscoveredProviderTool } from '../discovery/provider-tool.ts';
import { childPath, utf8Bytes } from '../documents/field-reader.ts';
import type { ConnectorToolSelection } from './admission-manifest.ts';
import type { AdmissionPolicy } from './admission-policy.ts';
import { findInstructions } from './find-instructions.ts';
import { PLACEHOLDER_DESCRIPTION } from './placeholder-description.ts';

/** The tool that a selection makes, or everything that stands against it. */
export interface MadeDescriptor {
  readonly descriptor: ToolDescriptor | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Makes the descriptor of one selection under the rules for texts, schemas, capabilities and approval. */
export function makeDescriptor(
  selection: ConnectorToolSelection,
  tool: DiscoveredProviderTool,
  policy: AdmissionPolicy,
): MadeDescriptor {
  const path = childPath('/selected_tools', selection.provider_tool_name);
  const description = describe(selection, tool, policy);
  const input = chooseSchema('input', selection, tool);
  const output = chooseSchema('output', selection, tool);
  const diagnostics = [
    ...description.diagnostics,
    ...input.diagnostics,
    ...output.diagnostics,
    ...checkCapabilities(selection, policy, path),
    ...checkApproval(selection, policy, path),
    ...checkLimits(selection, description.text, path),
  ];
  if (input.schema === null || output.schema === null || diagnostics.length > 0) {
    return { descriptor: null, diagnostics };
  }
  const descriptor: ToolDescriptor = {
    schema_version: 1,
    kind: 'millforge.tool_descriptor.v1',
    tool_id: selection.tool_id,
    tool_version: selection.tool_version,
    implementation_id: selection.implementation_id,
    model_tool_name: selection.model_tool_name,
    description: description.text,
    input_schema: input.schema,
    output_schema: output.schema,
    required_capabilities: selection.required_capabilities,
    produced_artifact_ids: selection.produced_artifact_ids,
    side_effect_class: selection.side_effect_class,
    idempotency: selection.idempotency,
    timeout_policy: selection.timeout_policy,
    output_policy: selection.output_policy,
  };
  return { descriptor, diagnostics };
}

function describe(
  selection: ConnectorToolSelection,
  tool: DiscoveredProviderTool,
  policy: AdmissionPolicy,
): { readonly text: string; readonly diagnostics: readonly Diagnostic[] } {
  const name = selection.provider_tool_name;
  const path = childPath('/selected_tools', name);
  const text = collapse(selection.description);
  const limit = policy.max_description_utf8;
  const refuse = (place: string, reason: string, phase: 'manifest' | 'admission' = 'manifest') => ({
    text,
    diagnostics: [found[phase].descriptionRefused({ path: place, fields: { reason } })],
  });
  const tooLong = `it takes more than the ${limit} bytes that the policy allows`;
  switch (selection.description_policy) {
    case 'provider_rejected':
      return refuse(`${path}/description_policy`, 'the description of the server was rejected');
    case 'operator_supplied':
      if (text === PLACEHOLDER_DESCRIPTION) {
        return refuse(`${path}/description`, 'it is still the placeholder of the draft');
      }
      return utf8Bytes(text) > limit
        ? refuse(`${path}/description`, tooLong)
        : { text, diagnostics: [] };
    case 'provider_sanitized':
    default: {
      const place = `${childPath('/provider_tools', name)}/provider_description`;
      const said = tool.provider_description;
      if (utf8Bytes(said) > limit) return refuse(place, tooLong, 'admission');
      const instruction = findInstructions(said)[0];
      if (instruction !== undefined) {
        return refuse(place, `the server speaks to the model in it: "${instruction}"`, 'admission');
      }
      return collapse(said) === text
        ? { text, diagnostics: [] }
        : refuse(`${path}/description`, 'it is not what the server says');
    }
  }
}

function chooseSchema(
  side: 'input' | 'output',
  selection: ConnectorToolSelection,
  tool: DiscoveredProviderTool,
): { readonly schema: JsonSchema | null; readonly diagnostics: readonly Diagnostic[] } {
  const field = `${side}_schema` as const;
  const written = selection[field];
  const isExact = selection[`${field}_policy`] === 'provider_exact';
  if (!isExact) return { schema: written, diagnostics: [] };
  const name = selection.provider_tool_name;
  const make =
    side === 'input'
      ? found.admission.inputSchemaUnsupported
      : found.admission.outputSchemaUnsupported;
  const place = `${childPath('/provider_tools', name)}/${field}`;
  const raw = tool[field];
  if (raw === null) {
    const fields = { schema_error: 'the server gives none; supply one' };
    return { schema: null, diagnostics: [make({ path: place, fields })] };
  }
  const normal = normalizeSchema(raw, `/${field}`, { version: '1.1', unfitAnnotations: 'drop' });
  if (!normal.ok) {
    const fields = { error_type: 'SchemaSubsetError', schema_error: normal.message };
    const hint =
      'Admit a schema of your own; a draft of the manifest proposes one and says what it leaves out.';
    return { schema: null, diagnostics: [make({ path: place, fields, hint })] };
  }
  if (
    written === null ||
    canonicalJson(withoutAnnotations(written)) === canonicalJson(withoutAnnotations(normal.value))
  ) {
    return { schema: normal.value, diagnostics: [] };
  }
  const path = `${childPath('/selected_tools', name)}/${field}`;
  const fields = { hash: field, expected: 'the schema of the manifest', actual: 'another schema' };
  return { schema: null, diagnostics: [found.manifest.hashMismatch({ path, fields })] };
}

function checkCapabilities(
  { required_capabilities: required }: ConnectorToolSelection,
  { allowed_capability_ids: allowed }: AdmissionPolicy,
  path: string,
): readonly Diagnostic[] {
  const place = `${path}/required_capabilities`;
  if (required.length === 0) return [found.policy.capabilityMissing({ path: place })];
  return required
    .filter((id) => !allowed.includes(id))
    .map((id) => found.policy.capabilityUnknown({ path: place, fields: { capability_id: id } }));
}

function checkApproval(
  { side_effect_class: effect, approval_policy: approval }: ConnectorToolSelection,
  { side_effect_approval_matrix: matrix }: AdmissionPolicy,
  path: string,
): readonly Diagnostic[] {
  if (matrix[effect]?.includes(approval) === true) return [];
  const fields = { approval_policy: approval, side_effect_class: effect };
  return [found.policy.approvalPolicyInvalid({ path: `${path}/approval_policy`, fields })];
}

/** What a descriptor holds is less than what a manifest may say. */
function checkLimits(
  selection: ConnectorToolSelection,
  description: string,
  path: string,
): readonly Diagnostic[] {
  const fault = (field: string, reason: string): Diagnostic =>
    found.admission.descriptorInvalid({ path: `${path}/${field}`, fields: { field, reason } });
  return [
    ...(isModelToolName(selection.model_tool_name)
      ? []
      : [fault('model_tool_name', '1 to 64 of A-Z a-z 0-9 _ -')]),
    ...(utf8Bytes(selection.implementation_id) <= 256
      ? []
      : [fault('implementation_id', 'text of at most 256 bytes')]),
    ...(description !== '' && utf8Bytes(description) <= 4096
      ? []
      : [fault('description', 'text of 1 to 4,096 bytes')]),
  ];
}

function collapse(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}
