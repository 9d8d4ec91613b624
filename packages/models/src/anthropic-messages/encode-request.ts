import {
  type ExactJson,
  type ModelMessage,
  type ModelRequest,
  type ModelRequestOptions,
  type ModelTool,
  readJson,
  unreachable,
} from '@millforge/contracts';
import type { RequestEncoder } from '../client/dialect.ts';
import { isJsonObject, jsonText } from '../client/json-text.ts';
import { objectText } from '../client/object-text.ts';
import { once } from '../client/once.ts';
import type { ModelProfile } from '../profile/model-profile.ts';

/**
 * Makes the encoder of one client.
 *
 * Each message and tool is encoded once, by identity, and the blocks of neighbouring messages of one
 * role are joined: the API takes turns of user and assistant, and results are words of the user.
 */
export function createMessagesEncoder(profile: ModelProfile): RequestEncoder {
  const blocks = new WeakMap<ModelMessage, string>();
  const encode = blocksEncoder(profile.reasoning_replay_field === 'thinking');
  const tools = new WeakMap<ModelTool, string>();
  return ({ messages, tools: offered, options = {} }: ModelRequest) => {
    const parts = [JSON.stringify(settings(profile, options)).slice(0, -1)];
    const system = messages.filter((message) => message.role === 'system');
    if (system.length > 0) {
      parts.push(`,"system":${JSON.stringify(system.map(({ content }) => content).join('\n\n'))}`);
    }
    parts.push(
      `,"messages":[${turnsOf(messages, (message) => once(blocks, message, encode)).join(',')}]`,
    );
    if (offered.length > 0) {
      parts.push(`,"tools":[${offered.map((tool) => once(tools, tool, encodeTool)).join(',')}]`);
      const choice = toolChoice(options, profile);
      if (choice !== null) parts.push(`,"tool_choice":${JSON.stringify(choice)}`);
    }
    return `${parts.join('')}}`;
  };
}

function settings(profile: ModelProfile, options: ModelRequestOptions): object {
  const { stop, temperature, top_p } = profile.sampling ?? {};
  const output = options.structured_output;
  return {
    model: profile.model,
    stream: profile.stream ?? false,
    ...profile.extra_body,
    ...(temperature === undefined ? {} : { temperature }),
    ...(top_p === undefined ? {} : { top_p }),
    ...(stop === undefined ? {} : { stop_sequences: stop }),
    ...(output === undefined
      ? {}
      : { output_config: { format: { type: 'json_schema', schema: output.schema } } }),
    // The one field that the API demands; it has no limit of its own to fall back on.
    max_tokens: options.max_output_tokens ?? profile.max_output_tokens ?? DEFAULT_MAX_TOKENS,
  };
}

function turnsOf(
  messages: readonly ModelMessage[],
  encode: (message: ModelMessage) => string,
): readonly string[] {
  const turns: string[] = [];
  let role: 'user' | 'assistant' | null = null;
  let open: string[] = [];
  const close = (): void => {
    if (role !== null) turns.push(`{"role":"${role}","content":[${open.join(',')}]}`);
    open = [];
  };
  for (const message of messages) {
    if (message.role === 'system') continue;
    const speaker = message.role === 'assistant' ? 'assistant' : 'user';
    if (speaker !== role) close();
    role = speaker;
    open.push(encode(message));
  }
  close();
  return turns;
}

/** Writes the blocks of one message, comma between them. */
function blocksEncoder(continuesThinking: boolean): (message: ModelMessage) => string {
  return (message) => {
    switch (message.role) {
      case 'system':
      case 'user':
        return textBlock(message.content);
      case 'tool':
        return JSON.stringify({
          type: 'tool_result',
          tool_use_id: message.tool_call_id,
          content: resultContent(message),
        });
      case 'assistant': {
        const calls = (message.tool_calls ?? []).map(
          ({ id, name, arguments: text }) =>
            `{"type":"tool_use","id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"input":${objectText(text)}}`,
        );
        const thinking = continuesThinking && calls.length > 0 ? thinkingOf(message) : [];
        // An empty text block is refused.
        const hasText = message.content !== null && message.content.trim() !== '';
        return [...thinking, ...(hasText ? [textBlock(message.content)] : []), ...calls].join(',');
      }
      default:
        return unreachable(message);
    }
  };
}

/** A result with images is a list of blocks; any other is its text. */
function resultContent({ content, images }: ModelMessage & { readonly role: 'tool' }): unknown {
  if (images === undefined) return content;
  const blocks = images.map(({ media_type, data }) => ({
    type: 'image',
    source: { type: 'base64', media_type, data },
  }));
  return [{ type: 'text', text: content }, ...blocks];
}

/** Thinking stands before everything else of its turn, byte for byte as the provider signed it. */
function thinkingOf({
  continuation,
}: ModelMessage & { readonly role: 'assistant' }): readonly string[] {
  if (continuation === undefined) return [];
  const read = readJson(continuation);
  const blocks: readonly ExactJson[] = read.ok && Array.isArray(read.value) ? read.value : [];
  return blocks.filter(isJsonObject).map(jsonText);
}

function textBlock(text: string | null): string {
  return JSON.stringify({ type: 'text', text });
}

function encodeTool({ name, description, parameters }: ModelTool): string {
  return JSON.stringify({ name, description, input_schema: parameters });
}

function toolChoice(options: ModelRequestOptions, profile: ModelProfile): object | null {
  const parallel = options.parallel_tool_calls ?? profile.parallel_tool_calls;
  const choice = options.tool_choice ?? (parallel === false ? 'auto' : null);
  if (choice === null) return null;
  if (choice === 'none') return { type: 'none' };
  const serial = parallel === false ? { disable_parallel_tool_use: true } : {};
  // The API refuses a forced choice while the model thinks; what it is asked for in words stands.
  if (choice === 'auto' || thinks(profile)) return { type: 'auto', ...serial };
  return choice === 'required'
    ? { type: 'any', ...serial }
    : { type: 'tool', name: choice.name, ...serial };
}

function thinks({ extra_body }: ModelProfile): boolean {
  const thinking = extra_body?.['thinking'];
  return isJsonObject(thinking) && thinking['type'] !== 'disabled';
}

const DEFAULT_MAX_TOKENS = 4096;
