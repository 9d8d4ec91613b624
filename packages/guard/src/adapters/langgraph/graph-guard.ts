import { type JsonObject, type ModelReply, unreachable } from '@millforge/contracts';
import type { Exhaustion } from '../../exhaustion.ts';
import type { GuardDecision, InspectedCall } from '../../guard-decision.ts';
import { defaultPolicy, type GuardPolicy } from '../../guard-policy.ts';
import { type GuardState, initialGuardState } from '../../guard-state.ts';
import type { GuardTool } from '../../guard-tool.ts';
import { inspectReply } from '../../inspect-reply.ts';
import type { ToolChoice } from '../../judge/judge-text.ts';
import { settleBatch } from '../../settle-batch.ts';
import { textOf } from '../read-field.ts';
import { contentOf, kindOf, replyOf } from './from-langchain.ts';

/** How replies are guarded. */
export interface GraphGuardOptions {
  /** The tools on offer, as `toGuardTool` makes them. */
  readonly tools: readonly GuardTool[];
  /** How replies are judged; default `defaultPolicy`. */
  readonly policy?: GuardPolicy;
  /** The choice that the requests leave to the model; default `auto`. */
  readonly toolChoice?: ToolChoice;
}

/** What the guard keeps in a channel of the graph: plain, so that a checkpoint holds it. */
export interface GraphGuardRecord {
  /** The counts of mistakes. */
  readonly state: GuardState;
  /** Where the graph goes on: to the tools, back to the model, or nowhere. */
  readonly next: 'tools' | 'model' | 'end';
  /** The budget that is used up, when that ended it. */
  readonly exhaustion: Exhaustion | null;
}

/** What is used of the state of the graph. */
export interface GraphState {
  /** The conversation; its last message is the model's. */
  readonly messages: readonly object[];
  /** What the guard kept. */
  readonly guard?: GraphGuardRecord | null | undefined;
}

/** What the node changes in the state of the graph. */
export interface GraphUpdate {
  /** Messages to add, or to put in the place of those with the same id. */
  readonly messages: MessageUpdate[];
  /** What the guard keeps. */
  readonly guard: GraphGuardRecord;
}

/** A message in the form that LangGraph turns into its own. */
export type MessageUpdate =
  | {
      readonly role: 'assistant';
      readonly id?: string;
      readonly content: string;
      readonly tool_calls?: { id: string; name: string; args: JsonObject; type: 'tool_call' }[];
    }
  | { readonly role: 'user'; readonly content: string }
  | {
      readonly role: 'tool';
      readonly tool_call_id: string;
      readonly name: string;
      readonly content: string;
      readonly status: 'error';
    };

/** A node between the model and the tools, and the way on from it. */
export interface GraphGuard {
  /** Judges the last message and corrects the conversation. */
  readonly node: (state: GraphState) => GraphUpdate;
  /** The way on, for `addConditionalEdges`. */
  readonly route: (state: GraphState) => GraphGuardRecord['next'];
}

/**
 * Makes a guard for a graph of LangGraph: put `node` behind the model, and `route` behind the node.
 *
 * Every refused call gets its result on the tool channel at once, so that the tool node performs only what is
 * right. The graph needs a channel `guard`, `Annotation<GraphGuardRecord | null>()`.
 */
export function createGraphGuard({
  tools,
  policy = defaultPolicy,
  toolChoice = 'auto',
}: GraphGuardOptions): GraphGuard {
  return {
    route: ({ guard }) => guard?.next ?? 'end',
    node(graph) {
      const last = graph.messages.at(-1);
      const before = graph.guard?.state ?? initialGuardState;
      if (last === undefined || kindOf(last) !== 'ai') return done([], before, 'end');
      const reply = replyOf(last);
      const settled = settleResults(graph.messages.slice(0, -1), before, policy);
      if (settled.exhausted !== null) {
        const record = {
          state: settled.state,
          next: 'end',
          exhaustion: settled.exhausted,
        } as const;
        return { messages: [], guard: record };
      }
      const given = { tools, policy, toolChoice, state: settled.state };
      const { decision, state } = inspectReply(reply, given);
      return applied(decision, { last, reply, state, place: graph.messages.length });
    },
  };
}

