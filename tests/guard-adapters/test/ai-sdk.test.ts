import { guardMiddleware, repairToolCall } from '@millforge/guard/ai-sdk';
import { generateText, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { askWithAiSdk } from '../examples/ai-sdk.ts';

type Result = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>;
type Content = Result['content'];
type StreamPart =
  Awaited<ReturnType<MockLanguageModelV3['doStream']>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never;

const USAGE = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

function result(content: Content, unified: 'stop' | 'tool-calls' | 'length' = 'stop'): Result {
  return { content, finishReason: { unified, raw: undefined }, usage: USAGE, warnings: [] };
}

function text(said: string): Result {
  return result([{ type: 'text', text: said }]);
}

function call(toolName: string, input: string, toolCallId = 'a'): Content[number] {
  return { type: 'tool-call', toolCallId, toolName, input };
}

async function run(replies: readonly Result[], prompt = 'Read note 7.') {
  const read: number[] = [];
  const model = new MockLanguageModelV3({ doGenerate: [...replies] });
  const outcome = await generateText({
    model: wrapLanguageModel({ model, middleware: guardMiddleware() }),
    tools: {
      read_note: tool({
        description: 'Reads a note.',
        inputSchema: z.object({ id: z.number().int(), raw: z.boolean().optional() }),
        execute: async ({ id }) => {
          read.push(id);
          return `note ${id}`;
        },
      }),
    },
    stopWhen: stepCountIs(5),
    prompt,
  });
  return { outcome, read, prompts: model.doGenerateCalls.map((one) => one.prompt) };
}

test('the example of the guide answers, also where the call is text', async () => {
  const model = new MockLanguageModelV3({
    doGenerate: [
      text('<tool_call>{"name": "read_note", "arguments": {"id": 7}}</tool_call>'),
      text('Milk.'),
    ],
  });
  expect(await askWithAiSdk(model, 'What do I need?')).toBe('Milk.');
  expect(JSON.stringify(model.doGenerateCalls[1]?.prompt)).toContain('Note 7: buy milk.');
});

test('an answer passes as it came, with one request', async () => {
  const { outcome, prompts } = await run([text('Good morning! How can I help?')], 'Good morning');
  expect(outcome.text).toBe('Good morning! How can I help?');
  expect(prompts).toHaveLength(1);
});

test('a call that was written as text is performed', async () => {
  const written =
    'I will open it.\n<tool_call>\n{"name": "read_note", "arguments": {"id": "7"}}\n</tool_call>';
  const { outcome, read } = await run([text(written), text('It says hello.')]);
  expect(read).toEqual([7]);
  expect(outcome.text).toBe('It says hello.');
  expect(outcome.steps[0]?.text).toBe('I will open it.');
  expect(outcome.steps[0]?.finishReason).toBe('tool-calls');
});

test('a call with a near name and numbers as text is performed without asking again', async () => {
  const first = result([call('functions.readNote', '{"id":"7","raw":null}')], 'tool-calls');
  const { read, prompts } = await run([first, text('Done.')]);
  expect(read).toEqual([7]);
  expect(prompts).toHaveLength(2);
});

test('a wrong call is asked for again inside the turn, and all tokens are counted', async () => {
  const { outcome, read, prompts } = await run([
    result([call('read_note', '{"id":"seven"}'), call('read_note', '{"id":8}', 'b')], 'tool-calls'),
    result([call('read_note', '{"id":7}'), call('read_note', '{"id":8}', 'b')], 'tool-calls'),
    text('Both.'),
  ]);
  expect(read).toEqual([7, 8]);
  expect(outcome.steps).toHaveLength(2);
  expect(outcome.steps[0]?.usage.inputTokens).toBe(20);
  expect(prompts[1]?.slice(-3)).toMatchObject([
    { role: 'assistant', content: [{ type: 'tool-call' }, { type: 'tool-call' }] },
    {
      role: 'tool',
      content: [{ output: { value: expect.stringContaining('$.id must be integer') } }],
    },
    { role: 'tool', content: [{ output: { value: expect.stringContaining('[held]') } }] },
  ]);
  // What the model was told inside the turn stands in no later request.
  expect(JSON.stringify(prompts[2])).not.toContain('[held]');
});

test('an announcement is asked about once, an empty reply until the budget ends', async () => {
  const announced = await run([text('Let me read the note first.'), text('Let me read the note.')]);
  expect(announced.prompts).toHaveLength(2);
  expect(announced.outcome.text).toBe('Let me read the note.');
  const empty = await run([result([]), result([]), result([])]);
  expect(empty.prompts).toHaveLength(3);
  expect(empty.outcome.text).toBe('');
});

test('a request without tools, or with tool choice none, is left alone', async () => {
  const model = new MockLanguageModelV3({ doGenerate: text('<tool_call>') });
  const guarded = wrapLanguageModel({ model, middleware: guardMiddleware() });
  expect((await generateText({ model: guarded, prompt: 'x' })).text).toBe('<tool_call>');
});

test('the hook of the SDK repairs what needs no question', async () => {
  const model = new MockLanguageModelV3({
    doGenerate: [result([call('readNote', "{'id': '7',}")], 'tool-calls'), text('Done.')],
  });
  const outcome = await generateText({
    model,
    tools: {
      read_note: tool({ inputSchema: z.object({ id: z.number() }), execute: async ({ id }) => id }),
    },
    experimental_repairToolCall: repairToolCall,
    stopWhen: stepCountIs(3),
    prompt: 'x',
  });
  expect(outcome.steps[0]?.toolResults).toMatchObject([{ toolName: 'read_note', output: 7 }]);
});

async function stream(parts: readonly StreamPart[], later: readonly Result[] = []) {
  const read: number[] = [];
  const model = new MockLanguageModelV3({
    doStream: [
      {
        stream: simulateReadableStream({
          chunks: [...parts],
          initialDelayInMs: null,
          chunkDelayInMs: null,
        }),
      },
      {
        stream: simulateReadableStream({
          chunks: words('Done.'),
          initialDelayInMs: null,
          chunkDelayInMs: null,
        }),
      },
    ],
    doGenerate: [...later],
  });
  const outcome = streamText({
    model: wrapLanguageModel({ model, middleware: guardMiddleware() }),
    tools: {
      read_note: tool({
        inputSchema: z.object({ id: z.number() }),
        execute: async ({ id }) => {
          read.push(id);
          return id;
        },
      }),
    },
    stopWhen: stepCountIs(3),
    prompt: 'x',
  });
  const pieces: string[] = [];
  for await (const part of outcome.fullStream) {
    if (part.type === 'text-delta') pieces.push(part.text);
  }
  return { pieces, read, steps: await outcome.steps };
}

function words(...pieces: readonly string[]): StreamPart[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: 't' },
    ...pieces.map((delta): StreamPart => ({ type: 'text-delta', id: 't', delta })),
    { type: 'text-end', id: 't' },
    { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage: USAGE },
  ];
}

