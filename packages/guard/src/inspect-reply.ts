import type { JsonObject, ModelReply, ModelTool, ModelToolCall } from '@millforge/contracts';
import type { ArgumentRepair } from './argument-repair.ts';
import { type Exhaustion, findExhaustion } from './exhaustion.ts';
import type { GuardPolicy } from './guard-policy.ts';
import { chargeMistakes, forgiveMistakes, type GuardState } from './guard-state.ts';
import { nearestNames } from './nearest-names.ts';
import { nudgeText } from './nudge-text.ts';
import { repairArguments } from './repair-arguments.ts';

/** What to do with a reply. */
export type GuardDecision =
  | {
      /** The reply has calls: perform the accepted ones, answer every one of them. */
      readonly kind: 'calls';
      /** One entry per call, in order. */
      readonly calls: readonly InspectedCall[];
    }
  | {
      /** The reply has no call: append its text, then `message` on the user channel, and ask again. */
      readonly kind: 're-ask';
      /** What the reply was instead; `cut` is one that reached the output limit. */
      readonly reason: 'text' | 'empty' | 'cut';
      /** What the model is told. */
      readonly message: string;
    }
  | {
      /** A budget of mistakes is used up: end the run. */
      readonly kind: 'exhausted';
      /** Which budget, and one sentence. */
      readonly exhaustion: Exhaustion;
      /** The calls of the reply, all refused; empty when it had none. */
      readonly calls: readonly InspectedCall[];
    };

/** One call of a reply, accepted or refused. */
export type InspectedCall =
  | {
      /** The arguments match the schema of the tool. */
      readonly kind: 'accepted';
      /** Name of the tool. */
      readonly name: string;
      /** The arguments, repaired where nothing was lost by it. */
      readonly arguments: JsonObject;
      /** What was repaired. */
      readonly repairs: readonly ArgumentRepair[];
    }
  | {
      /** The call must not be performed; `message` is its result, on the tool channel. */
      readonly kind: 'refused';
      /** Name as the model wrote it. */
      readonly name: string;
      /** Why. */
      readonly reason:
        | 'unknown-tool'
        | 'arguments-not-object'
        | 'arguments-invalid'
        | 'arguments-cut';
      /** What the model is told: what is wrong, what was expected. */
      readonly message: string;
    };

/**
 * Judges one reply against the tools on offer. Pure: the state is handed in and out.
 *
 * Every call is judged for itself; a wrong one does not spoil its siblings. The finish reason decides
 * nothing, it only words the feedback for a reply that is unusable anyway. Charges replies without a
 * usable call; what comes of performing the calls is charged by `settleBatch`.
 */
export function inspectReply(
  reply: ModelReply,
  options: {
    readonly tools: readonly ModelTool[];
    readonly policy: GuardPolicy;
    readonly state: GuardState;
  },
): { readonly decision: GuardDecision; readonly state: GuardState } {
  const { tools, policy } = options;
  const seen = Object.freeze({ ...options.state, replies: options.state.replies + 1 });
  if (reply.tool_calls.length === 0) return withoutCalls(reply, { tools, policy, state: seen });

  const calls = reply.tool_calls.map((call, index) => {
    const isLast = index === reply.tool_calls.length - 1;
    return inspectCall(call, { tools, mayBeCut: isLast && reply.finish_reason === 'length' });
  });
  if (calls.some((call) => call.kind === 'accepted')) {
    return {
      decision: { kind: 'calls', calls },
      state: forgiveMistakes(seen, ['validation_retries']),
    };
  }
  // Unusable arguments have a budget of their own, which the batch is charged to.
  const named = calls.some((call) => call.kind === 'refused' && call.reason !== 'unknown-tool');
  if (named) return { decision: { kind: 'calls', calls }, state: seen };
  return charge(seen, { policy, decision: () => ({ kind: 'calls', calls }), calls });
}

interface Offer {
  readonly tools: readonly ModelTool[];
  readonly policy: GuardPolicy;
  readonly state: GuardState;
}

function withoutCalls(
  reply: ModelReply,
  { tools, policy, state }: Offer,
): {
  readonly decision: GuardDecision;
  readonly state: GuardState;
} {
  const isEmpty = reply.content === null || reply.content.trim() === '';
  const reason = reply.finish_reason === 'length' ? 'cut' : isEmpty ? 'empty' : 'text';
  return charge(state, {
    policy,
    calls: [],
    decision: (charged) => ({
      kind: 're-ask',
      reason,
      message: nudgeText({
        kind: 'no-call',
        reason,
        tier: Math.min(charged.consecutive.validation_retries, 3),
        tools: tools.map((tool) => tool.name),
        terminals: policy.terminals,
      }),
    }),
  });
}

function charge(
  state: GuardState,
  what: {
    readonly policy: GuardPolicy;
    readonly calls: readonly InspectedCall[];
    readonly decision: (charged: GuardState) => GuardDecision;
  },
): { readonly decision: GuardDecision; readonly state: GuardState } {
  const charged = chargeMistakes(state, ['validation_retries']);
  const exhaustion = findExhaustion(charged, what.policy.budgets);
  return {
    decision:
      exhaustion === null
        ? what.decision(charged)
        : { kind: 'exhausted', exhaustion, calls: what.calls },
    state: charged,
  };
}

function inspectCall(
  call: ModelToolCall,
  offer: { readonly tools: readonly ModelTool[]; readonly mayBeCut: boolean },
): InspectedCall {
  const { name } = call;
  const tool = offer.tools.find((candidate) => candidate.name === name);
  if (tool === undefined) {
    const tools = nearestNames(
      name,
      offer.tools.map((candidate) => candidate.name),
    );
    return refused(name, 'unknown-tool', nudgeText({ kind: 'unknown-tool', name, tools }));
  }
  const repaired = repairArguments(call.arguments, tool.parameters);
  if (repaired.ok) {
    return { kind: 'accepted', name, arguments: repaired.value, repairs: repaired.repairs };
  }
  const isOpen = repaired.problem === 'json' || call.arguments.trim() === '';
  if (offer.mayBeCut && isOpen) {
    return refused(name, 'arguments-cut', nudgeText({ kind: 'call-cut', tool: name }));
  }
  if (repaired.problem === 'schema') {
    const { expected, received, message: problem } = repaired;
    return refused(
      name,
      'arguments-invalid',
      nudgeText({ kind: 'arguments-invalid', tool: name, problem, expected, received }),
    );
  }
  return refused(
    name,
    'arguments-not-object',
    nudgeText({
      kind: 'arguments-not-object',
      tool: name,
      problem: repaired.message,
      received: call.arguments,
    }),
  );
}

function refused(
  name: string,
  reason: Extract<InspectedCall, { kind: 'refused' }>['reason'],
  message: string,
): InspectedCall {
  return { kind: 'refused', name, reason, message };
}
