import {
  type ModelMessage,
  type ModelRequest,
  type ModelRequestOptions,
  type ModelTool,
  type ModelToolCall,
  toProviderSchema,
  unreachable,
} from '@millforge/contracts';
import type { RequestEncoder } from '../client/dialect.ts';
import { objectText } from '../client/object-text.ts';
import { once } from '../client/once.ts';
import type { ModelProfile } from '../profile/model-profile.ts';

/**
 * Makes the encoder of one client.
 *
 * Each message and tool is encoded once, by identity: a turn costs the messages that are new. They
 * must therefore not change after they were sent.
 */
export function createRequestEncoder(profile: ModelProfile): RequestEncoder {
  const messages = new WeakMap<ModelMessage, string>();
  const encodeTool = toolEncoder(profile.tool_schemas);
  const encodeMessage = messageEncoder(profile.reasoning_replay_field);
  const images = new WeakMap<ModelMessage, string>();
  const encode = (message: ModelMessage): string => once(messages, message, encodeMessage);
  const tools = new WeakMap<ModelTool, string>();
  return (request) => {
    const { options = {} } = request;
    const parts = [
      JSON.stringify(settings(profile, request)).slice(0, -1),
      `,"messages":[${wireMessages(request.messages, { encode, parts: (m) => once(images, m, imageParts) }).join(',')}]`,
    ];
    // Servers refuse an empty list of tools, and the field below without tools.
    if (request.tools.length > 0) {
      parts.push(`,"tools":[${request.tools.map((t) => once(tools, t, encodeTool)).join(',')}]`);
      const parallel = options.parallel_tool_calls ?? profile.parallel_tool_calls;
      if (parallel !== undefined) parts.push(`,"parallel_tool_calls":${parallel}`);
    }
    return `${parts.join('')}}`;
  };
}

/**
 * The messages in their order. A result takes text only, so the images of neighbouring results stand in a
 * message of the user behind them: in the one that is there, since templates refuse two in a row.
 */
function wireMessages(
  messages: readonly ModelMessage[],
  { encode, parts }: Record<'encode' | 'parts', (message: ModelMessage) => string>,
): readonly string[] {
  const wire: string[] = [];
  let shown: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      wire.push(encode(message));
      if (message.images !== undefined) shown.push(parts(message));
    } else if (shown.length > 0 && message.role === 'user') {
      wire.push(userParts([...shown, textPart(message.content)]));
      shown = [];
    } else {
      if (shown.length > 0) wire.push(userParts(shown));
      shown = [];
      wire.push(encode(message));
    }
  }
  return shown.length === 0 ? wire : [...wire, userParts(shown)];
}

function userParts(parts: readonly string[]): string {
  return `{"role":"user","content":[${parts.join(',')}]}`;
}

function textPart(text: string): string {
  return JSON.stringify({ type: 'text', text });
}

/** The images of one result, and whose they are. */
function imageParts(message: ModelMessage): string {
  if (message.role !== 'tool') return '';
  const { images = [], name, tool_call_id } = message;
  const of = images.length === 1 ? 'Image' : `${images.length} images`;
  return [
    textPart(`[${of} of the result of ${name}, call ${tool_call_id}]`),
    ...images.map(({ media_type, data }) =>
      JSON.stringify({
        type: 'image_url',
        image_url: { url: `data:${media_type};base64,${data}` },
      }),
    ),
  ].join(',');
}

function settings(profile: ModelProfile, { options = {}, tools }: ModelRequest): object {
  const limit = options.max_output_tokens ?? profile.max_output_tokens;
  const { structured_output: output, tool_choice: choice } = options;
  return {
    model: profile.model,
    stream: profile.stream ?? false,
    // Without it a stream says nothing of tokens.
    ...(profile.stream === true ? { stream_options: { include_usage: true } } : {}),
    ...profile.extra_body,
    ...profile.sampling,
    ...(limit === undefined ? {} : { [profile.max_output_tokens_field ?? 'max_tokens']: limit }),
    ...(output === undefined
      ? {}
      : { response_format: { type: 'json_schema', json_schema: output } }),
    ...(choice === undefined || tools.length === 0 ? {} : { tool_choice: wireChoice(choice) }),
  };
}

function wireChoice(choice: NonNullable<ModelRequestOptions['tool_choice']>): unknown {
  if (typeof choice === 'string') return choice;
  return { type: 'function', function: { name: choice.name } };
}

function toolEncoder(dialect: ModelProfile['tool_schemas']): (tool: ModelTool) => string {
  return ({ name, description, parameters }) => {
    const form = dialect === undefined ? null : toProviderSchema(parameters, dialect).schema;
    // A schema without a form is told as it is, and nobody is held to it.
    const strict = dialect === 'openai-strict' && form !== null ? { strict: true } : {};
    const told = { name, description, parameters: form ?? parameters, ...strict };
    return JSON.stringify({ type: 'function', function: told });
  };
}

function messageEncoder(
  replayField: ModelProfile['reasoning_replay_field'],
): (message: ModelMessage) => string {
  return (message) => {
    switch (message.role) {
      case 'system':
      case 'user':
        return JSON.stringify({ role: message.role, content: message.content });
      case 'tool':
        return JSON.stringify({
          role: 'tool',
          tool_call_id: message.tool_call_id,
          name: message.name,
          content: message.content,
        });
      case 'assistant':
        return JSON.stringify({
          role: 'assistant',
          // Beside calls some servers refuse null and others a missing field; all take empty text.
          content: message.content ?? '',
          ...wireCalls(message, replayField),
        });
      default:
        return unreachable(message);
    }
  };
}

/** The calls of a message, and beside them the reasoning that led to them, where the server wants it. */
function wireCalls(
  message: ModelMessage & { readonly role: 'assistant' },
  replayField: ModelProfile['reasoning_replay_field'],
): object {
  const { tool_calls: calls = [], continuation } = message;
  if (calls.length === 0) return {};
  const reasoning =
    replayField === undefined || continuation === undefined ? {} : { [replayField]: continuation };
  return { ...reasoning, tool_calls: calls.map(wireCall) };
}

function wireCall(call: ModelToolCall): object {
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: objectText(call.arguments) },
  };
}
