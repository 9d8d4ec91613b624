import type { ExactJson } from '@millforge/contracts';
import type { JsonFields, StreamAssembler, StreamStep } from '../client/dialect.ts';
import { isJsonObject } from '../client/json-text.ts';
import { readEvent } from '../client/read-event.ts';
import { createStreamedCalls } from './streamed-calls.ts';

/**
 * Puts the chunks of a streamed chat completion together to the body of a whole one.
 *
 * The first choice counts. A stream is whole when it said why it ended, or that it is done.
 */
export function assembleChatStream(): StreamAssembler {
  const calls = createStreamedCalls();
  let content = '';
  let reasoning = '';
  let refusal = '';
  let finish: ExactJson = null;
  let usage: ExactJson | undefined;
  let model: ExactJson | undefined;
  let isDone = false;
  let hasBegun = false;

  const takeDelta = (delta: JsonFields): StreamStep => {
    for (const call of listOf(delta['tool_calls'])) if (isJsonObject(call)) calls.take(call);
    const legacy = delta['function_call'];
    if (isJsonObject(legacy)) calls.take({ index: 0, function: legacy });
    if (typeof delta['refusal'] === 'string') refusal += delta['refusal'];
    const thought = textOf(
      delta['reasoning_content'] ?? delta['reasoning'] ?? delta['reasoning_text'],
    );
    const said = textOf(delta['content']);
    reasoning += thought;
    content += said;
    if (said !== '') return { kind: 'text', text: said };
    return thought === '' ? NOTHING : { kind: 'reasoning', text: thought };
  };

  return {
    push({ data }) {
      if (data.trim() === '[DONE]') {
        isDone = true;
        return { kind: 'end' };
      }
      const json = readEvent(data);
      if (!json.ok) return { kind: 'malformed', message: `has an event that is not JSON` };
      const chunk = json.value;
      if (!isJsonObject(chunk))
        return { kind: 'malformed', message: 'has an event without fields' };
      if (chunk['error'] !== undefined && chunk['error'] !== null) {
        return { kind: 'error', body: chunk };
      }
      if (chunk['usage'] !== undefined && chunk['usage'] !== null) usage = chunk['usage'];
      model ??= chunk['model'];
      const choice = listOf(chunk['choices'])[0];
      if (!isJsonObject(choice)) return NOTHING;
      // Gateways put the failure of a server behind them into the choice that it cuts short.
      if (isJsonObject(choice['error'])) return { kind: 'error', body: { error: choice['error'] } };
      hasBegun = true;
      if (choice['finish_reason'] !== undefined && choice['finish_reason'] !== null) {
        finish = choice['finish_reason'];
      }
      const delta = choice['delta'] ?? choice['message'];
      return isJsonObject(delta) ? takeDelta(delta) : NOTHING;
    },
    finish() {
      if (!isDone && finish === null) return null;
      if (!hasBegun) return { choices: [] };
      const called = calls.finish();
      return {
        ...(model === undefined ? {} : { model }),
        ...(usage === undefined ? {} : { usage }),
        choices: [
          {
            finish_reason: finish,
            message: {
              role: 'assistant',
              content,
              refusal,
              reasoning_content: reasoning,
              ...(called.length === 0 ? {} : { tool_calls: called }),
            },
          },
        ],
      };
    },
  };
}

/** Text, or the texts of a list of parts. */
function textOf(value: ExactJson | undefined): string {
  if (typeof value === 'string') return value;
  return listOf(value)
    .map((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

function listOf(value: ExactJson | undefined): readonly ExactJson[] {
  return Array.isArray(value) ? value : [];
}

const NOTHING: StreamStep = { kind: 'none' };
