import {
  type JsonObject,
  type ModelReply,
  type ModelToolCall,
  unreachable,
} from '@millforge/contracts';
import type { Exhaustion } from '../../exhaustion.ts';
import type { GuardDecision, InspectedCall } from '../../guard-decision.ts';
import { defaultPolicy, type GuardPolicy } from '../../guard-policy.ts';
import { type GuardState, initialGuardState } from '../../guard-state.ts';
import type { GuardTool } from '../../guard-tool.ts';
import { inspectReply } from '../../inspect-reply.ts';
import type { ToolChoice } from '../../judge/judge-text.ts';
import { settleBatch } from '../../settle-batch.ts';
import { itemsOf, textOf } from '../read-field.ts';
import { contentOf, kindOf, replyOf } from './from-langchain.ts';
import { type MessageUpdate, replacement, type ToolCallUpdate } from './message-update.ts';

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
      // What ended is over: the graph was called anew, with a budget of its own.
      const isNew = graph.guard?.next === 'end';
      const before = isNew ? initialGuardState : (graph.guard?.state ?? initialGuardState);
      if (last === undefined || kindOf(last) !== 'ai') return done([], before, 'end');
      const earlier = graph.messages.slice(0, -1);
      const reply = replyOf(last);
      const settled = isNew
        ? { state: before, exhausted: null }
        : settleResults(earlier, before, policy);
      const { state, exhausted } = settled;
      const at: Applied = { last, reply, state, place: graph.messages.length, tools, earlier };
      if (exhausted !== null) {
        const calls = reply.tool_calls.map((call, index) => unperformed(call, index, exhausted));
        return {
          messages: answers(calls, at),
          guard: { state, next: 'end', exhaustion: exhausted },
        };
      }
      const inspected = inspectReply(reply, { tools, policy, toolChoice, state });
      return applied(inspected.decision, { ...at, state: inspected.state });
    },
  };
}

interface Applied {
  readonly last: object;
  readonly reply: ModelReply;
  readonly state: GuardState;
  readonly place: number;
  readonly tools: readonly GuardTool[];
  /** The conversation before the reply. */
  readonly earlier: readonly object[];
}

/** A call in answers: servers refuse a conversation in which one has no result. */
type Answered =
  | InspectedCall
  | ({ readonly kind: 'unperformed' } & Pick<
      Extract<InspectedCall, { kind: 'refused' }>,
      'name' | 'message' | 'index'
    >);

function unperformed({ name }: ModelToolCall, index: number, { message }: Exhaustion): Answered {
  return {
    kind: 'unperformed',
    name,
    index,
    message: `[budget_exhausted] Not performed. ${message}`,
  };
}

function applied(decision: GuardDecision, at: Applied): GraphUpdate {
  const { last, reply, state } = at;
  switch (decision.kind) {
    case 're-ask': {
      const isSame = decision.content !== null && decision.content === reply.content;
      const said = isSame
        ? []
        : [replacement(last, { content: decision.content ?? '(empty reply)' })];
      return done([...said, { role: 'user', content: decision.message }], state, 'model');
    }
    case 'text': {
      const isSame = decision.text === reply.content && reply.tool_calls.length === 0;
      const said = isSame ? [] : [replacement(last, { content: decision.text ?? '' })];
      return done(said, state, 'end');
    }
    case 'exhausted': {
      const guard = { state, next: 'end', exhaustion: decision.exhaustion } as const;
      return { messages: answers(decision.calls, at), guard };
    }
    case 'calls': {
      const isOpen = decision.calls.some((call) => call.kind !== 'refused');
      return done(answers(decision.calls, at, decision.content), state, isOpen ? 'tools' : 'model');
    }
    default:
      return unreachable(decision, 'decision');
  }
}

/** The model's message with the calls as they are performed, where it is not so yet, and one result for each that is not. */
function answers(
  calls: readonly Answered[],
  at: Applied,
  content: string | null = at.reply.content,
): MessageUpdate[] {
  if (calls.length === 0) return [];
  const { last, reply, earlier } = at;
  const taken = new Set(earlier.flatMap((message) => textOf(message, 'tool_call_id') ?? []));
  const made = calls.map((call, index) => ({
    call,
    update: toolCall(call, { ...at, index, taken }),
  }));
  const updates = made.map(({ update }) => update);
  const isSame =
    content === reply.content &&
    itemsOf(last, 'invalid_tool_calls').length === 0 &&
    areSame(updates, reply);
  const message = isSame ? [] : [replacement(last, { content: content ?? '', calls: updates })];
  const refusals = made.flatMap(({ call, update: { id, name } }): MessageUpdate[] =>
    call.kind === 'refused' || call.kind === 'unperformed'
      ? [{ role: 'tool', tool_call_id: id, name, content: call.message, status: 'error' }]
      : [],
  );
  return [...message, ...refusals];
}

function areSame(updates: readonly ToolCallUpdate[], { tool_calls }: ModelReply): boolean {
  return (
    updates.length === tool_calls.length &&
    updates.every(({ id, name, args }, index) => {
      const given = tool_calls[index];
      return given?.id === id && given.name === name && given.arguments === JSON.stringify(args);
    })
  );
}

function toolCall(
  call: Answered,
  at: Applied & { readonly index: number; readonly taken: ReadonlySet<string> },
): ToolCallUpdate {
  const given = call.index === undefined ? undefined : at.reply.tool_calls[call.index];
  const args = call.kind === 'accepted' ? call.arguments : objectIn(given?.arguments ?? '');
  return {
    id: callId(given?.id ?? '', at),
    name: legalName(call.name, at.tools),
    args,
    type: 'tool_call',
  };
}

/** The id that the model gave, unless it gave it before: the tool node performs no call whose id has a result. */
function callId(
  given: string,
  {
    reply,
    place,
    index,
    taken,
  }: Pick<Applied, 'reply' | 'place'> & {
    readonly index: number;
    readonly taken: ReadonlySet<string>;
  },
): string {
  const isUnique = reply.tool_calls.filter((one) => one.id === given).length === 1;
  return given !== '' && isUnique && !taken.has(given) ? given : `call_${place}_${index}`;
}

/** A server refuses a whole request for one wrong name in it, and a model may put anything there. */
function legalName(name: string, tools: readonly GuardTool[]): string {
  if (tools.some((tool) => tool.name === name)) return name;
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
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
