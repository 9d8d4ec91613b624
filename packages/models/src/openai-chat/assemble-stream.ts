import { type ExactJson, readJson } from '@millforge/contracts';
import type { JsonFields, StreamAssembler, StreamStep } from '../client/dialect.ts';
import { isJsonObject, jsonText } from '../client/json-text.ts';

/**
 * Puts the chunks of a streamed chat completion together to the body of a whole one.
 *
 * The first choice counts. Calls are told apart by `index`; a server that leaves it out begins a call
 * with an id or a name. A stream is whole when it said why it ended, or that it is done.
 */
export function assembleChatStream(): StreamAssembler {
  const calls: StreamedCall[] = [];
  let content = '';
  let reasoning = '';
  let refusal = '';
  let finish: ExactJson = null;
  let usage: ExactJson | undefined;
  let model: ExactJson | undefined;
  let isDone = false;
  let hasBegun = false;

  const takeDelta = (delta: JsonFields): StreamStep => {
    for (const call of listOf(delta['tool_calls'])) if (isJsonObject(call)) takeCall(calls, call);
    const legacy = delta['function_call'];
    if (isJsonObject(legacy)) takeCall(calls, { index: 0, function: legacy });
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
      const json = readChunk(data);
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
      return {
        ...(model === undefined ? {} : { model }),
        ...(usage === undefined ? {} : { usage }),
        choices: [
          {
            finish_reason: finish,
            message: {
              role: 'assistant',
              content: wellFormed(content),
              refusal: wellFormed(refusal),
              reasoning_content: wellFormed(reasoning),
              ...(calls.length === 0 ? {} : { tool_calls: calls.map(wholeCall) }),
            },
          },
        ],
      };
    },
  };
}

/** One call, as far as it has come. */
interface StreamedCall {
  readonly index: number | null;
  id: ExactJson;
  name: string;
  arguments: string;
}

function takeCall(calls: StreamedCall[], delta: JsonFields): void {
  const called = isJsonObject(delta['function']) ? delta['function'] : delta;
  const name = textOf(called['name']);
  const id = delta['id'] ?? null;
  const call = findCall(calls, { index: delta['index'], id, name }) ?? begun(calls, delta['index']);
  call.id ??= id;
  // Some servers repeat the whole name with every piece.
  if (name !== call.name) call.name += name;
  const piece = called['arguments'];
  if (typeof piece === 'string') call.arguments += piece;
  else if (piece !== undefined && piece !== null) call.arguments += jsonText(piece);
}

function findCall(
  calls: readonly StreamedCall[],
  by: { readonly index: ExactJson | undefined; readonly id: ExactJson; readonly name: string },
): StreamedCall | undefined {
  if (typeof by.index === 'number') return calls.find((call) => call.index === by.index);
  const last = calls.at(-1);
  const isNew = typeof by.id === 'string' && by.id !== '' && by.id !== last?.id;
  const isNamed = by.id === null && by.name !== '' && last !== undefined && last.arguments !== '';
  return isNew || isNamed ? undefined : last;
}

function begun(calls: StreamedCall[], index: ExactJson | undefined): StreamedCall {
  const call: StreamedCall = {
    index: typeof index === 'number' ? index : null,
    id: null,
    name: '',
    arguments: '',
  };
  calls.push(call);
  return call;
}

function wholeCall({ id, name, arguments: text }: StreamedCall): JsonFields {
  return {
    id,
    type: 'function',
    function: { name: wellFormed(name), arguments: wellFormed(text) },
  };
}

function readChunk(
  data: string,
): { readonly ok: true; readonly value: ExactJson } | { readonly ok: false } {
  const json = readJson(data, { allowControlCharacters: true });
  if (json.ok || json.reason !== 'lone-surrogate') return json;
  // A character may be split between two events; its halves find each other when they are joined.
  return { ok: true, value: JSON.parse(data) };
}

/** Text, or the texts of a list of parts. */
function textOf(value: ExactJson | undefined): string {
  if (typeof value === 'string') return value;
  return listOf(value)
    .map((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

/** Halves of characters that stayed alone cannot be written down. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

function listOf(value: ExactJson | undefined): readonly ExactJson[] {
  return Array.isArray(value) ? value : [];
}

const NOTHING: StreamStep = { kind: 'none' };
