import type { JsonObject, JsonValue } from '@millforge/contracts';
import { isPlainObject } from '../document/plain-object.ts';

/** The same reply in the shape of the Messages API, made from a chat completion. */
export function messageBody(completion: JsonObject): JsonObject {
  const choice = firstOf(completion['choices']);
  const message = isPlainObject(choice) ? choice['message'] : undefined;
  const fields: { readonly [name: string]: unknown } = isPlainObject(message) ? message : {};
  const calls = Array.isArray(fields['tool_calls']) ? fields['tool_calls'].map(toolUse) : [];
  const text = fields['content'];
  const { usage } = completion;
  return {
    id: 'msg_scripted',
    type: 'message',
    role: 'assistant',
    model: completion['model'] ?? null,
    content: [...(typeof text === 'string' ? [{ type: 'text', text }] : []), ...calls],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: isPlainObject(usage)
      ? {
          input_tokens: Number(usage['prompt_tokens']),
          output_tokens: Number(usage['completion_tokens']),
        }
      : { input_tokens: 0, output_tokens: 0 },
  };
}

function toolUse(call: unknown): JsonObject {
  const fields = isPlainObject(call) ? call : {};
  const called = isPlainObject(fields['function']) ? fields['function'] : {};
  const { id } = fields;
  return {
    type: 'tool_use',
    ...(typeof id === 'string' || typeof id === 'number' ? { id } : {}),
    name: textOf(called['name']),
    input: inputOf(textOf(called['arguments'])),
  };
}

/** This API has no place for arguments that are no JSON; only a stream can carry them. */
function inputOf(text: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    // Kept as text for the stream, which sends it as it is.
    return text;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function firstOf(value: JsonValue | undefined): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}
