import type { ExactJson, ModelMessage, ModelReply, ModelUsage } from '@millforge/contracts';
import { uniqueCallIds } from '../client/call-ids.ts';
import type { DecodedReply, JsonFields } from '../client/dialect.ts';
import { isJsonObject, jsonText } from '../client/json-text.ts';

/** Decodes a message: its text, its thinking, its calls; a block of another kind has nothing for a caller. */
export function decodeMessage(
  body: JsonFields,
  conversation: readonly ModelMessage[],
): DecodedReply {
  const { content } = body;
  if (!Array.isArray(content)) return { ok: false, message: 'has no list "content"' };
  const listed: readonly ExactJson[] = content;
  const blocks = listed.filter(isJsonObject);
  const uses = blocks.filter((block) => block['type'] === 'tool_use');
  const ids = uniqueCallIds(
    uses.map((use) => use['id']),
    conversation,
  );
  return {
    ok: true,
    reply: {
      content: joined(blocks, 'text'),
      reasoning: joined(blocks, 'thinking'),
      tool_calls: uses.map((use, index) => ({
        id: ids[index] ?? '',
        name: typeof use['name'] === 'string' ? use['name'] : '',
        arguments: argumentsOf(use['input']),
      })),
      finish_reason: finishOf(body['stop_reason'], uses.length > 0),
      usage: usageOf(body['usage']),
      provider_model: typeof body['model'] === 'string' ? body['model'] : null,
    },
  };
}

/** The blocks of thinking as they came, signatures included: a JSON list, which the API takes back unchanged. */
export function thinkingBlocks(body: JsonFields): string | null {
  const { content } = body;
  if (!Array.isArray(content)) return null;
  const listed: readonly ExactJson[] = content;
  const blocks = listed.filter(
    (block) =>
      isJsonObject(block) &&
      (block['type'] === 'thinking' || block['type'] === 'redacted_thinking'),
  );
  return blocks.length === 0 ? null : jsonText(blocks);
}

function argumentsOf(input: ExactJson | undefined): string {
  if (input === undefined || input === null) return '{}';
  // Only a stream that was cut inside a call leaves text here.
  return typeof input === 'string' ? input || '{}' : jsonText(input);
}

function joined(blocks: readonly JsonFields[], kind: 'text' | 'thinking'): string | null {
  const text = blocks
    .filter((block) => block['type'] === kind)
    .map((block) => (typeof block[kind] === 'string' ? block[kind] : ''))
    .join('');
  return text.trim() === '' ? null : text;
}

function finishOf(reason: ExactJson | undefined, hasCalls: boolean): ModelReply['finish_reason'] {
  switch (typeof reason === 'string' ? reason : '') {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'content_filter';
    default:
      if (hasCalls) return 'tool_calls';
      return reason === 'end_turn' || reason === 'stop_sequence' || reason === 'tool_use'
        ? 'stop'
        : 'unknown';
  }
}

/** What was read from a cache or written to it is read all the same. */
function usageOf(usage: ExactJson | undefined): ModelUsage | null {
  if (!isJsonObject(usage)) return null;
  const output = usage['output_tokens'];
  const inputs = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'].map(
    (name) => usage[name],
  );
  if (!isCount(output) || !inputs.some(isCount)) return null;
  return {
    input_tokens: inputs.filter(isCount).reduce((sum, tokens) => sum + tokens, 0),
    output_tokens: output,
  };
}

function isCount(value: ExactJson | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