test('streamed text passes piece by piece', async () => {
  const { pieces } = await stream(words('Good ', 'morning', ', you.'));
  expect(pieces).toEqual(['Good ', 'morning', ', you.']);
});

test('a streamed call in the text is performed and never shown', async () => {
  const { pieces, read, steps } = await stream(
    words(
      'One moment.\n',
      '<tool',
      '_call>{"name": "read',
      '_note", "arguments": {"id": 7}}',
      '</tool_call>',
    ),
  );
  expect(read).toEqual([7]);
  expect(pieces.join('')).toBe('One moment.\nDone.');
  expect(steps[0]?.finishReason).toBe('tool-calls');
});

test('a stream that breaks off is handed on, and nothing is asked', async () => {
  const model = new MockLanguageModelV3({
    doStream: {
      stream: simulateReadableStream<StreamPart>({
        chunks: [
          { type: 'stream-start', warnings: [] },
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: '<tool_call>{"name"' },
          { type: 'error', error: new Error('gone') },
        ],
        initialDelayInMs: null,
        chunkDelayInMs: null,
      }),
    },
  });
  const { fullStream } = streamText({
    model: wrapLanguageModel({ model, middleware: guardMiddleware() }),
    tools: {
      read_note: tool({ inputSchema: z.object({ id: z.number() }), execute: async () => '' }),
    },
    prompt: 'x',
    onError: () => {},
  });
  const types: string[] = [];
  for await (const part of fullStream) types.push(part.type);
  expect(types).toContain('error');
  expect(types).toContain('text-delta');
  expect(model.doGenerateCalls).toHaveLength(0);
});

test('a streamed call that is wrong is asked for again without a stream', async () => {
  const { read, steps } = await stream(
    [
      { type: 'stream-start', warnings: [] },
      { type: 'tool-input-start', id: 'a', toolName: 'read_note' },
      { type: 'tool-input-delta', id: 'a', delta: '{"id":[7]}' },
      { type: 'tool-input-end', id: 'a' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'read_note', input: '{"id":[7]}' },
      { type: 'finish', finishReason: { unified: 'tool-calls', raw: undefined }, usage: USAGE },
    ],
    [result([call('read_note', '{"id":7}')], 'tool-calls')],
  );
  expect(read).toEqual([7]);
  expect(steps[0]?.usage.outputTokens).toBe(10);
});
