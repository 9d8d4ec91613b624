import type { CompiledHarnessPlan, ModelTool, PlanNode, Redactor } from '@millforge/contracts';
import {
  createStepGate,
  type GuardPolicy,
  type GuardState,
  initialGuardState,
  initialRepeatState,
  type RepeatState,
  type StepGate,
  type StepState,
  type ToolChoice,
} from '@millforge/guard';
import type { ToolExecutor } from '@millforge/registry';
import { estimateTools } from './context/estimate-tokens.ts';
import { type Conversation, createConversation } from './conversation.ts';
import { firstMessages } from './first-messages.ts';
import { createObserver, type Observer } from './observer.ts';
import { type AdmittedOutputs, withCandidate } from './output/admit-outputs.ts';
import type { RunOptions } from './run-options.ts';

/** One run: what it is made of, and what changes while it goes on. Nothing outlives it. */
export interface Run {
  readonly options: RunOptions;
  readonly plan: CompiledHarnessPlan;
  readonly executor: ToolExecutor;
  readonly tools: readonly ModelTool[];
  readonly nodes: ReadonlyMap<string, PlanNode>;
  readonly outputs: AdmittedOutputs;
  readonly policy: GuardPolicy;
  readonly gate: StepGate;
  readonly conversation: Conversation;
  readonly observer: Observer;
  readonly redact: Redactor['text'];
  /** Estimated tokens of the tools on offer. */
  readonly toolTokens: number;
  /** Artifacts that successful calls have produced. */
  readonly artifacts: Set<string>;
  guard: GuardState;
  steps: StepState;
  /** The last calls and their results, to notice loops. */
  repeats: RepeatState;
  /** What the next request leaves to the model, where the model takes that. */
  toolChoice: ToolChoice;
  turns: number;
  toolCalls: number;
  /** Null as long as the provider reported nothing. */
  inputTokens: number | null;
  outputTokens: number | null;
  costMicros: number | null;
  /** Milliseconds in tool calls, and in model turns of a plan that limits them. */
  wallMs: number;
  /** What the model wrote last besides its calls. */
  lastText: string | null;
  /** Tokens that the provider counts for each estimated one. */
  tokenRatio: number;
  /** Estimated tokens of the request that was sent last. */
  sentTokens: number;
}

/** Begins a run of an admitted plan. */
export function startRun(
  admitted: {
    readonly plan: CompiledHarnessPlan;
    readonly executor: ToolExecutor;
    readonly outputs: AdmittedOutputs;
  },
  options: RunOptions,
): Run {
  const { plan, executor } = admitted;
  const gate = createStepGate(plan.nodes);
  const conversation = createConversation();
  for (const message of firstMessages(plan, { ...options, outputs: admitted.outputs }))
    conversation.add(message);
  const tools = plan.nodes.map((node) => ({
    name: node.model_tool_name,
    description: node.description,
    parameters: withCandidate(node, admitted.outputs),
  }));
  return {
    options,
    plan,
    executor,
    tools,
    toolTokens: estimateTools(tools),
    nodes: new Map(plan.nodes.map((node) => [node.model_tool_name, node])),
    outputs: admitted.outputs,
    policy: { ...policyOf(plan), textCalls: writesCallsAsText(options) },
    gate,
    conversation,
    observer: createObserver(options.onEvent),
    redact: (text) => options.redactor?.text(text) ?? text,
    artifacts: new Set(),
    guard: initialGuardState,
    steps: gate.initial,
    repeats: initialRepeatState,
    toolChoice: 'auto',
    turns: 0,
    toolCalls: 0,
    inputTokens: null,
    outputTokens: null,
    costMicros: null,
    wallMs: 0,
    lastText: null,
    tokenRatio: 1,
    sentTokens: 0,
  };
}

/** Whether the model was declared to take no tools, so that they stand in the prompt. */
function writesCallsAsText({ model }: Pick<RunOptions, 'model'>): boolean {
  return model.capabilities?.tool_calls === 'unsupported';
}

function policyOf({ budgets, nodes }: CompiledHarnessPlan): GuardPolicy {
  return {
    mode: 'strict',
    budgets: {
      validation_retries: budgets.max_validation_retries,
      tool_errors: budgets.max_tool_errors,
      prerequisite_violations: budgets.max_prerequisite_violations,
      premature_terminals: budgets.max_premature_terminal_attempts,
    },
    terminals: nodes
      .filter((node) => node.terminal_result !== null)
      .map((node) => node.model_tool_name),
  };
}
