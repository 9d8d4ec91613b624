import {
  type CompiledHarnessPlan,
  createRedactor,
  defineTool,
  type PlanNode,
  type Tool,
  type ToolDefinition,
} from '@millforge/contracts';
import { type ManualClock, manualClock } from '@millforge/contracts/testing';
import {
  type ApprovalPolicy,
  type CallContext,
  type CheckedCall,
  createRegistry,
  createToolExecutor,
  type ExecutedCall,
  type HostFolders,
  type PreparedCall,
  type RefusedCall,
  type ToolExecutor,
} from '@millforge/registry';

/** An executor over some tools, each compiled into a plan under its own name. */
export interface ExecutorWorld {
  readonly executor: ToolExecutor;
  readonly clock: ManualClock;
  readonly context: CallContext;
}

export interface WorldOptions {
  /** Changes nodes as a stale or tampered plan would. */
  readonly node?: (node: PlanNode) => PlanNode;
  readonly plan?: Partial<CompiledHarnessPlan>;
  readonly implementations?: 'none';
  readonly approvals?: ApprovalPolicy;
  readonly hostFolders?: HostFolders;
}

export function executorWorld(tools: readonly Tool[], options: WorldOptions = {}): ExecutorWorld {
  const registry = createRegistry();
  registry.register(...tools);
  const snapshot = registry.freeze();
  const nodes = tools.map((tool) => {
    const digest = snapshot.findTool(tool.descriptor.tool_id, tool.descriptor.tool_version);
    const node = nodeOf(tool, digest?.descriptorSha256 ?? '');
    return options.node?.(node) ?? node;
  });
  const clock = manualClock();
  const executor = createToolExecutor({
    plan: { ...planOf(nodes), ...options.plan },
    snapshot,
    implementations: options.implementations === 'none' ? new Map() : snapshot.implementations,
    clock,
    redactor: createRedactor({ secrets: ['hunter2-hunter2'] }),
    ...(options.approvals === undefined ? {} : { approvals: options.approvals }),
    ...(options.hostFolders === undefined ? {} : { hostFolders: options.hostFolders }),
  });
  const grants = nodes.flatMap((node) => node.required_capabilities);
  const context = { runId: 'run-1', turn: 1, workspace: '/srv/site', grants, prerequisites: [] };
  return { executor, clock, context };
}

/** A tool with defaults for everything that a test does not care about. */
export function toolOf(definition: Partial<ToolDefinition> = {}): Tool {
  const { run, prepare, ...rest } = definition;
  return defineTool({
    id: 'shop.lookup',
    name: 'lookup',
    description: 'Looks something up.',
    input: {
      type: 'object',
      additionalProperties: false,
      properties: { key: { type: 'string' }, count: { type: 'integer' } },
      required: ['key'],
    },
    sideEffect: 'read_only',
    idempotency: 'idempotent',
    ...(prepare === undefined ? { run: run ?? (async () => DONE) } : { prepare }),
    ...rest,
  });
}

export const DONE = { kind: 'done', text: 'found it' } as const;

function nodeOf(tool: Tool, descriptorSha256: string): PlanNode {
  const { descriptor } = tool;
  return {
    node_id: descriptor.model_tool_name,
    model_tool_name: descriptor.model_tool_name,
    description: descriptor.description,
    input_schema: descriptor.input_schema,
    binding: {
      tool_id: descriptor.tool_id,
      tool_version: descriptor.tool_version,
      descriptor_sha256: descriptorSha256,
      implementation_id: descriptor.implementation_id,
    },
    prerequisites: [],
    required: false,
    terminal_result: null,
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
    artifact_policy: { declared_artifact_ids: [], required_by_terminal: [] },
    compiler_identity: { name: 'test', version: '1', build_id: 'test' },
  };
}

/** Checks a call that has to be admitted. */
export function admit(world: ExecutorWorld, input: unknown = { key: 'a' }): CheckedCall {
  const call = check(world, input);
  if (call.kind === 'checked') return call;
  throw new Error(`refused: ${call.outcome.text}`);
}

/** Checks a call that has to be refused. */
export function refuse(world: ExecutorWorld, input: unknown = { key: 'a' }): RefusedCall {
  const call = check(world, input);
  if (call.kind === 'refused') return call;
  throw new Error('admitted');
}

function check(world: ExecutorWorld, input: unknown): CheckedCall | RefusedCall {
  return world.executor.check(
    { name: 'lookup', callId: 'call-1', arguments: input },
    world.context,
  );
}

export async function prepareCall(
  call: CheckedCall,
  signal: AbortSignal = new AbortController().signal,
): Promise<PreparedCall> {
  const prepared = await call.prepare({ signal });
  if (prepared.kind === 'prepared') return prepared;
  throw new Error(`refused: ${prepared.outcome.text}`);
}

/** Takes a call through all stages. */
export async function runCall(
  world: ExecutorWorld,
  input: unknown = { key: 'a' },
  signal: AbortSignal = new AbortController().signal,
): Promise<ExecutedCall> {
  await using prepared = await prepareCall(admit(world, input), signal);
  return await prepared.run({ signal, idempotencyKey: 'key-1' });
}
