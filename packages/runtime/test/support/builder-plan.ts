import {
  type CompiledHarnessPlan,
  type ContextPolicy,
  defineTool,
  type JsonObject,
  type PlanBudgets,
  type PlanNode,
  planBytes,
  planDigest,
  type Tool,
  type ToolDefinition,
} from '@millforge/contracts';
import { createRegistry, type RegistrySnapshot } from '@millforge/registry';

/** One node of a plan under test, and the tool behind it. */
export interface NodeSpec {
  readonly id: string;
  readonly toolId?: string;
  readonly after?: readonly (string | { readonly node: string; readonly same: string })[];
  readonly required?: boolean;
  readonly terminal?: string;
  readonly produces?: readonly string[];
  readonly input?: JsonObject;
  readonly tool?: Partial<ToolDefinition>;
}

export interface Built {
  readonly plan: CompiledHarnessPlan;
  readonly reference: { readonly bytes: Uint8Array; readonly sha256: string };
  readonly snapshot: RegistrySnapshot;
}

/** Builds a verified plan and the registry of its tools. */
export function buildPlan(
  specs: readonly NodeSpec[],
  options: {
    readonly budgets?: Partial<PlanBudgets>;
    readonly artifacts?: Readonly<Record<string, readonly string[]>>;
    readonly requestContext?: boolean;
    readonly context?: ContextPolicy;
  } = {},
): Built {
  const registry = createRegistry();
  const nodes = specs.map((spec): PlanNode => {
    const tool = toolOf(spec);
    registry.register(tool);
    return nodeOf(spec, tool);
  });
  const snapshot = registry.freeze();
  const bound = nodes.map((node) => {
    const found = snapshot.findTool(node.binding.tool_id, node.binding.tool_version);
    return {
      ...node,
      binding: { ...node.binding, descriptor_sha256: found?.descriptorSha256 ?? '' },
    };
  });
  const draft = planOf(bound, options);
  const plan = { ...draft, compiled_sha256: planDigest(draft) };
  return {
    plan,
    reference: { bytes: planBytes(plan), sha256: plan.compiled_sha256 },
    snapshot,
  };
}

function toolOf(spec: NodeSpec): Tool {
  const isTerminal = spec.terminal !== undefined;
  const toolId = spec.toolId ?? `test.${spec.id}`;
  return defineTool({
    id: toolId,
    name: spec.id,
    description: `Does ${spec.id}.`,
    input:
      spec.input ?? schemaOf(isTerminal ? { summary: 'string' } : { path: 'string' }, ['path']),
    sideEffect: isTerminal ? 'terminal' : 'read_only',
    idempotency: isTerminal ? 'non_idempotent' : 'idempotent',
    capabilities: [isTerminal ? 'terminal.intent' : 'workspace.read'],
    artifacts: spec.produces ?? [],
    origin: toolId.startsWith('builtin.') ? 'builtin' : 'custom',
    ...(spec.tool?.prepare === undefined
      ? {
          run: async (input) => ({
            kind: 'done',
            text: `${spec.id} done ${JSON.stringify(input)}`,
            artifactIds: spec.produces ?? [],
          }),
        }
      : {}),
    ...spec.tool,
  });
}

/** A closed object schema of scalars; those named in `optional` may be absent. */
export function schemaOf(
  properties: Readonly<Record<string, string>>,
  optional: readonly string[] = [],
): JsonObject {
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, type]) => [name, { type }]),
    ),
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
  };
}

function nodeOf(spec: NodeSpec, { descriptor }: Tool): PlanNode {
  return {
    node_id: spec.id,
    model_tool_name: descriptor.model_tool_name,
    description: descriptor.description,
    input_schema: descriptor.input_schema,
    binding: {
      tool_id: descriptor.tool_id,
      tool_version: descriptor.tool_version,
      descriptor_sha256: '',
      implementation_id: descriptor.implementation_id,
    },
    prerequisites: (spec.after ?? []).map((one) =>
      typeof one === 'string'
        ? { node_id: one, argument_matches: [] }
        : {
            node_id: one.node,
            argument_matches: [{ prerequisite_argument: one.same, current_argument: one.same }],
          },
    ),
    required: spec.required ?? false,
    terminal_result: spec.terminal ?? null,
    required_capabilities: descriptor.required_capabilities,
    produced_artifact_ids: descriptor.produced_artifact_ids,
    side_effect_class: descriptor.side_effect_class,
    idempotency: descriptor.idempotency,
  };
}

function planOf(
  nodes: readonly PlanNode[],
  options: NonNullable<Parameters<typeof buildPlan>[1]>,
): CompiledHarnessPlan {
  const produced = nodes.flatMap((node) => node.produced_artifact_ids);
  return {
    schema_version: '1.0',
    kind: 'compiled_millforge_harness',
    harness_id: 'test.builder',
    harness_version: 1,
    source_sha256: 'a'.repeat(64),
    compiled_sha256: 'b'.repeat(64),
    stage_kind_ids: ['builder'],
    model_profile: { profile_id: 'test.model' },
    prompt_policy: {
      policy_id: 'test.prompt',
      system_instructions: 'Build it.',
      include_request_context: options.requestContext ?? false,
    },
    budgets: {
      max_iterations: 20,
      max_validation_retries: 2,
      max_tool_errors: 2,
      max_prerequisite_violations: 2,
      max_premature_terminal_attempts: 3,
      ...options.budgets,
    },
    context_policy: options.context ?? {
      strategy_id: 'forge.tiered.v1',
      budget_tokens: 100_000,
      keep_recent_iterations: 4,
      phase_thresholds: [0.6, 0.8, 0.9],
    },
    nodes: nodes.toSorted((a, b) => (a.node_id < b.node_id ? -1 : 1)),
    required_capabilities: [
      ...new Set(nodes.flatMap((node) => node.required_capabilities)),
    ].toSorted(),
    terminal_result_map: Object.fromEntries(
      nodes.flatMap((node) =>
        node.terminal_result === null ? [] : [[node.node_id, node.terminal_result]],
      ),
    ),
    artifact_policy: {
      declared_artifact_ids: [...new Set(produced)].toSorted(),
      required_by_terminal: Object.entries(options.artifacts ?? {}).map(
        ([terminal_result, artifact_ids]) => ({ terminal_result, artifact_ids }),
      ),
    },
    compiler_identity: { name: 'test', version: '1', build_id: 'test' },
  };
}
