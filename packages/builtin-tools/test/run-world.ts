import {
  type BuiltinRun,
  type BuiltinToolOptions,
  builtinTools,
  openBaseline,
} from '@millforge/builtin-tools';
import {
  type CompiledHarnessPlan,
  createRedactor,
  type JsonValue,
  type PlanNode,
  type RunArtifacts,
  type ToolDescriptor,
  type ToolOutcome,
} from '@millforge/contracts';
import { memoryArtifacts } from '@millforge/kernel/artifacts';
import {
  createRegistry,
  createToolExecutor,
  type RegistrySnapshot,
  type ToolTraceRecord,
} from '@millforge/registry';
import { realClock, type ToolWorld, toolWorld } from './tool-world.ts';

/** All built-in tools behind the real executor, in a run that the host has told them of. */
export interface RunWorld extends ToolWorld {
  readonly artifacts: RunArtifacts;
  readonly snapshot: RegistrySnapshot;
  /** Takes the workspace as it is for the beginning of the run; null for a run without one. */
  begin(directory?: string | null): Promise<void>;
  /** Takes a call through the executor. */
  execute(name: string, input: unknown, signal?: AbortSignal): Promise<Executed>;
}

export interface Executed {
  readonly outcome: ToolOutcome;
  readonly trace: ToolTraceRecord;
  readonly before?: JsonValue | null;
}

export interface RunOptions extends BuiltinToolOptions {
  readonly plan?: Partial<CompiledHarnessPlan>;
  readonly task?: string;
  readonly secrets?: readonly string[];
  /** Terminal results by name of the tool. */
  readonly terminals?: Readonly<Record<string, string>>;
}

export async function runWorld(options: RunOptions = {}, parent?: string): Promise<RunWorld> {
  const artifacts = memoryArtifacts();
  const state: { baseline: BuiltinRun['baseline'] } = { baseline: null };
  const { plan: changes, task = 'Mend the test.', terminals = {}, ...rest } = options;
  const findRun = (runId: string): BuiltinRun | null =>
    runId === 'run-1' ? { task, grants, plan, artifacts, baseline: state.baseline } : null;
  const toolOptions: BuiltinToolOptions = { ...rest, findRun };
  const registry = createRegistry();
  const tools = builtinTools(toolOptions);
  registry.register(...tools);
  const snapshot = registry.freeze();
  const nodes = tools.map(({ descriptor }) => {
    const found = snapshot.findTool(descriptor.tool_id, descriptor.tool_version);
    return nodeOf({ descriptor, sha256: found?.descriptorSha256 ?? '' }, terminals);
  });
  const grants = [...new Set(nodes.flatMap((node) => node.required_capabilities))].toSorted();
  const plan: CompiledHarnessPlan = { ...planOf(nodes), ...changes };
  const executor = createToolExecutor({
    plan,
    snapshot,
    implementations: snapshot.implementations,
    clock: realClock,
    redactor: createRedactor({ secrets: options.secrets ?? [] }),
  });
  const world = await toolWorld(toolOptions, parent);
  return {
    ...world,
    artifacts,
    snapshot,
    async begin(directory = null) {
      const { workspace } = world;
      state.baseline = await openBaseline({ workspace, directory, clock: realClock });
    },
    async execute(name, input, signal = new AbortController().signal) {
      const call = executor.check(
        { name, callId: 'call-1', arguments: input },
        { runId: 'run-1', turn: 1, workspace: world.workspace, grants, prerequisites: [] },
      );
      if (call.kind === 'refused') return call;
      const prepared = await call.prepare({ signal });
      if (prepared.kind === 'refused') return prepared;
      await using held = prepared;
      const { before } = held;
      return { ...(await held.run({ signal, idempotencyKey: `key of ${world.folder}` })), before };
    },
  };
}

/** The outcome of a call that has to succeed. */
export async function succeed(
  world: RunWorld,
  name: string,
  input: unknown = {},
): Promise<ToolOutcome> {
  const { outcome } = await world.execute(name, input);
  if (outcome.status !== 'success') throw new Error(`${outcome.error_code}: ${outcome.text}`);
  return outcome;
}

function nodeOf(
  { descriptor, sha256 }: { readonly descriptor: ToolDescriptor; readonly sha256: string },
  terminals: Readonly<Record<string, string>>,
): PlanNode {
  return {
    node_id: descriptor.model_tool_name,
    model_tool_name: descriptor.model_tool_name,
    description: descriptor.description,
    input_schema: descriptor.input_schema,
    binding: {
      tool_id: descriptor.tool_id,
      tool_version: descriptor.tool_version,
      descriptor_sha256: sha256,
      implementation_id: descriptor.implementation_id,
    },
    prerequisites: [],
    required: false,
    terminal_result: terminals[descriptor.model_tool_name] ?? null,
    required_capabilities: descriptor.required_capabilities,
    produced_artifact_ids: descriptor.produced_artifact_ids,
    side_effect_class: descriptor.side_effect_class,
    idempotency: descriptor.idempotency,
  };
}

function planOf(nodes: readonly PlanNode[]): CompiledHarnessPlan {
  const terminals = nodes.filter((node) => node.terminal_result !== null);
  return {
    schema_version: '1.0',
    kind: 'compiled_millforge_harness',
    harness_id: 'test.harness',
    harness_version: 1,
    source_sha256: '0'.repeat(64),
    compiled_sha256: '0'.repeat(64),
    stage_kind_ids: ['execution'],
    model_profile: { profile_id: 'test.profile' },
    prompt_policy: {
      policy_id: 'test.prompt',
      system_instructions: 'Work.',
      include_request_context: false,
    },
    budgets: {
      max_iterations: 10,
      max_validation_retries: 2,
      max_tool_errors: 2,
      max_prerequisite_violations: 2,
      max_premature_terminal_attempts: 2,
    },
    context_policy: {
      strategy_id: 'forge.tiered.v1',
      budget_tokens: 1000,
      keep_recent_iterations: 2,
      phase_thresholds: [0.6, 0.75, 0.9],
    },
    nodes,
    required_capabilities: [],
    terminal_result_map: Object.fromEntries(
      terminals.map((node) => [node.node_id, node.terminal_result ?? '']),
    ),
    artifact_policy: {
      declared_artifact_ids: [
        'arbiter_verdict',
        'checker_verdict',
        'patch_summary',
        'plan',
        'test_results',
        'workspace_diff',
      ],
      required_by_terminal: [],
    },
    compiler_identity: { name: 'test', version: '1', build_id: 'test' },
  };
}
