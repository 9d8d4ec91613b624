import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { guardedChat } from '@millforge/guard/openai-chat';
import OpenAI from 'openai';
import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionCreateParamsStreaming,
} from 'openai/resources/chat/completions';
import { afterEach, expect, test } from 'vitest';
import { askInOwnLoop } from '../examples/openai-chat.ts';

const TOOLS: NonNullable<ChatCompletionCreateParamsNonStreaming['tools']> = [
  {
    type: 'function',
    function: {
      name: 'read_note',
      description: 'Reads a note.',
      parameters: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    },
  },
];

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A server that gives prepared messages, as a body or as a stream, and keeps the requests. */
async function serve(...messages: readonly object[]) {
  const requests: { readonly messages: readonly object[]; readonly tool_choice?: unknown }[] = [];
  const left = [...messages];
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await textOf(request));
    requests.push(body);
    const message = left.shift() ?? { role: 'assistant', content: 'Nothing is left.' };
    if (body.stream === true) {
      response.setHeader('content-type', 'text/event-stream');
      for (const chunk of chunksOf(message)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      response.end('data: [DONE]\n\n');
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        id: 'c',
        object: 'chat.completion',
        created: 0,
        model: 'm',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      }),
    );
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const { port } = server.address() as AddressInfo;
  const client = new OpenAI({
    apiKey: 'none',
    baseURL: `http://127.0.0.1:${port}/v1`,
    maxRetries: 0,
  });
  return { client, requests };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

function chunksOf(message: object): readonly object[] {
  const content: unknown = Reflect.get(message, 'content');
  const pieces = typeof content === 'string' ? (content.match(/.{1,7}/gs) ?? []) : [];
  const deltas = [...pieces.map((piece) => ({ content: piece })), {}];
  return deltas.map((delta, index) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: index === deltas.length - 1 ? 'stop' : null }],
  }));
}

async function turn(client: OpenAI, content = 'Read note 7.') {
  const request: ChatCompletionCreateParamsNonStreaming = {
    model: 'm',
    messages: [{ role: 'user', content }],
    tools: TOOLS,
  };
  return guardedChat(request, { create: (body) => client.chat.completions.create(body) });
}

function say(content: string | null) {
  return { role: 'assistant', content };
}

function call(name: string, args: unknown, id = 'a') {
  return { id, type: 'function', function: { name, arguments: args } };
}

test('the example of the guide answers, also where the call is text', async () => {
  const written = '<tool_call>{"name": "read_note", "arguments": {"id": 7}}</tool_call>';
  const { client, requests } = await serve(say(written), say('Milk.'));
  expect(await askInOwnLoop(client, 'What do I need?')).toBe('Milk.');
  expect(requests[1]?.messages).toMatchObject([{}, { tool_calls: [{}] }, { content: 'buy milk' }]);
});

test('an answer passes as it came, with one request', async () => {
  const { client, requests } = await serve(say('Good morning!'));
  const { message } = await turn(client, 'Good morning');
  expect(message).toEqual({ role: 'assistant', content: 'Good morning!' });
  expect(requests).toHaveLength(1);
});

test('a call that was written as text becomes a call', async () => {
  const { client } = await serve(
    say('<tool_call>{"name": "read_note", "arguments": {"id": "7"}}</tool_call>'),
  );
  const { message } = await turn(client);
  expect(message).toEqual({
    role: 'assistant',
    content: null,
    tool_calls: [
      {
        id: 'call_1_1_0',
        type: 'function',
        function: { name: 'read_note', arguments: '{"id":7}' },
      },
    ],
  });
});

test('arguments that came as an object are taken, a wrong name is asked about', async () => {
  const { client, requests } = await serve(
    { ...say(null), tool_calls: [call('open', {})] },
    { ...say(null), tool_calls: [call('read_note', { id: 7 })] },
  );
  const { message, turn: guarded } = await turn(client);
  expect(message.tool_calls).toMatchObject([{ id: 'a', function: { arguments: '{"id":7}' } }]);
  expect(guarded.asked).toEqual(['unknown-tool']);
  expect(guarded.usage).toEqual({ input_tokens: 20, output_tokens: 10 });
  expect(requests[1]?.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', tool_calls: [{ id: 'a' }] },
    { role: 'tool', tool_call_id: 'a' },
  ]);
});

