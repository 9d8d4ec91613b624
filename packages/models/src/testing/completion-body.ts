import { type JsonObject, type JsonValue, unreachable } from '@millforge/contracts';
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
        arguments: argumentsOf(text, fault),
      },
    };
  });
  const { usage } = reply;
  return {
    id: `chatcmpl-scripted-${turn}`,
    object: 'chat.completion',
    created: 0,
    model: fault?.kind === 'model-alias' ? fault.model : answer.model,
    choices:
      fault?.kind === 'no-choices'
        ? []
        : [
            {
              index: 0,
              message: {
                role: 'assistant',
                content: contentOf(reply.content ?? null, fault),
                ...(fault?.kind === 'reasoning-object' ? { reasoning_content: { steps: 2 } } : {}),
                ...(calls.length > 0 ? { tool_calls: calls } : {}),
              },
              finish_reason: finishOf(calls.length > 0, fault),
            },
          ],
    ...(usage === undefined || fault?.kind === 'no-usage'
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

function argumentsOf(text: string, fault: ScriptedFault | undefined): JsonValue {
  if (fault?.kind === 'malformed-arguments') return text.slice(0, -1);
  if (fault?.kind !== 'arguments-object') return text;
  const value: JsonValue = JSON.parse(text);
  return value;
}

function contentOf(content: string | null, fault: ScriptedFault | undefined): JsonValue {
  if (fault?.kind !== 'content-parts' || content === null) return content;
  return [{ type: 'text', text: content }];
}

function finishOf(hasCalls: boolean, fault: ScriptedFault | undefined): string {
  if (fault?.kind === 'finish-reason') return fault.reason;
  return hasCalls ? 'tool_calls' : 'stop';
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
