import type { ModelReply } from '@millforge/contracts';
import { findExhaustion } from './exhaustion.ts';
import type { GuardDecision, InspectedCall, ReAskReason } from './guard-decision.ts';
import type { GuardPolicy } from './guard-policy.ts';
import { chargeMistakes, type GuardState, noteAsked, noteEnded, noteTaken } from './guard-state.ts';
import type { GuardTool } from './guard-tool.ts';
import { type SplitText, splitReasoning } from './intent/split-reasoning.ts';
import {
  explainDropped,
  giveUpOn,
  type JudgedCalls,
  judgeCalls,
  passAll,
} from './judge/judge-calls.ts';
import { judgeText, type ToolChoice } from './judge/judge-text.ts';
import { type ToolIndex, toolIndex } from './names/tool-index.ts';
import { nudgeText } from './nudge-text.ts';
import { spokenBy } from './prompt/spoken-by.ts';
import { toolHelp } from './prompt/tool-help.ts';
import { type RescuedText, rescueToolCalls } from './rescue/rescue-tool-calls.ts';

/** What a reply is judged against. */
export interface InspectOptions {
  /** The tools on offer; the list is not to be changed as long as it is used. */
  readonly tools: readonly GuardTool[];
  /** How replies are judged. */
  readonly policy: GuardPolicy;
  /** What came of the replies before. */
  readonly state: GuardState;
  /** The choice that the request left to the model; default `auto`. */
  readonly toolChoice?: ToolChoice;
}

/** A decision, and the state for the next reply. */
export interface InspectedReply {
  /** What to do with the reply. */
  readonly decision: GuardDecision;
  /** The state to hand in with the next reply. */
  readonly state: GuardState;
}

/**
 * Judges one reply against the tools on offer. Pure: the state is handed in and out.
 *
 * Every call is judged for itself; a wrong one does not spoil its siblings. The finish reason decides
 * nothing, it only words the feedback for a reply that is unusable anyway. Charges replies without a
 * usable call; what comes of performing the calls is charged by `settleBatch`.
 */
export function inspectReply(reply: ModelReply, options: InspectOptions): InspectedReply {
  const { policy, tools, toolChoice = 'auto' } = options;
  const { replies, consecutive, totals, asked } = options.state;
  const state = Object.freeze({ replies: replies + 1, consecutive, totals, asked });
  const said = splitReasoning(reply.content);
  if (policy.mode === 'off' || tools.length === 0 || toolChoice === 'none') {
    return unjudged(reply, { said, isOff: policy.mode === 'off', state });
  }
  const seen: Seen = { reply, said, policy, tools, toolChoice, state, index: toolIndex(tools) };
  if (reply.tool_calls.length > 0) {
    return spoken(seen, judgeCalls(reply, { tools: seen.index, policy, state }));
  }
  const rescue = findCalls(seen);
  return rescue.kind === 'calls' ? withRescued(seen, rescue) : withoutCalls(seen, rescue);
}

/** One reply and everything that it is judged by. */
interface Seen {
  readonly reply: ModelReply;
  readonly said: SplitText;
  readonly policy: GuardPolicy;
  readonly tools: readonly GuardTool[];
  readonly toolChoice: ToolChoice;
  readonly state: GuardState;
  readonly index: ToolIndex;
}

function unjudged(
  reply: ModelReply,
  how: { readonly said: SplitText; readonly isOff: boolean; readonly state: GuardState },
): InspectedReply {
  const state = noteTaken(how.state);
  // Where no tool was offered, a call is a phantom beside the text.
  const isText = reply.tool_calls.length === 0 || (!how.isOff && how.said.content !== null);
  if (!isText) return { decision: passAll(reply), state };
  const said = how.isOff ? { content: reply.content, reasoning: null } : how.said;
  return taken({ reply, said, state }, { text: said.content, reason: 'unjudged' });
}

function withRescued(seen: Seen, rescue: Extract<RescuedText, { kind: 'calls' }>): InspectedReply {
  const max = seen.policy.maxCalls ?? rescue.calls.length;
  const calls = rescue.calls
    .slice(0, max)
    .map(({ format, ...call }): InspectedCall => ({ kind: 'accepted', ...call, rescued: format }));
  const leftOut = rescue.calls.length - calls.length;
  return spoken(seen, { calls, leftOut }, rescue.content);
}

/** Takes the calls that only talk out of the others; where all do, they are the answer. */
function spoken(
  seen: Seen,
  { calls, leftOut }: JudgedCalls,
  content = seen.said.content,
): InspectedReply {
  const { text, calls: others } = spokenBy(calls, seen.policy.respond);
  return others.length === 0 && text !== null
    ? answered(seen, text)
    : decided(seen, { calls: others, leftOut }, content);
}

function decided(
  seen: Seen,
  { calls, leftOut }: JudgedCalls,
  content: string | null,
): InspectedReply {
  const { policy, state } = seen;
  const asCalls = (some: readonly InspectedCall[]): GuardDecision => ({
    kind: 'calls',
    calls: some,
    content,
    reasoning: joined(seen.reply.reasoning, seen.said.reasoning),
    leftOut,
  });
  if (calls.some((call) => call.kind === 'accepted')) {
    return { decision: asCalls(calls), state: noteTaken(state) };
  }
  // Unusable arguments have a budget of their own, which the batch is charged to.
  const reasons = calls.flatMap((call) => (call.kind === 'refused' ? call.reason : []));
  const isNamed = reasons.some((reason) => reason !== 'unknown-tool');
  const isCut = reasons.includes('arguments-cut');
  const charged = isNamed ? state : chargeMistakes(state, ['validation_retries']);
  const exhaustion = isNamed ? null : findExhaustion(charged, policy.budgets);
  if (policy.mode === 'strict') {
    return exhaustion === null
      ? { decision: asCalls(calls), state: charged }
      : ended({ exhaustion, calls }, charged);
  }
  const wasTold = isCut
    ? (state.asked?.cuts ?? 0) > 0
    : state.consecutive.tool_errors >= policy.budgets.tool_errors;
  if (exhaustion === null && !(isNamed && wasTold)) {
    const noted = isCut ? noteAsked(charged, { text: content, reason: 'cut' }) : charged;
    return { decision: asCalls(calls), state: noted };
  }
  const left = giveUpOn(calls);
  if (left.length > 0) return { decision: asCalls(left), state: noteTaken(charged) };
  const failure = isCut ? 'cut' : 'arguments';
  return gaveUp({ ...seen, state: charged }, failure, content ?? explainDropped(calls));
}

