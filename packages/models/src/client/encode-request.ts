import {
  type ModelMessage,
  type ModelRequest,
  type ModelTool,
  type ModelToolCall,
  unreachable,
} from '@millforge/contracts';
import type { ModelProfile } from '../profile/model-profile.ts';

/** Writes the body of a request. */
export type RequestEncoder = (request: ModelRequest) => string;

/**
 * Makes the encoder of one client.
 *
 * Each message and tool is encoded once, by identity: a turn costs the messages that are new. They
 * must therefore not change after they were sent.
 */
export function createRequestEncoder(profile: ModelProfile): RequestEncoder {
  const messages = new WeakMap<ModelMessage, string>();
  const tools = new WeakMap<ModelTool, string>();
  const head = JSON.stringify({ model: profile.model, stream: false, ...settings(profile) });
  return (request) => {
    const parts = [
      head.slice(0, -1),
      `,"messages":[${request.messages.map((m) => once(messages, m, encodeMessage)).join(',')}]`,
    ];
    // Servers refuse an empty list of tools, and the field below without tools.
    if (request.tools.length > 0) {
      parts.push(`,"tools":[${request.tools.map((t) => once(tools, t, encodeTool)).join(',')}]`);
      if (profile.parallel_tool_calls !== undefined) {
        parts.push(`,"parallel_tool_calls":${profile.parallel_tool_calls}`);
      }
    }
    return `${parts.join('')}}`;
  };
}

function settings(profile: ModelProfile): object {
  const limit = profile.max_output_tokens;
  return {
    ...profile.extra_body,
    ...profile.sampling,
    ...(limit === undefined ? {} : { [profile.max_output_tokens_field ?? 'max_tokens']: limit }),
  };
}

function once<K extends object>(cache: WeakMap<K, string>, key: K, encode: (key: K) => string) {
  let text = cache.get(key);
  if (text === undefined) {
    text = encode(key);
    cache.set(key, text);
  }
  return text;
}

function encodeTool(tool: ModelTool): string {
  const { name, description, parameters } = tool;
  return JSON.stringify({ type: 'function', function: { name, description, parameters } });
}

function encodeMessage(message: ModelMessage): string {
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
        ...(message.tool_calls === undefined || message.tool_calls.length === 0
          ? {}
          : { tool_calls: message.tool_calls.map(wireCall) }),
      });
    default:
      return unreachable(message);
  }
}

function wireCall(call: ModelToolCall): object {
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: objectText(call.arguments) },
  };
}

/**
 * Wraps arguments that are not a JSON object.
 *
 * Servers parse the arguments of earlier calls to fill the model's template and refuse the whole
 * conversation over one bad call. An empty object would hide from the model what it wrote.
 */
function objectText(text: string): string {
  return isObjectText(text) ? text : JSON.stringify({ malformed_arguments: text });
}

function isObjectText(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The only way to ask whether a text is JSON.
    return false;
  }
}
