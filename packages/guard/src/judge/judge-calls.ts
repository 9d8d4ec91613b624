import type { ModelReply } from '@millforge/contracts';
import type { GuardDecision, InspectedCall } from '../guard-decision.ts';
import type { GuardPolicy } from '../guard-policy.ts';
import type { GuardState } from '../guard-state.ts';
import type { ToolIndex } from '../names/tool-index.ts';
import { nudgeText } from '../nudge-text.ts';
import { judgeCall } from './judge-call.ts';

/** The calls of a reply with what was judged of them. */
export interface JudgedCalls {
  readonly calls: readonly InspectedCall[];
  /** Calls beyond the limit, at which nobody looked. */
  readonly leftOut: number;
}

/** Judges the calls of a reply, each for itself, up to the limit of one reply. */
export function judgeCalls(
  reply: ModelReply,
  given: { readonly tools: ToolIndex; readonly policy: GuardPolicy; readonly state: GuardState },
): JudgedCalls {
  const { policy, state } = given;
  const most = Math.min(reply.tool_calls.length, policy.maxCalls ?? DEFAULT_MAX_CALLS);
  const isWhole = most === reply.tool_calls.length;
  const calls: InspectedCall[] = [];
  let isListed = false;
  // Counted, for what comes from a record is frozen, and the engine has no fast way to map a frozen list.
  for (let index = 0; index < most; index++) {
    const call = reply.tool_calls[index];
    if (call === undefined) continue;
    const isLast = isWhole && index === most - 1;
    const judged = judgeCall(call, {
      // One by one: what a literal adds to a spread that it begins with costs half a microsecond each.
      tools: given.tools,
      policy,
      index,
      mayBeCut: isLast && reply.finish_reason === 'length',
      tokens: reply.usage?.output_tokens,
      isListed,
      needsHelp: state.consecutive.tool_errors > 0,
    });
    if (judged.kind === 'refused' && judged.reason === 'unknown-tool') isListed = true;
    calls.push(judged);
  }
  return {
    calls: withoutDuplicates(calls, policy.collapseDuplicates ?? []),
    leftOut: reply.tool_calls.length - most,
  };
}

/** Of equal calls of the named tools only the first one stands; other orders of properties count as others. */
function withoutDuplicates(
  calls: readonly InspectedCall[],
  names: readonly string[],
): readonly InspectedCall[] {
  if (names.length === 0) return calls;
  const seen = new Map<string, number>();
  return calls.map((call, index) => {
    if (call.kind !== 'accepted' || !names.includes(call.name)) return call;
    const key = `${call.name} ${JSON.stringify(call.arguments)}`;
    const earlier = seen.get(key);
    if (earlier === undefined) {
      seen.set(key, index + 1);
      return call;
    }
    const message = nudgeText({ kind: 'duplicate-call', tool: call.name, earlier });
    return { kind: 'refused', name: call.name, reason: 'duplicate', message, index };
  });
}

/**
 * What `auto` makes of calls that asking did not mend: passed on to whoever performs them, except where
 * there are no arguments at all, which nobody could perform.
 */
export function giveUpOn(calls: readonly InspectedCall[]): readonly InspectedCall[] {
  return calls.flatMap((call): readonly InspectedCall[] => {
    if (call.kind !== 'refused' || call.reason === 'duplicate') return [call];
    const isPerformable = call.reason === 'unknown-tool' || call.reason === 'arguments-invalid';
    return isPerformable ? [{ ...call, kind: 'passed' }] : [];
  });
}

/** One sentence for the reader of a reply whose calls could not be performed. */
export function explainDropped(calls: readonly InspectedCall[]): string {
  const names = [...new Set(calls.map((call) => call.name.slice(0, 64)))].slice(0, 8);
  return `The model called ${names.join(', ')} with arguments that could not be read, also after being told.`;
}

/** Everything as it came, unjudged. */
export function passAll(reply: ModelReply): Extract<GuardDecision, { kind: 'calls' }> {
  return {
    kind: 'calls',
    calls: reply.tool_calls.map(({ name }, index) => ({
      kind: 'passed',
      name,
      reason: null,
      message: '',
      index,
    })),
    content: reply.content,
    reasoning: reply.reasoning,
    leftOut: 0,
  };
}

const DEFAULT_MAX_CALLS = 64;
