import {
  type CompileInput,
  compileHarness,
  toModelProfileCatalog,
  toToolCatalog,
} from '@millforge/compiler';
import type { Diagnostic, JsonObject, JsonValue } from '@millforge/contracts';

/** A small harness with these top-level parts instead of its own. */
export function harness(parts: JsonObject = {}): JsonObject {
  return {
    schema_version: '1.0',
    kind: 'millforge_harness',
    harness_id: 'test.harness',
    harness_version: 1,
    stage_scope: { stage_kind_ids: ['test'] },
    model_profile_id: 'test.profile',
    prompt: {
      policy_id: 'test.policy',
      system_instructions: 'Do it.\n',
      include_request_context: false,
    },
    budgets: {
      max_iterations: 8,
      max_validation_retries: 2,
      max_tool_errors: 2,
      max_prerequisite_violations: 2,
      max_premature_terminal_attempts: 1,
    },
    context: {
      strategy_id: 'forge.tiered.v1',
      budget_tokens: 8000,
      keep_recent_iterations: 2,
      phase_thresholds: [0.5, 0.75, 1],
    },
    graph: { nodes: { finish: { tool_ref: 'test.finish@1', terminal_result: 'DONE' } } },
    artifacts: {},
    ...parts,
  };
}

/** A harness of these nodes; a node without a tool gets `test.<id>@1`. */
export function graphOf(nodes: { readonly [nodeId: string]: JsonObject }, parts: JsonObject = {}) {
  const bound = Object.entries(nodes).map(([nodeId, body]): [string, JsonValue] => [
    nodeId,
    { tool_ref: `test.${nodeId}@1`, ...body },
  ]);
  return harness({ graph: { nodes: Object.fromEntries(bound) }, ...parts });
}

/** Prerequisites without argument matches. */
export function needs(...nodeIds: readonly string[]): JsonObject {
  return { prerequisites: nodeIds.map((node_id) => ({ node_id })) };
}

/** A descriptor with these fields instead of its own. */
export function tool(id: string, fields: JsonObject = {}): JsonObject {
  return {
    tool_id: id,
    tool_version: 1,
    implementation_id: `impl.${id}`,
    descriptor_sha256: 'ab'.repeat(32),
    model_tool_name: id.replaceAll('.', '_'),
    description: `The tool ${id}.`,
    input_schema: EMPTY,
    output_schema: EMPTY,
    side_effect_class: 'read_only',
    idempotency: 'idempotent',
    ...fields,
  };
}

/** A schema of an object with these properties; names that end in `?` are optional. */
export function objectSchema(properties: JsonObject): JsonObject {
  const entries = Object.entries(properties);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      entries.map(([name, schema]) => [name.replace('?', ''), schema]),
    ),
    required: entries.map(([name]) => name).filter((name) => !name.endsWith('?')),
  };
}

/** Everything that a compilation sees besides the source; tools are made for all nodes unless given. */
export function inputFor(
  source: JsonObject,
  given: Partial<CompileInput> & { tools?: JsonObject[] } = {},
) {
  const { tools, ...rest } = given;
  const known = new Set((tools ?? []).map((entry) => entry['tool_id']));
  const made = toolIdsOf(source).filter((id) => !known.has(id));
  const input: CompileInput = {
    catalog: toToolCatalog([...(tools ?? []), ...made.map((id) => tool(id))]),
    profiles: toModelProfileCatalog(['test.profile']),
    request: { grants: [] },
    ...rest,
  };
  return input;
}

/** What a compilation of a harness finds. */
export function findings(
  source: JsonObject,
  given: Parameters<typeof inputFor>[1] = {},
): readonly Diagnostic[] {
  return compileHarness(source, inputFor(source, given)).diagnostics;
}

/** Findings, each as code, node, related ids and fields in one line. */
export function summaries(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics.map(({ code, nodeId, related, fields }) =>
    [
      code,
      ...(nodeId === undefined ? [] : [nodeId]),
      ...(related ?? []).map((id) => `+${id}`),
      ...(fields ?? []).map(({ key, value }) => `${key}=${String(value)}`),
    ].join(' '),
  );
}

function toolIdsOf(source: JsonObject): readonly string[] {
  const references = JSON.stringify(source).matchAll(/"tool_ref":"([a-z0-9._]+)@1"/g);
  return [...new Set([...references].map(([, id = '']) => id))];
}

const EMPTY: JsonObject = {
  type: 'object',
  additionalProperties: false,
  properties: {},
  required: [],
};
