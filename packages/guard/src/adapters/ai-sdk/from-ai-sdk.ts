import type { ModelMessage } from '@millforge/contracts';
import { type GuardTool, toGuardTool } from '../../guard-tool.ts';
import type { ToolChoice } from '../../judge/judge-text.ts';
import { itemsOf, textOf } from '../read-field.ts';
import type { AiSdkParams, AiSdkResult } from './ai-sdk-shapes.ts';
import { promptMessages } from './prompt-message.ts';

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

/** What a turn has come to: the messages behind the conversation, and the results that they answer. */
export interface Asking {
  /** The model's messages, what was wrong with them, and so on. */
  readonly extra: readonly ModelMessage[];
  /** The results, one for each message of the model. */
  readonly results: readonly AiSdkResult[];
}

/** A request that goes on after these messages, with a choice that may be narrower. */
export function extended<Params extends AiSdkParams>(
  params: Params,
  { extra, results }: Asking,
  choice: ToolChoice,
): Params {
  const toolChoice =
    typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.name };
  const changed = extra.length === 0 ? {} : { toolChoice };
  return {
    ...params,
    prompt: [...params.prompt, ...promptMessages(extra, results)],
    ...changed,
  };
}
