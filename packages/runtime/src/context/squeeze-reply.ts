import type { ModelToolCall } from '@millforge/contracts';
import { type ContextTurn, contextTurn } from './context-turn.ts';
import { headOf, KEPT_CHARS } from './cut-results.ts';

/**
 * Cuts the text and the longest arguments of a reply; the very last means, for a reply that takes the
 * whole context.
 *
 * Arguments stay a JSON object, since servers read them back, and say that they are not what was written.
 */
export function squeezeReply(turn: ContextTurn): ContextTurn {
  const { reply } = turn;
  // Reasoning that goes back with calls is text like any other, and the whole must fit.
  const { continuation: _, content, tool_calls, ...kept } = reply;
  const text =
    content === null || content.length <= KEPT_CHARS
      ? content
      : `${headOf(content, KEPT_CHARS)}\n[cut: ${content.length} characters]`;
  const squeezed = {
    ...kept,
    content: text,
    ...(tool_calls === undefined ? {} : { tool_calls: tool_calls.map(squeezedCall) }),
  };
  return contextTurn({ ...turn, reply: Object.freeze(squeezed) }, turn);
}

function squeezedCall(call: ModelToolCall): ModelToolCall {
  const { length } = call.arguments;
  if (length <= KEPT_CHARS) return call;
  return { ...call, arguments: JSON.stringify({ arguments_removed: `${length} characters` }) };
}
