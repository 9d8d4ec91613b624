import type { ModelCompletion, ModelMessage } from '@millforge/contracts';
import { createModelClient, type ModelProfile } from '@millforge/models';
import { expect, test } from 'vitest';
import { HELLO, profileOf, steppingClock } from '../exchange.ts';

const CHAT_BODY = {
  choices: [
    {
      message: {
        role: 'assistant',
        content: null,
        reasoning_content: 'The order has\nto be found first.',
        tool_calls: [
          { id: 'call_a', type: 'function', function: { name: 'find', arguments: '{"n":1}' } },
        ],
      },
      finish_reason: 'tool_calls',
    },
  ],
};

const THINKING = { type: 'thinking', thinking: 'The order first.\n', signature: 'c2lnbmVk/+==' };
const REDACTED = { type: 'redacted_thinking', data: 'b3BhcXVl' };
const TOOL_USE = { type: 'tool_use', id: 'toolu_a', name: 'find', input: { n: 1 } };

const MESSAGES_BODY = {
  type: 'message',
  role: 'assistant',
  content: [THINKING, REDACTED, { type: 'text', text: 'I look.' }, TOOL_USE],
  stop_reason: 'tool_use',
  usage: { input_tokens: 5, output_tokens: 9 },
};

/** The same message as the API streams it, its signature in two pieces. */
const MESSAGES_STREAM = [
  {
    type: 'message_start',
    message: { role: 'assistant', content: [], usage: { input_tokens: 5 } },
  },
  {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'thinking', thinking: '', signature: '' },
  },
  {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'thinking_delta', thinking: 'The order ' },
  },
  {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'thinking_delta', thinking: 'first.\n' },
  },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2lnb' } },
  {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'signature_delta', signature: 'mVk/+==' },
  },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: REDACTED },
  { type: 'content_block_stop', index: 1 },
  { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'I look.' } },
  { type: 'content_block_stop', index: 2 },
  { type: 'content_block_start', index: 3, content_block: { ...TOOL_USE, input: {} } },
  {
    type: 'content_block_delta',
    index: 3,
    delta: { type: 'input_json_delta', partial_json: '{"n":1}' },
  },
  { type: 'content_block_stop', index: 3 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
];

/** A silence that the clock of these tests waits for. */
const STREAMED = { stream: true, idle_timeout_seconds: 200 };

function streamed(events: readonly { readonly type: string }[]): Response {
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return new Response(text.join(''), { headers: { 'content-type': 'text/event-stream' } });
}

/** The client sends its bodies as text. */
function textOf(body: unknown): string {
  if (typeof body !== 'string') throw new Error('The body was no text.');
  return body;
}

/** Asks once, gives the reply back as a message with a result, asks again; what was sent the second time. */
async function secondRequest(
  profile: Partial<ModelProfile>,
  answer: () => Response,
): Promise<{ readonly messages: readonly unknown[]; readonly first: ModelCompletion }> {
  const bodies: string[] = [];
  const client = createModelClient({
    profile: { ...profileOf('http://127.0.0.1:9/v1'), ...profile },
    fetch: async (_url, { body }) => {
      bodies.push(textOf(body));
      return answer();
    },
    clock: steppingClock(),
  });
  const signal = new AbortController().signal;
  const first = await client.complete({ messages: [HELLO], tools: [] }, { signal });
  if (first.kind !== 'reply') throw new Error(first.message);
  const { content, tool_calls, continuation } = first.reply;
  const said: ModelMessage = {
    role: 'assistant',
    content,
    tool_calls,
    ...(continuation === undefined ? {} : { continuation }),
  };
  const results = tool_calls.map(
    ({ id, name }): ModelMessage => ({ role: 'tool', tool_call_id: id, name, content: 'found' }),
  );
  await client.complete({ messages: [HELLO, said, ...results], tools: [] }, { signal });
  const { messages }: { readonly messages: readonly unknown[] } = JSON.parse(bodies[1] ?? '{}');
  return { messages, first };
}

test.each(['reasoning_content', 'reasoning'] as const)(
  'reasoning goes back beside its calls under %s, where the profile names the field',
  async (field) => {
    const { messages } = await secondRequest({ reasoning_replay_field: field }, () =>
      Response.json(CHAT_BODY),
    );
    expect(messages[1]).toMatchObject({
      role: 'assistant',
      [field]: 'The order has\nto be found first.',
      tool_calls: [{ id: 'call_a' }],
    });
  },
);

test.each([
  ['whole', false, () => Response.json(MESSAGES_BODY)],
  ['streamed', true, () => streamed(MESSAGES_STREAM)],
] as const)(
  'thinking goes back signed and before everything else, from a %s message',
  async (_name, stream, answer) => {
    const { messages, first } = await secondRequest(
      {
        dialect: 'anthropic-messages',
        reasoning_replay_field: 'thinking',
        ...(stream ? STREAMED : {}),
      },
      answer,
    );
    expect(messages[1]).toEqual({
      role: 'assistant',
      content: [THINKING, REDACTED, { type: 'text', text: 'I look.' }, TOOL_USE],
    });
    expect(first).toMatchObject({ reply: { reasoning: THINKING.thinking, content: 'I look.' } });
  },
);

test.each([
  ['openai-chat', () => Response.json(CHAT_BODY)],
  ['anthropic-messages', () => Response.json(MESSAGES_BODY)],
] as const)(
  'no reasoning goes back to a server of %s that did not ask for it',
  async (dialect, answer) => {
    const { messages, first } = await secondRequest({ dialect }, answer);
    expect(first).toMatchObject({ kind: 'reply', reply: { reasoning: expect.any(String) } });
    if (first.kind === 'reply') expect(first.reply).not.toHaveProperty('continuation');
    expect(JSON.stringify(messages)).not.toMatch(/order|reasoning|thinking|signature/);
  },
);

function answerGreeting(): Response {
  return Response.json({
    choices: [{ message: { content: 'Hello.', reasoning_content: 'A greeting.' } }],
  });
}

test('reasoning that led to no call does not go back', async () => {
  const { messages } = await secondRequest(
    { reasoning_replay_field: 'reasoning_content' },
    answerGreeting,
  );
  expect(messages[1]).toEqual({ role: 'assistant', content: 'Hello.' });
});

test.each(['no JSON', '{"type":"thinking"}', '[1,null,"x"]'])(
  'a continuation that this client did not make (%s) is left out',
  async (continuation) => {
    let sent = '';
    const client = createModelClient({
      profile: {
        ...profileOf('http://127.0.0.1:9/v1'),
        dialect: 'anthropic-messages',
        reasoning_replay_field: 'thinking',
      },
      fetch: async (_url, { body }) => {
        sent = textOf(body);
        return Response.json(MESSAGES_BODY);
      },
      clock: steppingClock(),
    });
    const said: ModelMessage = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'toolu_a', name: 'find', arguments: '{"n":1}' }],
      continuation,
    };
    await client.complete(
      { messages: [HELLO, said], tools: [] },
      { signal: new AbortController().signal },
    );
    expect(JSON.parse(sent)).toMatchObject({ messages: [{}, { content: [TOOL_USE] }] });
  },
);
