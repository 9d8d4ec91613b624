import { guardMiddleware } from '@millforge/guard/ai-sdk';
import { generateText, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import { expect, test } from 'vitest';
import { z } from 'zod';

type Result = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>;
type StreamPart =
  Awaited<ReturnType<MockLanguageModelV3['doStream']>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never;

const USAGE = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
const FINISH = { unified: 'tool-calls', raw: undefined } as const;
const SIGNED = { anthropic: { signature: 's' } };
const ITEM = { openai: { itemId: 'fc' } };
const WRONG = {
  type: 'tool-call',
  toolCallId: 'a',
  toolName: 'read_note',
  input: '{"id":"x"}',
} as const;
const RIGHT = { ...WRONG, toolCallId: 'b', input: '{"id":7}' };
const SEARCH = { type: 'tool-call', toolCallId: 's', toolName: 'web', input: '{"q":1}' } as const;
const FOUND = {
  type: 'tool-result',
  toolCallId: 's',
  toolName: 'web',
  result: { hits: 1 },
} as const;

/** The message of the model that a second question shows it. */
const SHOWN = {
  role: 'assistant',
  content: [
    { type: 'reasoning', text: 'Hm.', providerOptions: SIGNED },
    {
      type: 'tool-call',
      toolCallId: 's',
      toolName: 'web',
      input: { q: 1 },
      providerExecuted: true,
    },
    {
      type: 'tool-result',
      toolCallId: 's',
      toolName: 'web',
      output: { type: 'json', value: { hits: 1 } },
    },
    { type: 'text', text: 'One moment.' },
    {
      type: 'tool-call',
      toolCallId: 'a',
      toolName: 'read_note',
      input: { id: 'x' },
      providerOptions: ITEM,
    },
  ],
};

function result(...content: Result['content']): Result {
  return { content, finishReason: FINISH, usage: USAGE, warnings: [] };
}

function toolsFor(read: number[]) {
  return {
    read_note: tool({
      inputSchema: z.object({ id: z.number().int() }),
      execute: async ({ id }) => {
        read.push(id);
        return `note ${id}`;
      },
    }),
  };
}

const DONE: StreamPart[] = [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Done.' },
  { type: 'text-end', id: 't' },
  { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage: USAGE },
];
const WRITTEN: StreamPart[] = [
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'H' },
  { type: 'reasoning-delta', id: 'r', delta: 'm.' },
  { type: 'reasoning-end', id: 'r', providerMetadata: SIGNED },
  { ...SEARCH, providerExecuted: true },
  FOUND,
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'One ' },
  { type: 'text-delta', id: 't', delta: 'moment.' },
  { type: 'text-end', id: 't' },
  { ...WRONG, providerMetadata: ITEM },
  { type: 'finish', finishReason: FINISH, usage: USAGE },
];

/** Streams a wrong call, asks again, and gives the types of what the SDK tells. */
async function stream(again: () => Promise<Result>) {
  const read: number[] = [];
  const streams = [WRITTEN, DONE].map((chunks) => ({
    stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }),
  }));
  const model = new MockLanguageModelV3({ doStream: streams, doGenerate: again });
  const errors: unknown[] = [];
  const { fullStream } = streamText({
    model: wrapLanguageModel({ model, middleware: guardMiddleware() }),
    tools: toolsFor(read),
    stopWhen: stepCountIs(3),
    prompt: 'Read note 7.',
    onError: ({ error }) => void errors.push(error),
  });
  const types: string[] = [];
  for await (const { type } of fullStream) types.push(type);
  return { read, types, errors, prompt: model.doGenerateCalls[0]?.prompt };
}

test('a second question shows the model all that its provider wants back with its message', async () => {
  const read: number[] = [];
  const model = new MockLanguageModelV3({
    doGenerate: [
      result(
        { type: 'reasoning', text: 'Hm.', providerMetadata: SIGNED },
        { ...SEARCH, providerExecuted: true },
        FOUND,
        { type: 'text', text: 'One moment.' },
        { ...WRONG, providerMetadata: ITEM },
      ),
      result(RIGHT),
      result({ type: 'text', text: 'Done.' }),
    ],
  });
  const { text } = await generateText({
    model: wrapLanguageModel({ model, middleware: guardMiddleware() }),
    tools: toolsFor(read),
    stopWhen: stepCountIs(3),
    prompt: 'Read note 7.',
  });
  expect([text, read]).toEqual(['Done.', [7]]);
  expect(model.doGenerateCalls[1]?.prompt[1]).toEqual(SHOWN);
  expect(model.doGenerateCalls[1]?.prompt[2]).toMatchObject({
    role: 'tool',
    content: [{ toolCallId: 'a' }],
  });
});

test('a second question about a stream shows the model the same', async () => {
  const { read, prompt } = await stream(async () => result(RIGHT));
  expect(read).toEqual([7]);
  expect(prompt?.[1]).toEqual(SHOWN);
});

test('a second question about a stream that fails is an error of the stream, which ends', async () => {
  const gone = new Error('gone');
  const { types, errors, read } = await stream(() => Promise.reject(gone));
  expect(errors).toEqual([gone]);
  expect(types.slice(-4)).toEqual(['text-end', 'error', 'finish-step', 'finish']);
  expect(read).toEqual([]);
});

test('a second question is broken off with the request', async () => {
  const stop = new AbortController();
  let questions = 0;
  const model = new MockLanguageModelV3({
    doGenerate: async ({ abortSignal }) => {
      questions += 1;
      if (questions === 2) stop.abort();
      abortSignal?.throwIfAborted();
      return result(WRONG);
    },
  });
  const answered = generateText({
    model: wrapLanguageModel({ model, middleware: guardMiddleware() }),
    tools: toolsFor([]),
    prompt: 'Read note 7.',
    abortSignal: stop.signal,
  });
  await expect(answered).rejects.toMatchObject({ name: 'AbortError' });
  expect(questions).toBe(2);
});
