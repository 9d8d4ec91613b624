import {
  type Diagnostic,
  defineTool,
  MillforgeError,
  type ToolDescriptor,
} from '@millforge/contracts';
import type { CustomToolDeclaration } from '../custom-tool-manifest.ts';
import { found } from '../diagnostics.ts';

/** Makes the descriptor of a declaration, or says which of its fields is more than a descriptor holds. */
export function lowerTool(
  tool: CustomToolDeclaration,
  path: string,
): { readonly descriptor: ToolDescriptor } | { readonly diagnostic: Diagnostic } {
  try {
    const { descriptor } = defineTool({
      id: tool.tool_id,
      version: tool.tool_version,
      name: tool.model_tool_name,
      description: tool.description,
      input: tool.input_schema,
      output: tool.output_schema,
      sideEffect: tool.side_effect_class,
      idempotency: tool.idempotency,
      capabilities: tool.required_capabilities,
      artifacts: tool.produced_artifact_ids,
      timeoutSeconds: tool.timeout_policy.timeout_seconds,
      graceSeconds: tool.timeout_policy.cancellation_grace_seconds,
      maxOutputBytes: tool.output_policy.max_output_bytes,
      maxTextBytes: tool.output_policy.max_summary_utf8,
      redactSecrets: tool.output_policy.redact_secrets,
      implementationId: tool.implementation_id,
      // Only the descriptor is taken: a contract has no code.
      run: () => Promise.reject(new MillforgeError('internal/unreachable', 'A contract was run.')),
    });
    return { descriptor };
  } catch (error) {
    if (!MillforgeError.is(error, 'tool/invalid-definition')) throw error;
    const field = FIELD_NAMES[fieldOf(error)] ?? fieldOf(error);
    const fields = { error_type: error.code, field };
    return { diagnostic: found.projectionFailed({ path, fields }) };
  }
}

function fieldOf({ details }: MillforgeError): string {
  const facts = typeof details === 'object' && details !== null ? Object.entries(details) : [];
  const field: unknown = facts.find(([name]) => name === 'field')?.[1];
  return typeof field === 'string' ? field : 'declaration';
}

const FIELD_NAMES: Readonly<Record<string, string>> = {
  name: 'model_tool_name',
  implementationId: 'implementation_id',
  input: 'input_schema',
  output: 'output_schema',
};
