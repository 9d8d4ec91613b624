import type { ModelReply, ModelToolCall, ModelUsage } from '@millforge/contracts';
import { itemsOf, objectOf, textOf } from '../read-field.ts';

/**
 * Reads a chat completion as servers write it: content in parts, arguments as an object, reasoning under any
 * of its names, ids left out, no choice at all.
 */
export function chatReply(completion: object): ModelReply {
  const choice = itemsOf(completion, 'choices')[0] ?? {};
  const message = objectOf(choice, 'message') ?? {};
  return {
    content: chatText(message, 'content'),
    reasoning: reasoningIn(message),
    tool_calls: itemsOf(message, 'tool_calls').map(toolCallOf),
    finish_reason: finishReason(choice),
    usage: chatUsage(completion),
    provider_model: textOf(completion, 'model'),
  };
}

/** A text that may stand in parts; null when there is none. */
export function chatText(message: object, key: string): string | null {
  const text =
    textOf(message, key) ??
    itemsOf(message, key)
      .map((part) => textOf(part, 'text') ?? '')
      .join('');
  return text === '' ? null : text;
}

/** What was thought, under the name that the server gives it; null when there is nothing. */
export function reasoningIn(message: object): string | null {
  for (const key of ['reasoning_content', 'reasoning', 'reasoning_text']) {
    const text = textOf(message, key);
    if (text !== null && text !== '') return text;
  }
  return null;
}

/** Why a choice ended. */
export function finishReason(choice: object): ModelReply['finish_reason'] {
  return FINISH_REASONS.get(textOf(choice, 'finish_reason') ?? '') ?? 'unknown';
}

/** Tokens, when the server counted them. */
export function chatUsage(completion: object): ModelUsage | null {
  const usage = objectOf(completion, 'usage');
  const input: unknown = usage === null ? null : Reflect.get(usage, 'prompt_tokens');
  const output: unknown = usage === null ? null : Reflect.get(usage, 'completion_tokens');
  if (typeof input !== 'number' && typeof output !== 'number') return null;
  return {
    input_tokens: typeof input === 'number' ? input : 0,
    output_tokens: typeof output === 'number' ? output : 0,
  };
}

/**
 * What stands beside a call, such as the signature of the thought that led to it: some servers refuse the call
 * without it when it comes back.
 */
export function besideCall(call: object): { readonly [field: string]: unknown } {
  return Object.fromEntries(Object.entries(call).filter(([field]) => !CALL_FIELDS.has(field)));
}

function toolCallOf(call: object): ModelToolCall {
  const fn = objectOf(call, 'function') ?? {};
  const args: unknown = Reflect.get(fn, 'arguments');
  return {
    id: textOf(call, 'id') ?? '',
    name: textOf(fn, 'name') ?? '',
    arguments: typeof args === 'string' ? args : (JSON.stringify(args) ?? ''),
  };
}

const CALL_FIELDS: ReadonlySet<string> = new Set(['id', 'index', 'type', 'function']);
const FINISH_REASONS: ReadonlyMap<string, ModelReply['finish_reason']> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'content_filter'],
]);
