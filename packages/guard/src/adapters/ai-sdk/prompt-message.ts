import { type ModelMessage, unreachable } from '@millforge/contracts';
import { textOf } from '../read-field.ts';
import type { AiSdkPart, AiSdkResult } from './ai-sdk-shapes.ts';
import { isOwnCall } from './reply-of.ts';

type AssistantMessage = Extract<ModelMessage, { readonly role: 'assistant' }>;

/**
 * What goes behind the conversation when a model is asked again, in the SDK's own form.
 *
 * Every message of the model is that of one result, in order. It keeps what providers want back with it: thoughts
 * and their signatures, the ids of items, and calls that the provider performed, with their results.
 */
export function promptMessages(
  extra: readonly ModelMessage[],
  results: readonly AiSdkResult[],
): readonly object[] {
  let place = 0;
  return extra.map((message) =>
    message.role === 'assistant'
      ? assistantMessage(message, results[place++]?.content ?? [])
      : otherMessage(message),
  );
}

function assistantMessage(
  { content, tool_calls: calls = [] }: AssistantMessage,
  given: readonly AiSdkPart[],
): object {
  const texts = given.filter((part) => part.type === 'text');
  const isSaid = texts.map((part) => textOf(part, 'text') ?? '').join('') === content;
  const kept = given.flatMap((part) =>
    (part.type === 'text' && !isSaid) || isOwnCall(part) ? [] : keptPart(part),
  );
  const text = content === null || isSaid ? [] : [{ type: 'text', text: content }];
  const own = given.filter(isOwnCall);
  const made = calls.map(({ id, name, arguments: args }) => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: parsed(args),
    ...optionsOf(own.find((part) => textOf(part, 'toolCallId') === id)),
  }));
  return { role: 'assistant', content: [...kept, ...text, ...made] };
}

/** A part of a result as a part of a prompt; none for what is not sent back. */
function keptPart(part: AiSdkPart): readonly object[] {
  const { type } = part;
  const options = optionsOf(part);
  if (type === 'text' || type === 'reasoning') {
    return [{ type, text: textOf(part, 'text') ?? '', ...options }];
  }
  const call = {
    type,
    toolCallId: textOf(part, 'toolCallId') ?? '',
    toolName: textOf(part, 'toolName') ?? '',
  };
  if (type === 'tool-call') {
    return [
      { ...call, input: parsed(textOf(part, 'input') ?? ''), providerExecuted: true, ...options },
    ];
  }
  if (type !== 'tool-result') return [];
  const kind = Reflect.get(part, 'isError') === true ? 'error-json' : 'json';
  return [{ ...call, output: { type: kind, value: Reflect.get(part, 'result') }, ...options }];
}

/** What a provider says about a part it wants to hear again with it. */
function optionsOf(part: AiSdkPart | undefined): { readonly providerOptions?: unknown } {
  const metadata: unknown = part === undefined ? undefined : Reflect.get(part, 'providerMetadata');
  return metadata === undefined ? {} : { providerOptions: metadata };
}

function otherMessage(message: Exclude<ModelMessage, AssistantMessage>): object {
  switch (message.role) {
    case 'system':
      return message;
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.content }] };
    case 'tool': {
      const { tool_call_id, name, content } = message;
      const output = { type: 'error-text', value: content };
      const result = { type: 'tool-result', toolCallId: tool_call_id, toolName: name, output };
      return { role: 'tool', content: [result] };
    }
    default:
      return unreachable(message, 'message');
  }
}

/** Arguments of a provider's own call may be anything. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
