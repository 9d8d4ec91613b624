import type {
  CompiledHarnessPlan,
  JsonValue,
  ModelTool,
  PlanNode,
  Redactor,
} from '@millforge/contracts';
import {
  type GuardPolicy,
  type GuardState,
  initialGuardState,
  type ToolChoice,
} from '@millforge/guard';
import type { PerformedCall } from '@millforge/guard/limits';
import type { StepGate, StepState } from '@millforge/guard/steps';
import type { ToolExecutor } from '@millforge/registry';
import { type Conversation, createConversation } from './conversation.ts';
import { firstMessages } from './first-messages.ts';
import { createObserver, type Observer } from './observer.ts';
import type { AdmittedOutputs } from './output/admit-outputs.ts';
import { planParts } from './plan-parts.ts';
import type { RunOptions } from './run-options.ts';

/** One run: what it is made of, and what changes while it goes on. Nothing outlives it. */
export interface Run {
  readonly options: RunOptions;
  readonly plan: CompiledHarnessPlan;
  readonly executor: ToolExecutor;
  readonly tools: readonly ModelTool[];
  /** The tools as they are recorded. */
  readonly toolsJson: JsonValue;
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
  /** The last calls and their results, to notice loops; those of a loop and not many more. */
  readonly recentCalls: PerformedCall[];
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
  const parts = planParts(plan, admitted.outputs);
  const conversation = createConversation();
  for (const message of firstMessages(plan, { ...options, outputs: admitted.outputs }))
    conversation.add(message);
  return {
    options,
    plan,
    executor,
    tools: parts.tools,
    toolsJson: parts.toolsJson,
    toolTokens: parts.toolTokens,
    nodes: parts.nodes,
    outputs: admitted.outputs,
    policy: { textCalls: writesCallsAsText(options), ...parts.policy },
    gate: parts.gate,
    conversation,
    observer: createObserver(options.onEvent),
    redact: (text) => options.redactor?.text(text) ?? text,
    artifacts: new Set(),
    guard: initialGuardState,
    steps: parts.gate.initial,
    recentCalls: [],
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
