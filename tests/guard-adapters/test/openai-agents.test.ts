import { guardModel } from '@millforge/guard/openai-agents';
import {
  Agent,
  type Model,
  type ModelRequest,
  type ModelResponse,
  Runner,
  type StreamEvent,
  tool,
  Usage,
} from '@openai/agents-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { askWithAgents } from '../examples/openai-agents.ts';

type Item = Extract<StreamEvent, { type: 'response_done' }>['response']['output'][number];

/** A model that answers with prepared items, and keeps what it was asked in a field of its own. */
class Prepared implements Model {
  readonly #requests: ModelRequest[] = [];
  readonly #replies: (readonly Item[])[];

  constructor(replies: readonly (readonly Item[])[]) {
    this.#replies = [...replies];
  }

  get requests(): readonly ModelRequest[] {
    return this.#requests;
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    const output = this.#take(request);
    const usage = new Usage({ inputTokens: 10, outputTokens: 5, totalTokens: 15, requests: 1 });
    return { usage, output };
  }

  #take(request: ModelRequest): Item[] {
    this.#requests.push(request);
    return [...(this.#replies.shift() ?? [])];
  }

  async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    const output = this.#take(request);
    yield { type: 'response_started' };
    for (const item of output) {
      if (item.type !== 'message' || item.role !== 'assistant') continue;
      for (const part of item.content) {
        if (part.type !== 'output_text') continue;
        for (const delta of part.text.match(/.{1,5}/gs) ?? []) {
          yield { type: 'output_text_delta', delta };
        }
      }
    }
    const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
    yield { type: 'response_done', response: { id: 'r', usage, output } };
  }
}

function say(text: string): Item {
  const content = [{ type: 'output_text' as const, text }];
  return { type: 'message', role: 'assistant', status: 'completed', content };
}

function call(name: string, args: string, callId = 'a'): Item {
  return { type: 'function_call', callId, name, arguments: args, status: 'completed' };
}

function agentOf(model: Model, read: number[]) {
  return new Agent({
    name: 'reader',
    instructions: 'Read notes.',
    model,
    tools: [
      tool({
        name: 'read_note',
        description: 'Reads a note.',
        parameters: z.object({ id: z.number().int() }),
        execute: async ({ id }) => {
          read.push(id);
          return `note ${id}`;
        },
      }),
    ],
  });
}

async function run(...replies: readonly (readonly Item[])[]) {
  const prepared = new Prepared(replies);
  const read: number[] = [];
  const runner = new Runner({ tracingDisabled: true });
  const outcome = await runner.run(agentOf(guardModel(prepared), read), 'Read note 7.');
  return { outcome, read, requests: prepared.requests };
}

test('the example of the guide answers, also where the call is text', async () => {
  const written = '<tool_call>{"name": "read_note", "arguments": {"id": 7}}</tool_call>';
  const prepared = new Prepared([[say(written)], [say('Milk.')]]);
  expect(await askWithAgents(prepared, 'What do I need?')).toBe('Milk.');
  expect(JSON.stringify(prepared.requests[1]?.input)).toContain('Note 7: buy milk.');
});

test('an answer passes as it came, with one request', async () => {
  const { outcome, requests } = await run([say('Good morning!')]);
  expect(outcome.finalOutput).toBe('Good morning!');
  expect(requests).toHaveLength(1);
});

test('a call that was written as text is performed', async () => {
  const written = '<tool_call>\n{"name": "read_note", "arguments": {"id": 7}}\n</tool_call>';
  const { outcome, read } = await run([say(written)], [say('It says hello.')]);
  expect(read).toEqual([7]);
  expect(outcome.finalOutput).toBe('It says hello.');
});

test('an unknown tool ends no run, but is asked about', async () => {
  const { read, requests } = await run(
    [call('open_document', '{"id":7}')],
    [call('read_note', '{"id":7}')],
    [say('Done.')],
  );
  expect(read).toEqual([7]);
  expect(requests).toHaveLength(3);
  expect(requests[1]?.input).toMatchObject([
    { role: 'user' },
    { type: 'function_call', name: 'open_document' },
    { type: 'function_call_result', output: { text: expect.stringContaining('read_note') } },
  ]);
});

test('arguments are repaired without asking, and tokens of all requests are counted', async () => {
  const { outcome, read } = await run(
    [call('readNote', '{"id":"7"}')],
    [call('read_note', '{"id":"x"}')],
    [call('read_note', '{"id":8}')],
    [say('Done.')],
  );
  expect(read).toEqual([7, 8]);
  expect(outcome.runContext.usage.inputTokens).toBe(40);
});

test('a wrong call beside a valid one that nobody mends is left out', async () => {
  const batch = [call('read_note', '{"id":7}'), call('nothing', '{}', 'b')];
  const { read } = await run(batch, batch, batch, [say('Done.')]);
  expect(read).toEqual([7]);
});

test('thoughts and items stay together as the server made them, in a second question and in the run', async () => {
  const thought: Item = { type: 'reasoning', id: 'rs_1', content: [] };
  const said: Item = { ...say('One moment.'), id: 'msg_1' };
  const wrong: Item = { ...call('read_note', '{"id":"x"}'), id: 'fc_1' };
  const mended: Item = { ...call('readNote', '{"id":"7"}', 'b'), id: 'fc_2' };
  const { read, requests } = await run(
    [thought, said, wrong],
    [{ ...thought, id: 'rs_2' }, { ...said, id: 'msg_2' }, mended],
    [say('Done.')],
  );
  expect(read).toEqual([7]);
  expect(requests[1]?.input.slice(1)).toMatchObject([
    thought,
    said,
    wrong,
    { type: 'function_call_result', callId: 'a' },
  ]);
  expect(requests[2]?.input.slice(1)).toMatchObject([
    { type: 'reasoning', id: 'rs_2' },
    { ...said, id: 'msg_2' },
    { ...mended, name: 'read_note', arguments: '{"id":7}' },
    { type: 'function_call_result', callId: 'b' },
  ]);
});

test('where the server keeps the conversation nothing is asked again', async () => {
  const prepared = new Prepared([[call('read_note', '{"id":"x"}')]]);
  const request: ModelRequest = {
    input: 'x',
    modelSettings: {},
    tools: [
      {
        type: 'function',
        name: 'read_note',
        description: '',
        strict: true,
        parameters: {
          type: 'object',
          properties: { id: { type: 'integer' } },
          required: ['id'],
          additionalProperties: false,
        },
      },
    ],
    handoffs: [],
    outputType: 'text',
    tracing: false,
    conversationId: 'c',
  };
  const { output } = await guardModel(prepared).getResponse(request);
  expect(output).toEqual([call('read_note', '{"id":"x"}')]);
  expect(prepared.requests).toHaveLength(1);
});

test('streamed text passes while it comes, a call in it does not', async () => {
  const written =
    'One moment.\n<tool_call>{"name": "read_note", "arguments": {"id": 7}}</tool_call>';
  const read: number[] = [];
  const runner = new Runner({ tracingDisabled: true });
  const model = guardModel(new Prepared([[say(written)], [say('It says hello.')]]));
  const outcome = await runner.run(agentOf(model, read), 'Read it.', { stream: true });
  const pieces: string[] = [];
  for await (const event of outcome) {
    if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') {
      pieces.push(event.data.delta);
    }
  }
  expect(read).toEqual([7]);
  expect(pieces.join('')).toBe('One moment.\nIt says hello.');
  expect(pieces.length).toBeGreaterThan(3);
});
