import {
  type ModelMessage,
  type ModelReply,
  type ModelToolCall,
  unreachable,
} from '@millforge/contracts';
import { type GuardTool, toGuardTool } from '../../guard-tool.ts';
import type { ToolChoice } from '../../judge/judge-text.ts';
import { itemsOf, textOf } from '../read-field.ts';
import type { AiSdkParams, AiSdkPart, AiSdkResult } from './ai-sdk-shapes.ts';

/** The tools of a request; one that the provider performs is not judged by its arguments. */
export function guardTools(params: AiSdkParams): readonly GuardTool[] {
  return (params.tools ?? []).flatMap((tool) => {
    const name = textOf(tool, 'name');
    if (name === null) return [];
    const description = textOf(tool, 'description') ?? '';
    const isFunction = textOf(tool, 'type') === 'function';
    return isFunction
      ? [toGuardTool({ name, description, schema: Reflect.get(tool, 'inputSchema') })]
      : [{ name, description, parameters: null }];
  });
}

/** The choice that a request leaves to the model. */
export function toolChoiceOf({ toolChoice }: AiSdkParams): ToolChoice {
  const type = toolChoice?.type;
  if (type === 'none' || type === 'required') return type;
  return type === 'tool' ? { name: toolChoice?.toolName ?? '' } : 'auto';
}

/** The ids of the calls that stand in the conversation. */
export function callIds({ prompt }: AiSdkParams): ReadonlySet<string> {
  const parts = prompt.flatMap((message) => itemsOf(message, 'content'));
  return new Set(parts.flatMap((part) => textOf(part, 'toolCallId') ?? []));
}

/** A request that goes on after these messages, with a choice that may be narrower. */
export function extended<Params extends AiSdkParams>(
  params: Params,
  extra: readonly ModelMessage[],
  choice: ToolChoice,
): Params {
  const toolChoice =
    typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.name };
  const changed = extra.length === 0 ? {} : { toolChoice };
  return {
    ...params,
    prompt: [...params.prompt, ...extra.map(toPromptMessage)],
    ...changed,
  };
}

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

function toPromptMessage(message: ModelMessage): object {
  switch (message.role) {
    case 'system':
      return message;
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.content }] };
    case 'assistant': {
      const text =
        message.content === null ? [] : [{ type: 'text' as const, text: message.content }];
      const calls = (message.tool_calls ?? []).map(({ id, name, arguments: args }) => {
        const input: unknown = JSON.parse(args);
        return { type: 'tool-call', toolCallId: id, toolName: name, input };
      });
      return { role: 'assistant', content: [...text, ...calls] };
    }
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

const FINISH_REASONS: ReadonlyMap<string, ModelReply['finish_reason']> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content-filter', 'content_filter'],
  ['tool-calls', 'tool_calls'],
]);