/**
 * The calls in the text of a reply.
 *
 * A model that forgets to end its thought leaves its call inside, at the very end; there only a mark made
 * for calls counts.
 */
function findCalls({ said, reply, policy, tools }: Seen): RescuedText {
  if (policy.rescue === false) return { kind: 'none' };
  const isCut = reply.finish_reason === 'length';
  const isExpected = policy.textCalls ?? false;
  if (said.content !== null) return rescueToolCalls(said.content, { tools, isCut, isExpected });
  const thought = joined(reply.reasoning, said.reasoning);
  if (thought === null || isCut) return { kind: 'none' };
  const found = rescueToolCalls(thought, { tools, isThought: true });
  return found.kind === 'calls' ? { ...found, content: null } : { kind: 'none' };
}

function withoutCalls(seen: Seen, rescue: Exclude<RescuedText, { kind: 'calls' }>): InspectedReply {
  const { said, policy, state, tools, toolChoice, reply } = seen;
  const isCut = reply.finish_reason === 'length';
  const { content } = said;
  const { asked } = state;
  const reason = judgeText({ content, rescue, isCut, tools, toolChoice, policy, asked });
  if (reason === null) return answered(seen, content);
  const charged = noteAsked(chargeMistakes(state, ['validation_retries']), {
    text: content,
    reason,
  });
  const exhaustion = findExhaustion(charged, policy.budgets);
  const after = { ...seen, state: charged };
  const isVain = reason === 'cut' && (asked?.cuts ?? 0) > 0;
  if (policy.mode === 'strict') {
    return exhaustion === null
      ? askedAgain(after, reason, rescue)
      : ended({ exhaustion, calls: [] }, charged);
  }
  if (exhaustion === null && !isVain) return askedAgain(after, reason, rescue);
  return gaveUp(after, reason, charged.asked?.firstText ?? content);
}

function askedAgain(
  seen: Seen,
  reason: ReAskReason,
  rescue: Exclude<RescuedText, { kind: 'calls' }>,
): InspectedReply {
  const { policy, state, toolChoice } = seen;
  const meant = rescue.kind === 'failed' ? rescue.tool : null;
  const tool = meant === null ? undefined : seen.index.byName.get(meant);
  const isDue = policy.mode === 'strict' || toolChoice !== 'auto';
  const message = nudgeText({
    kind: 'no-call',
    reason,
    tier: state.consecutive.validation_retries,
    tools: seen.index.names,
    terminals: policy.terminals,
    mayAnswer: !isDue,
    asText: policy.textCalls ?? false,
    problem: rescue.kind === 'failed' ? rescue.message : undefined,
    help: tool && toolHelp(tool),
  });
  // The model has chosen, or has to: only then the choice may be narrowed, and only at last.
  const last =
    meant === null ? (isDue ? ('required' as const) : ('auto' as const)) : { name: meant };
  return {
    decision: {
      kind: 're-ask',
      reason,
      content: seen.said.content,
      message,
      toolChoice: isLastAsking(state, policy) ? last : 'auto',
    },
    state,
  };
}

/** The third question in a row; where a run needs a call, the second if its budget has no third. */
function isLastAsking({ consecutive }: GuardState, { budgets, mode }: GuardPolicy): boolean {
  const last = mode === 'strict' ? Math.max(2, budgets.validation_retries) : 3;
  return consecutive.validation_retries >= Math.min(3, last);
}

function answered(seen: Seen, text: string | null): InspectedReply {
  return taken({ ...seen, state: noteEnded(seen.state) }, { text, reason: 'answer' });
}

function gaveUp(
  seen: Seen,
  failure: ReAskReason | 'arguments',
  text: string | null,
): InspectedReply {
  return taken({ ...seen, state: noteEnded(seen.state) }, { text, reason: 'gave-up', failure });
}

function ended(
  why: Omit<Extract<GuardDecision, { kind: 'exhausted' }>, 'kind'>,
  state: GuardState,
): InspectedReply {
  return { decision: { kind: 'exhausted', ...why }, state };
}

type TextDecision = Extract<GuardDecision, { kind: 'text' }>;

function taken(
  {
    reply,
    said,
    state,
  }: Pick<Seen, 'reply' | 'state'> & { readonly said: Pick<SplitText, 'reasoning'> },
  text: Pick<TextDecision, 'text' | 'reason'> & Partial<TextDecision>,
): InspectedReply {
  const reasoning = joined(reply.reasoning, said.reasoning);
  return { decision: { kind: 'text', failure: null, reasoning, ...text }, state };
}

function joined(field: string | null, inText: string | null): string | null {
  if (field === null && inText === null) return null;
  const parts = [field, inText].filter((part) => part !== null && part.trim() !== '');
  return parts.join('\n') || null;
}