test('properties that an open schema does not name stay', async () => {
  const { client, requests } = await serve({
    ...say(null),
    tool_calls: [call('read_note', '{"id":7,"lang":"en"}')],
  });
  const { message } = await turn(client);
  expect(message.tool_calls).toMatchObject([{ function: { arguments: '{"id":7,"lang":"en"}' } }]);
  expect(requests).toHaveLength(1);
});

test('a stream is shown while it comes, without the call in it', async () => {
  const text = 'One moment.\n<tool_call>{"name": "read_note", "arguments": {"id": 7}}</tool_call>';
  const { client } = await serve(say(text));
  const request: ChatCompletionCreateParamsStreaming = {
    model: 'm',
    messages: [{ role: 'user', content: 'Read it.' }],
    tools: TOOLS,
    stream: true,
  };
  const pieces: string[] = [];
  const { message } = await guardedChat(request, {
    create: (body) => client.chat.completions.create(body),
    onText: (piece) => pieces.push(piece),
  });
  expect(pieces.join('')).toBe('One moment.\n');
  expect(message.tool_calls).toHaveLength(1);
});

test('parallel calls that a server streams under one index stay apart', async () => {
  const pieces = [
    { index: 0, ...call('read_note', '{"id"', 'a') },
    { index: 0, function: { arguments: ':7}' } },
    { index: 0, ...call('read_note', '{"id":8', 'b') },
    { index: 0, ...call('read_note', '}', 'b') },
  ];
  const chunks = pieces.map((piece) => ({ choices: [{ delta: { tool_calls: [piece] } }] }));
  const request = { messages: [{ role: 'user', content: 'Read both.' }], tools: TOOLS };
  const { message } = await guardedChat(request, {
    create: async () => ReadableStream.from(chunks),
  });
  expect(message.tool_calls).toMatchObject([
    { id: 'a', function: { arguments: '{"id":7}' } },
    { id: 'b', function: { arguments: '{"id":8}' } },
  ]);
});

function signed(args: string, signature: string) {
  const extra_content = { google: { thought_signature: signature } };
  return { ...call('readNote', args), extra_content };
}

test.each(['whole', 'streamed'])('what stands beside a call stays with it: %s', async (how) => {
  const sent: object[] = [];
  const replies = [signed('{"id":"x"}', 's1'), signed('{"id":"7"}', 's2')];
  const { message } = await guardedChat(
    { messages: [{ role: 'user', content: 'Read it.' }], tools: TOOLS },
    {
      create: async (request) => {
        sent.push(...request.messages.slice(1, 2));
        const tool_calls = [{ index: 0, ...replies[sent.length] }];
        return how === 'whole'
          ? { choices: [{ message: { tool_calls } }] }
          : ReadableStream.from([{ choices: [{ delta: { tool_calls } }] }]);
      },
    },
  );
  expect(sent).toMatchObject([
    { tool_calls: [{ extra_content: { google: { thought_signature: 's1' } } }] },
  ]);
  expect(message.tool_calls).toEqual([
    {
      id: 'a',
      type: 'function',
      function: { name: 'read_note', arguments: '{"id":7}' },
      extra_content: { google: { thought_signature: 's2' } },
    },
  ]);
});

test('a second question whose answer streams as well is heard', async () => {
  const answers = ['', 'It says ', 'hello.'];
  const { message, turn: guarded } = await guardedChat(
    { messages: [{ role: 'user', content: 'What does it say?' }], tools: TOOLS },
    {
      create: async () =>
        ReadableStream.from(
          answers.splice(0, answers.length === 3 ? 1 : 2).map((content) => ({
            choices: [{ delta: { content } }],
          })),
        ),
    },
  );
  expect(message.content).toBe('It says hello.');
  expect(guarded.asked).toEqual(['empty']);
});
