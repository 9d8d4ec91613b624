import type { ModelToolCall } from '@millforge/contracts';
import type { InspectedCall, RefusalReason } from '../guard-decision.ts';
import type { GuardPolicy } from '../guard-policy.ts';
import { nearestNames } from '../names/nearest-names.ts';
import { snapName } from '../names/snap-name.ts';
import type { ToolIndex } from '../names/tool-index.ts';
import { type Nudge, nudgeText } from '../nudge-text.ts';
import { toolHelp } from '../prompt/tool-help.ts';
import { repairArguments } from '../repair-arguments.ts';

/** What is known besides a call when it is judged. */
export interface CallContext {
  readonly tools: ToolIndex;
  readonly policy: GuardPolicy;
  /** Its place among the calls of the reply. */
  readonly index: number;
  /** Whether it is the last call of a reply that reached the limit of output. */
  readonly mayBeCut: boolean;
  /** Tokens of the reply, when the server told. */
  readonly tokens: number | undefined;
  /** Whether the whole list of names stands in an earlier refusal of the reply. */
  readonly isListed: boolean;
  /** Whether the model was told before and did not mend it. */
  readonly needsHelp: boolean;
}

/** Judges one call by name and arguments. */
export function judgeCall(call: ModelToolCall, context: CallContext): InspectedCall {
  const { index, policy, tools } = context;
  const name = snapName(call.name, tools, policy.snap ?? 'typos');
  const tool = name === null ? undefined : tools.byName.get(name);
  if (tool === undefined) return unknownTool(call, context);
  const repaired = repairArguments(call.arguments, tool.parameters, {
    dropUnknown: policy.dropUnknownArguments ?? false,
    keepUnknown: tool.isOpen ?? false,
  });
  if (repaired.ok) {
    const { value, repairs } = repaired;
    const accepted = {
      kind: 'accepted',
      name: tool.name,
      arguments: value,
      repairs,
      index,
    } as const;
    return tool.name === call.name ? accepted : { ...accepted, writtenName: call.name };
  }
  const { problem: fault, message: problem, expected, received } = repaired;
  const isOpen = fault === 'json' || call.arguments.trim() === '';
  if (context.mayBeCut && isOpen) {
    return refused(call, context, {
      reason: 'arguments-cut',
      nudge: { kind: 'call-cut', tool: tool.name, tokens: context.tokens },
    });
  }
  const help = context.needsHelp ? toolHelp(tool) : undefined;
  const facts = { tool: tool.name, problem, help };
  return fault === 'schema'
    ? refused(call, context, {
        reason: 'arguments-invalid',
        nudge: { kind: 'arguments-invalid', expected, received, ...facts },
      })
    : refused(call, context, {
        reason: 'arguments-not-object',
        nudge: { kind: 'arguments-not-object', ...facts, received: call.arguments },
      });
}

function unknownTool(call: ModelToolCall, context: CallContext): InspectedCall {
  const tools = nearestNames(call.name, context.tools.names);
  return refused(call, context, {
    reason: 'unknown-tool',
    nudge: { kind: 'unknown-tool', name: call.name, tools, isBrief: context.isListed },
  });
}

function refused(
  { name }: ModelToolCall,
  { index }: CallContext,
  { reason, nudge }: { readonly reason: RefusalReason; readonly nudge: Nudge },
): InspectedCall {
  return { kind: 'refused', name, reason, message: nudgeText(nudge), index };
}
