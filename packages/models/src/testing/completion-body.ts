import { type JsonObject, unreachable } from '@millforge/contracts';
import type { ScriptedReply } from '../script/model-script.ts';
import type { ScriptedFault } from './scripted-fault.ts';

/** Builds the body of a chat completion from a scripted reply, with the fault that shows in it. */
export function completionBody(
  reply: ScriptedReply,
  answer: {
    readonly turn: number;
    readonly model: string;
    readonly fault: ScriptedFault | undefined;
  },
): JsonObject {
  const { turn, fault } = answer;
  const calls = (reply.tool_calls ?? []).map((call, index) => {
    const text =
      typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
    return {
      ...callId(turn, index, fault),
      type: 'function',
      function: {
        name: call.name,
        arguments: fault?.kind === 'malformed-arguments' ? text.slice(0, -1) : text,
      },
    };
  });
  const { usage } = reply;
  return {
    id: `chatcmpl-scripted-${turn}`,
    object: 'chat.completion',
    created: 0,
    model: fault?.kind === 'model-alias' ? fault.model : answer.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: reply.content ?? null,
          ...(calls.length > 0 ? { tool_calls: calls } : {}),
        },
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    ...(usage === undefined
      ? {}
      : {
          usage: {
            prompt_tokens: usage.input_tokens,
            completion_tokens: usage.output_tokens,
            total_tokens: usage.input_tokens + usage.output_tokens,
          },
        }),
  };
}

function callId(turn: number, index: number, fault: ScriptedFault | undefined): JsonObject {
  if (fault?.kind !== 'call-ids') return { id: `call_${turn}_${index}` };
  switch (fault.ids) {
    case 'missing':
      return {};
    case 'same':
      return { id: 'call' };
    case 'restarted':
      return { id: `call_${index}` };
    case 'numbers':
      return { id: index };
    default:
      return unreachable(fault.ids);
  }
}
