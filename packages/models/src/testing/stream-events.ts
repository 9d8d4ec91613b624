import type { JsonObject } from '@millforge/contracts';
import { isPlainObject } from '../document/plain-object.ts';

/** A chat completion as the texts of its events: pieces of a few characters, then usage, then `[DONE]`. */
export function chatEvents(completion: JsonObject): readonly string[] {
  const { id, model, usage } = completion;
  const [first] = listOf(completion['choices']);
  if (first === undefined) return [event({ id, model, choices: [] }), DONE];
  const choice = fieldsOf(first);
  const message = fieldsOf(choice['message']);
  const chunk = (delta: object, finish: unknown = null): string =>
    event({
      id,
      object: 'chat.completion.chunk',
      model,
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  const calls = listOf(message['tool_calls']).map(fieldsOf);
  return [
    chunk({ role: 'assistant', content: '' }),
    ...pieces(textOf(message['content'])).map((content) => chunk({ content })),
    ...calls.flatMap((call, index) => {
      const called = fieldsOf(call['function']);
      const begun = { ...call, index, function: { name: called['name'], arguments: '' } };
      return [
        chunk({ tool_calls: [begun] }),
        ...pieces(textOf(called['arguments'])).map((text) =>
          chunk({ tool_calls: [{ index, function: { arguments: text } }] }),
        ),
      ];
    }),
    chunk({}, choice['finish_reason']),
    ...(usage === undefined ? [] : [event({ id, model, choices: [], usage })]),
    DONE,
  ];
}

/** A message of the Messages API as the texts of its events. */
export function messageEvents(message: JsonObject): readonly string[] {
  const { content, stop_reason, usage, ...rest } = message;
  const counted = fieldsOf(usage);
  return [
    named('message_start', {
      message: { ...rest, content: [], stop_reason: null, usage: { ...counted, output_tokens: 1 } },
    }),
    named('ping', {}),
    ...listOf(content).flatMap((block, index) => {
      const { input, text, ...start } = fieldsOf(block);
      const isText = start['type'] === 'text';
      const begun = { ...start, ...(isText ? { text: '' } : { input: {} }) };
      const whole = isText
        ? textOf(text)
        : typeof input === 'string'
          ? input
          : JSON.stringify(input);
      return [
        named('content_block_start', { index, content_block: begun }),
        ...pieces(whole).map((piece) =>
          named('content_block_delta', {
            index,
            delta: isText
              ? { type: 'text_delta', text: piece }
              : { type: 'input_json_delta', partial_json: piece },
          }),
        ),
        named('content_block_stop', { index }),
      ];
    }),
    named('message_delta', {
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: counted['output_tokens'] ?? 0 },
    }),
    named('message_stop', {}),
  ];
}

function named(type: string, fields: object): string {
  return `event: ${type}\n${event({ type, ...fields })}`;
}

function event(fields: object): string {
  return `data: ${JSON.stringify(fields)}\n\n`;
}

/** Cut without regard to characters, as tokenizers do: halves of surrogate pairs are escaped. */
function pieces(text: string): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += PIECE) found.push(text.slice(at, at + PIECE));
  return found;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fieldsOf(value: unknown): { readonly [name: string]: unknown } {
  return isPlainObject(value) ? value : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const DONE = 'data: [DONE]\n\n';
const PIECE = 5;
