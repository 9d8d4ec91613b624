import type { ModelReply, ModelToolCall } from '@millforge/contracts';
import { textOf } from '../read-field.ts';
import type { AiSdkPart, AiSdkResult } from './ai-sdk-shapes.ts';

/** What a model wrote, as the guard reads it. */
export function replyOf({ content, finishReason, usage }: AiSdkResult): ModelReply {
  const text = joined(content, 'text');
  const input = usage.inputTokens.total;
  const output = usage.outputTokens.total;
  return {
    content: text === '' ? null : text,
    reasoning: joined(content, 'reasoning') || null,
    tool_calls: content.filter(isOwnCall).map(callOf),
    finish_reason: FINISH_REASONS.get(finishReason.unified) ?? 'unknown',
    usage:
      input === undefined && output === undefined
        ? null
        : { input_tokens: input ?? 0, output_tokens: output ?? 0 },
    provider_model: null,
  };
}

/** Whether a part is a call that the caller performs, not the provider. */
export function isOwnCall(part: AiSdkPart): boolean {
  return part.type === 'tool-call' && Reflect.get(part, 'providerExecuted') !== true;
}

function callOf(part: AiSdkPart): ModelToolCall {
  return {
    id: textOf(part, 'toolCallId') ?? '',
    name: textOf(part, 'toolName') ?? '',
    arguments: textOf(part, 'input') ?? '',
  };
}

function joined(parts: readonly AiSdkPart[], type: string): string {
  return parts
    .filter((part) => part.type === type)
    .map((part) => textOf(part, 'text') ?? '')
    .join('');
}

const FINISH_REASONS: ReadonlyMap<string, ModelReply['finish_reason']> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content-filter', 'content_filter'],
  ['tool-calls', 'tool_calls'],
]);
