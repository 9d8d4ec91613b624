import type { ModelMessage, ModelReply, ModelToolCall, ModelUsage } from '@millforge/contracts';
import type {
  GuardDecision,
  InspectedCall,
  ReAskReason,
  RefusalReason,
} from '../guard-decision.ts';
import { defaultPolicy, type GuardPolicy } from '../guard-policy.ts';
import { chargeMistakes, type GuardState, initialGuardState } from '../guard-state.ts';
import type { GuardTool } from '../guard-tool.ts';
import { inspectReply } from '../inspect-reply.ts';
import type { ToolChoice } from '../judge/judge-text.ts';

/** Asks the model once more, with these messages behind the conversation. */
export type AskModel = (
  extra: readonly ModelMessage[],
  toolChoice: ToolChoice,
) => Promise<ModelReply>;

/** What one turn is guarded with. */
export interface GuardTurnOptions {
  /** The tools on offer. */
  readonly tools: readonly GuardTool[];
  /** How replies are judged; default `defaultPolicy`. */
  readonly policy?: GuardPolicy;
  /** The choice that the request leaves to the model; default `auto`. */
  readonly toolChoice?: ToolChoice;
  /** What ids begin with that the provider did not give; unique in the conversation, default `call`. */
  readonly idPrefix?: string;
  /** Ids that stand in the conversation already, which a call does not get again; default none. */
  readonly takenIds?: ReadonlySet<string>;
}

/** What came of one turn, after all questions. */
export interface GuardedTurn {
  /** Calls to perform, each with its own id; empty when the turn is text. */
  readonly calls: readonly GuardedCall[];
  /** What was said; null when nothing was. */
  readonly content: string | null;
  /** What was thought; null when nothing was. */
  readonly reasoning: string | null;
  /** Every reply that was received; the last one is not always the one that is shown. */
  readonly replies: readonly ModelReply[];
  /** Why the model was asked again, in order; empty when its first reply did. */
  readonly asked: readonly (ReAskReason | RefusalReason)[];
  /** What asking did not mend; null when all is well. */
  readonly failure: ReAskReason | RefusalReason | 'arguments' | null;
  /** Tokens of all replies together, when any were reported. */
  readonly usage: ModelUsage | null;
}

/** A call to perform. */
export interface GuardedCall {
  /** The id that the provider gave, or one made up where it gave none twice. */
  readonly id: string;
  /** Name of the tool. */
  readonly name: string;
  /** Arguments as JSON text; as the model wrote them where they were not changed. */
  readonly arguments: string;
  /** Whether the arguments match the schema; otherwise whoever performs the call judges them. */
  readonly isChecked: boolean;
}

/**
 * Asks a model for one turn and goes on asking, within the budgets, until its reply can be used.
 *
 * For loops that call the model in one place and cannot show what went wrong in between: a reply in which a
 * call is wrong is answered with one result per call, valid ones included, and asked for again. When asking
 * does not help, valid calls stand, the first text is shown, and `failure` says what was not mended.
 */
export async function guardTurn(ask: AskModel, options: GuardTurnOptions): Promise<GuardedTurn> {
  const { tools, policy = defaultPolicy, toolChoice = 'auto' } = options;
  const ids = { prefix: options.idPrefix ?? 'call', taken: options.takenIds ?? new Set<string>() };
  const extra: ModelMessage[] = [];
  const replies: ModelReply[] = [];
  const asked: (ReAskReason | RefusalReason)[] = [];
  let state: GuardState = initialGuardState;
  let choice: ToolChoice = toolChoice;
  for (;;) {
    const reply = await ask(extra, choice);
    replies.push(reply);
    const inspected = inspectReply(reply, { tools, policy, state, toolChoice });
    const { decision } = inspected;
    state = inspected.state;
    if (decision.kind === 're-ask') {
      asked.push(decision.reason);
      extra.push(
        { role: 'assistant', content: spoken(decision.content) },
        { role: 'user', content: decision.message },
      );
      choice = decision.toolChoice === 'auto' ? toolChoice : decision.toolChoice;
      continue;
    }
    const refused = decision.kind === 'calls' ? firstRefused(decision.calls) : null;
    const isLeft = state.consecutive.tool_errors < policy.budgets.tool_errors;
    if (decision.kind === 'calls' && refused !== null && isLeft) {
      asked.push(refused);
      extra.push(...answersTo(decision, { reply, ids: nth(ids, replies) }));
      state = chargeMistakes(state, ['tool_errors']);
      continue;
    }
    return ended(reply, { decision, replies, asked, ids: nth(ids, replies) });
  }
}

