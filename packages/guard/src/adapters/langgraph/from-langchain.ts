import type { ModelReply, ModelToolCall } from '@millforge/contracts';
import { itemsOf, objectOf, textOf } from '../read-field.ts';

/** What a chat model of LangChain wrote, as the guard reads it. */
export function replyOf(message: object): ModelReply {
  const usage = objectOf(message, 'usage_metadata');
  const metadata = objectOf(message, 'response_metadata');
  const extra = objectOf(message, 'additional_kwargs');
  const reason = metadata === null ? null : textOf(metadata, 'finish_reason');
  return {
    content: contentOf(message),
    reasoning: extra === null ? null : textOf(extra, 'reasoning_content'),
    tool_calls: [
      ...itemsOf(message, 'tool_calls').map(callOf),
      // What LangChain could not parse stands apart, as text.
      ...itemsOf(message, 'invalid_tool_calls').map(callOf),
    ],
    finish_reason: FINISH_REASONS.get(reason ?? '') ?? 'unknown',
    usage:
      usage === null
        ? null
        : {
            input_tokens: Number(Reflect.get(usage, 'input_tokens') ?? 0),
            output_tokens: Number(Reflect.get(usage, 'output_tokens') ?? 0),
          },
    provider_model: null,
  };
}

/** Whether a message is of the model, a tool, or somebody else. */
export function kindOf(message: object): 'ai' | 'tool' | 'other' {
  const type = textOf(message, 'type') ?? textOf(message, 'role');
  if (type === 'ai' || type === 'assistant') return 'ai';
  return type === 'tool' ? 'tool' : 'other';
}

/** The text of a message; null when it has none. */
export function contentOf(message: object): string | null {
  const content = textOf(message, 'content');
  if (content !== null) return content === '' ? null : content;
  const text = itemsOf(message, 'content')
    .filter((part) => textOf(part, 'type') === 'text')
    .map((part) => textOf(part, 'text') ?? '')
    .join('');
  return text === '' ? null : text;
}

function callOf(call: object): ModelToolCall {
  const args: unknown = Reflect.get(call, 'args');
  return {
    id: textOf(call, 'id') ?? '',
    name: textOf(call, 'name') ?? '',
    arguments: typeof args === 'string' ? args : (JSON.stringify(args) ?? ''),
  };
}

const FINISH_REASONS: ReadonlyMap<string, ModelReply['finish_reason']> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['tool_calls', 'tool_calls'],
  ['content_filter', 'content_filter'],
]);