interface Applied {
  readonly last: object;
  readonly reply: ModelReply;
  readonly state: GuardState;
  readonly place: number;
}

function applied(decision: GuardDecision, at: Applied): GraphUpdate {
  const { last, reply, state } = at;
  const id = textOf(last, 'id');
  const rewritten = (content: string): MessageUpdate[] => [
    { role: 'assistant', ...(id === null ? {} : { id }), content },
  ];
  switch (decision.kind) {
    case 're-ask': {
      const isSame = decision.content !== null && decision.content === reply.content;
      const said = isSame ? [] : rewritten(decision.content ?? '(empty reply)');
      return done([...said, { role: 'user', content: decision.message }], state, 'model');
    }
    case 'text': {
      const isSame = decision.text === reply.content && reply.tool_calls.length === 0;
      return done(isSame ? [] : rewritten(decision.text ?? ''), state, 'end');
    }
    case 'exhausted': {
      const guard = { state, next: 'end', exhaustion: decision.exhaustion } as const;
      return { messages: answers(decision.calls, at).slice(1), guard };
    }
    case 'calls': {
      const isOpen = decision.calls.some((call) => call.kind !== 'refused');
      return done(answers(decision.calls, at, decision.content), state, isOpen ? 'tools' : 'model');
    }
    default:
      return unreachable(decision, 'decision');
  }
}

/** The model's message with the calls as they are performed, and one result for each that is not. */
function answers(
  calls: readonly InspectedCall[],
  { last, reply, place }: Applied,
  content: string | null = reply.content,
): MessageUpdate[] {
  const id = textOf(last, 'id');
  const made = calls.map((call, index) => {
    const given = call.index === undefined ? undefined : reply.tool_calls[call.index];
    const isUnique = reply.tool_calls.filter((one) => one.id === given?.id).length === 1;
    const callId =
      given !== undefined && given.id !== '' && isUnique ? given.id : `call_${place}_${index}`;
    const args = call.kind === 'accepted' ? call.arguments : objectIn(given?.arguments ?? '');
    return { call, id: callId, args };
  });
  const message: MessageUpdate = {
    role: 'assistant',
    ...(id === null ? {} : { id }),
    content: content ?? '',
    tool_calls: made.map(({ call, id: callId, args }) => ({
      id: callId,
      name: call.name,
      args,
      type: 'tool_call',
    })),
  };
  const refusals = made.flatMap(({ call, id: callId }): MessageUpdate[] =>
    call.kind === 'refused'
      ? [
          {
            role: 'tool',
            tool_call_id: callId,
            name: call.name,
            content: call.message,
            status: 'error',
          },
        ]
      : [],
  );
  return [message, ...refusals];
}

/** Arguments that are no object stand as none; what was wrong with them stands in the result. */
function objectIn(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    // Parsed JSON that is neither null nor a list is an object of JSON values.
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : {};
  } catch {
    return {};
  }
}

/** Charges what came of the calls before, which the tool node performed. */
function settleResults(earlier: readonly object[], state: GuardState, policy: GuardPolicy) {
  const from = earlier.findLastIndex((message) => kindOf(message) === 'ai');
  const results = earlier.slice(from + 1).filter((message) => kindOf(message) === 'tool');
  if (from < 0 || results.length === 0) return { state, exhausted: null };
  const failedCall = results.some(
    (message) =>
      textOf(message, 'status') === 'error' &&
      contentOf(message)?.startsWith('[not_found]') !== true,
  );
  const batch = { ...CLEAN, failedCall, performedCalls: results.length };
  const settled = settleBatch(state, { policy, batch });
  // Where text is an answer, the judgement of the next reply gives up by itself.
  return policy.mode === 'strict' ? settled : { state: settled.state, exhausted: null };
}

function done(
  messages: MessageUpdate[],
  state: GuardState,
  next: GraphGuardRecord['next'],
): GraphUpdate {
  return { messages, guard: { state, next, exhaustion: null } };
}

const CLEAN = {
  performedCalls: 0,
  unusableArguments: false,
  failedCall: false,
  unmetPrerequisite: false,
  prematureTerminal: false,
};
