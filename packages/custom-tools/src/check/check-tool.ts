import {
  canonicalJson,
  type Diagnostic,
  type JsonObject,
  type JsonSchema,
  withoutAnnotations,
} from '@millforge/contracts';
import type { CustomToolDeclaration } from '../custom-tool-manifest.ts';
import type { CustomToolPolicy } from '../custom-tool-policy.ts';
import { found } from '../diagnostics.ts';
import { utf8Length } from '../read/field-reader.ts';

/** Checks one declaration against the policy, and its parts against each other. */
export function checkTool(
  tool: CustomToolDeclaration,
  policy: CustomToolPolicy,
  path: string,
): readonly Diagnostic[] {
  return [
    ...checkRuntimeKind(tool, policy, path),
    ...checkSizes(tool, policy, path),
    ...checkCapabilities(tool, policy, path),
    ...checkApproval(tool, policy, path),
    ...checkImplementation(tool, path),
  ];
}

function checkRuntimeKind(
  { runtime_kind }: CustomToolDeclaration,
  policy: CustomToolPolicy,
  path: string,
): readonly Diagnostic[] {
  if (policy.allowed_runtime_kinds.includes(runtime_kind)) return [];
  return [found.runtimeKindRefused({ path: `${path}/runtime_kind`, fields: { runtime_kind } })];
}

function checkSizes(
  tool: CustomToolDeclaration,
  policy: CustomToolPolicy,
  path: string,
): readonly Diagnostic[] {
  const { tool_id, description } = tool;
  const diagnostics: Diagnostic[] = [];
  if (utf8Length(description) > policy.max_description_utf8) {
    const fields = { tool_id, limit: policy.max_description_utf8 };
    diagnostics.push(found.descriptionTooLong({ path: `${path}/description`, fields }));
  }
  const limit = policy.max_schema_bytes;
  for (const [field, tooLarge] of [
    ['input_schema', found.inputSchemaTooLarge],
    ['output_schema', found.outputSchemaTooLarge],
  ] as const) {
    const size = schemaBytes(tool[field]);
    if (size <= limit) continue;
    diagnostics.push(tooLarge({ path: `${path}/${field}`, fields: { limit, size } }));
  }
  return diagnostics;
}

function checkCapabilities(
  { required_capabilities }: CustomToolDeclaration,
  policy: CustomToolPolicy,
  path: string,
): readonly Diagnostic[] {
  return required_capabilities
    .filter((capability) => !policy.allowed_capability_ids.includes(capability))
    .map((capability_id) =>
      found.capabilityUnknown({
        path: `${path}/required_capabilities`,
        fields: { capability_id },
      }),
    );
}

function checkApproval(
  tool: CustomToolDeclaration,
  policy: CustomToolPolicy,
  path: string,
): readonly Diagnostic[] {
  const { tool_id, approval_policy, side_effect_class } = tool;
  const place = `${path}/approval_policy`;
  const admitted = policy.side_effect_approval_matrix[side_effect_class] ?? [];
  const diagnostics: Diagnostic[] = [];
  if (!admitted.includes(approval_policy)) {
    const fields = { approval_policy, side_effect_class };
    diagnostics.push(found.approvalRefused({ path: place, fields }));
  }
  if (tool.produced_artifact_ids.length > 0 && approval_policy === 'none') {
    diagnostics.push(found.artifactApprovalRequired({ path: place, fields: { tool_id } }));
  }
  return diagnostics;
}

/** What a tool says that it does has to cover what its code may do. */
function checkImplementation(
  { implementation, side_effect_class, produced_artifact_ids }: CustomToolDeclaration,
  path: string,
): readonly Diagnostic[] {
  if (implementation === null) return [];
  const reasons: string[] = [];
  if (produced_artifact_ids.length > 0) reasons.push('code in the sandbox produces no artifacts');
  if (implementation.kind === 'sandboxed_js' && side_effect_class !== 'read_only') {
    reasons.push('a function in the sandbox can only read its arguments');
  }
  if (
    implementation.kind === 'sandboxed_command' &&
    implementation.workspace === 'write' &&
    !WRITING.includes(side_effect_class)
  ) {
    reasons.push(`a command that may change the workspace is of the class ${WRITING.join(' or ')}`);
  }
  return reasons.map((reason) =>
    found.implementationMismatch({ path: `${path}/implementation`, fields: { reason } }),
  );
}

function schemaBytes(schema: JsonSchema): number {
  // A schema is JSON by its type, but an interface has no index signature.
  return canonicalJson(withoutAnnotations(schema) as object as JsonObject, { newline: false })
    .length;
}

const WRITING: readonly string[] = ['workspace_write', 'process_execution'];
