import {
  type ExactJson,
  JsonFloat,
  type ModelMessage,
  type ModelReply,
  type ModelToolCall,
  type ModelUsage,
} from '@millforge/contracts';
import { uniqueCallIds } from '../client/call-ids.ts';
import type { DecodedReply, JsonFields } from '../client/dialect.ts';
import { isJsonObject, jsonText } from '../client/json-text.ts';

/**
 * Decodes a chat completion the way servers really write it.
 *
 * Only what a reply cannot do without is required: a first choice with a message. Names, ids, finish
 * reasons and totals that contradict the rest are taken from what is there.
 */
export function decodeReply(body: JsonFields, conversation: readonly ModelMessage[]): DecodedReply {
  const choices = body['choices'];
  if (!Array.isArray(choices)) return refused('has no list "choices"');
  const choice: ExactJson | undefined = choices[0];
  if (choice === undefined) return refused('has an empty list "choices"');
  if (isJsonObject(choice) && isJsonObject(choice['error'])) {
    return { ok: false, message: 'has a failure in "choices"', error: choice['error'] };
  }
  const message = isJsonObject(choice) ? choice['message'] : undefined;
  if (!isJsonObject(choice) || !isJsonObject(message))
    return refused('has no "message" in "choices"');
  const calls = decodeCalls(message, conversation);
  const parts = decodeContent(message['content']);
  return {
    ok: true,
    reply: {
      content: present(parts.text) ?? text(message['refusal']),
      reasoning: decodeReasoning(message) ?? present(parts.reasoning),
      tool_calls: calls,
      finish_reason: decodeFinish(choice['finish_reason'], calls.length > 0),
      usage: decodeUsage(body['usage']),
      provider_model: text(body['model']),
    },
  };
}

/** The reasoning of the first choice. */
export function chatContinuation(body: JsonFields): string | null {
  const { choices } = body;
  const choice: ExactJson | undefined = Array.isArray(choices) ? choices[0] : undefined;
  const message = isJsonObject(choice) ? choice['message'] : undefined;
  return isJsonObject(message) ? decodeReasoning(message) : null;
}

function decodeCalls(
  message: JsonFields,
  conversation: readonly ModelMessage[],
): readonly ModelToolCall[] {
  const listed = message['tool_calls'];
  const items = (Array.isArray(listed) ? listed : [listed]).filter(isJsonObject);
  // Before tool calls there was one `function_call`; some servers still send it, or both.
  const legacy = message['function_call'];
  if (items.length === 0 && isJsonObject(legacy)) items.push(legacy);
  if (items.length === 0) return [];
  const ids = uniqueCallIds(
    items.map((item) => item['id']),
    conversation,
  );
  return items.map((item, index) => {
    const called = isJsonObject(item['function']) ? item['function'] : item;
    const name = called['name'];
    return {
      id: ids[index] ?? '',
      name: typeof name === 'string' ? name : '',
      arguments: decodeArguments(called['arguments']),
    };
  });
}

function decodeArguments(value: ExactJson | undefined): string {
  if (value === undefined || value === null) return '{}';
  if (typeof value !== 'string') return jsonText(value);
  return value.trim() === '' ? '{}' : value;
}

function decodeContent(content: ExactJson | undefined): {
  readonly text: string;
  readonly reasoning: string;
} {
  if (typeof content === 'string') return { text: content, reasoning: '' };
  if (!Array.isArray(content)) return { text: '', reasoning: '' };
  const items: readonly ExactJson[] = content;
  return {
    text: partsText(items.filter((item) => !isReasoningPart(item))),
    reasoning: partsText(items.filter(isReasoningPart)),
  };
}

function isReasoningPart(part: ExactJson): boolean {
  return isJsonObject(part) && (part['type'] === 'thinking' || part['type'] === 'reasoning');
}

/** Joins the texts of content parts; a part of another kind, such as an image, has none. */
function partsText(parts: readonly ExactJson[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      if (!isJsonObject(part)) return '';
      const inner = part['text'] ?? part['thinking'] ?? part['reasoning'];
      if (typeof inner === 'string') return inner;
      return Array.isArray(inner) ? inner.map(innerText).join('') : '';
    })
    .join('');
}

function innerText(part: ExactJson): string {
  const inner = isJsonObject(part) ? part['text'] : part;
  return typeof inner === 'string' ? inner : '';
}

function decodeReasoning(message: JsonFields): string | null {
  for (const field of ['reasoning_content', 'reasoning', 'reasoning_text', 'thinking']) {
    const value = message[field];
    const found = Array.isArray(value) ? present(partsText(value)) : text(value);
    if (found !== null) return found;
  }
  return null;
}

function decodeFinish(
  reason: ExactJson | undefined,
  hasCalls: boolean,
): ModelReply['finish_reason'] {
  // A limit says that the calls may be cut, so it counts more than their presence.
  if (reason === 'length' || reason === 'content_filter') return reason;
  if (hasCalls) return 'tool_calls';
  const ended = reason === 'stop' || reason === 'tool_calls' || reason === 'function_call';
  return ended ? 'stop' : 'unknown';
}

function decodeUsage(usage: ExactJson | undefined): ModelUsage | null {
  if (!isJsonObject(usage)) return null;
  const input = tokens(usage['prompt_tokens']) ?? tokens(usage['input_tokens']);
  const output = tokens(usage['completion_tokens']) ?? tokens(usage['output_tokens']);
  if (input === null && output === null) return null;
  const cost = costMicros(usage['cost']);
  return {
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    ...(cost === null ? {} : { cost_micros: cost }),
  };
}

/** Some providers report what an exchange cost, in whole units of their currency. */
function costMicros(value: ExactJson | undefined): number | null {
  const number = value instanceof JsonFloat ? value.value : value;
  const micros = typeof number === 'number' ? Math.round(number * 1_000_000) : Number.NaN;
  return Number.isSafeInteger(micros) && micros >= 0 ? micros : null;
}

function tokens(value: ExactJson | undefined): number | null {
  const number = value instanceof JsonFloat ? value.value : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

function text(value: ExactJson | undefined): string | null {
  return typeof value === 'string' ? present(value) : null;
}

function present(value: string): string | null {
  return value.trim() === '' ? null : value;
}

function refused(reason: string): DecodedReply {
  return { ok: false, message: reason };
}