function firstRefused(calls: readonly InspectedCall[]): RefusalReason | null {
  const found = calls.find((call) => call.kind === 'refused' && call.reason !== 'duplicate');
  return found?.kind === 'refused' ? found.reason : null;
}

/** The calls of a reply and one result for each, since servers refuse a call without one. */
function answersTo(
  { calls, content }: Extract<GuardDecision, { kind: 'calls' }>,
  from: { readonly reply: ModelReply; readonly ids: Ids },
): readonly ModelMessage[] {
  const told = calls.map((call, place) => ({
    written: historyCall(call, { ...from, place }),
    result: call.kind === 'accepted' ? HELD : call.message,
  }));
  return [
    { role: 'assistant', content, tool_calls: told.map(({ written: call }) => call) },
    ...told.map(
      ({ written: { id, name }, result }): ModelMessage => ({
        role: 'tool',
        tool_call_id: id,
        name,
        content: result,
      }),
    ),
  ];
}

/** A call as a server takes it back: with a legal name, and an object of arguments. */
function historyCall(call: InspectedCall, at: Place): ModelToolCall {
  const { id, text } = written(call, at);
  const name = call.name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
  return {
    id,
    name: name === '' ? 'unnamed' : name,
    arguments: isJsonObject(text) ? text : '{}',
  };
}

/** Where a call stands. */
interface Place {
  readonly reply: ModelReply;
  readonly place: number;
  readonly ids: Ids;
}

/** How calls come to ids. */
interface Ids {
  /** What ids begin with that the provider did not give. */
  readonly prefix: string;
  /** Ids that the conversation has. */
  readonly taken: ReadonlySet<string>;
}

function nth({ prefix, taken }: Ids, replies: readonly ModelReply[]): Ids {
  return { prefix: `${prefix}_${replies.length}`, taken };
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function written(
  call: InspectedCall,
  { reply, place, ids }: Place,
): { readonly id: string; readonly text: string } {
  const given = call.index === undefined ? undefined : reply.tool_calls[call.index];
  const isUnique =
    given !== undefined &&
    given.id !== '' &&
    !ids.taken.has(given.id) &&
    reply.tool_calls.filter((one) => one.id === given.id).length === 1;
  const id = isUnique ? given.id : `${ids.prefix}_${place}`;
  if (call.kind !== 'accepted') return { id, text: given?.arguments ?? '' };
  const isAsWritten = given !== undefined && call.repairs.length === 0;
  return { id, text: isAsWritten ? given.arguments : JSON.stringify(call.arguments) };
}

function ended(
  reply: ModelReply,
  turn: {
    readonly decision: Exclude<GuardDecision, { kind: 're-ask' }>;
    readonly replies: readonly ModelReply[];
    readonly asked: readonly (ReAskReason | RefusalReason)[];
    readonly ids: Ids;
  },
): GuardedTurn {
  const { decision, replies, asked, ids } = turn;
  const common = { replies, asked, usage: totalUsage(replies) };
  if (decision.kind === 'text') {
    const { text, failure, reasoning } = decision;
    return { ...common, calls: [], content: text, reasoning, failure };
  }
  const content = decision.kind === 'calls' ? decision.content : reply.content;
  const reasoning = decision.kind === 'calls' ? decision.reasoning : reply.reasoning;
  const refused = firstRefused(decision.calls);
  const passed = decision.calls.find((call) => call.kind === 'passed' && call.reason !== null);
  const failure = refused ?? (passed?.kind === 'passed' ? passed.reason : null);
  const calls = decision.calls.flatMap((call, place): readonly GuardedCall[] => {
    if (call.kind === 'refused') return [];
    const { id, text } = written(call, { reply, place, ids });
    return [{ id, name: call.name, arguments: text, isChecked: call.kind === 'accepted' }];
  });
  const isVain = decision.kind === 'exhausted' && failure === null;
  return { ...common, calls, content, reasoning, failure: isVain ? 'text' : failure };
}

function totalUsage(replies: readonly ModelReply[]): ModelUsage | null {
  const reported = replies.flatMap((reply) => (reply.usage === null ? [] : [reply.usage]));
  if (reported.length === 0) return null;
  return {
    input_tokens: reported.reduce((sum, usage) => sum + usage.input_tokens, 0),
    output_tokens: reported.reduce((sum, usage) => sum + usage.output_tokens, 0),
  };
}

/** An empty assistant message is refused by servers, and two user messages in a row break templates. */
function spoken(content: string | null): string {
  return content === null || content.trim() === '' ? '(empty reply)' : content;
}

const HELD =
  '[held] Not performed, because another call of the same reply was wrong. It was right: send it again with the corrected one.';
