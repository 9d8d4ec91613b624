import {
  defaultPolicy,
  type GuardTool,
  initialGuardState,
  inspectReply,
  type ModelReply,
  toGuardTool,
} from '@millforge/guard';
import { mendHistory } from '@millforge/guard/messages';
import { guardedChat } from '@millforge/guard/openai-chat';
import { expect, test } from 'vitest';

const READ = {
  type: 'function',
  function: {
    name: 'read_note',
    parameters: {
      type: 'object',
      additionalProperties: false,
      properties: { id: { type: 'integer' } },
      required: ['id'],
    },
  },
};
const TOOLS: readonly GuardTool[] = [
  toGuardTool({ name: 'read_note', schema: READ.function.parameters }),
];

interface Sent {
  readonly messages: readonly object[];
  readonly tools: readonly object[];
  readonly tool_choice?: string;
}

/** One turn over plain chat messages, with prepared replies and every request that was sent. */
async function chat(replies: readonly object[], more: Partial<Sent> = {}) {
  const requests: Sent[] = [];
  const left = [...replies];
  const request: Sent = { messages: [{ role: 'user', content: 'hi' }], tools: [READ], ...more };
  const outcome = await guardedChat(request, {
    create: async (sent) => {
      requests.push(sent);
      return { choices: [{ message: left.shift() ?? {} }] };
    },
  });
  return { ...outcome, requests };
}

function call(args: unknown, name = 'read_note', id = 'a') {
  return { id, type: 'function', function: { name, arguments: args } };
}

test('a greeting where tools are on offer costs one request, and comes back as it was (GP-01)', async () => {
  const { message, requests } = await chat([{ content: 'Hello! How can I help?' }]);
  expect(message.content).toBe('Hello! How can I help?');
  expect(requests).toHaveLength(1);
});

test('where no tool may be called, no call is asked for (GP-02)', async () => {
  const said = { content: 'Let me read the note first.' };
  const { message, requests } = await chat([said], { tool_choice: 'none' });
  expect(message.content).toBe(said.content);
  expect(requests).toHaveLength(1);
});

test('malformed arguments to the end never show a print of the calls (GP-03)', async () => {
  const wrong = { tool_calls: [call('{"id": {{')] };
  const { message, turn } = await chat([wrong, wrong, wrong, wrong]);
  expect(message).toEqual({
    role: 'assistant',
    content:
      'The model called read_note with arguments that could not be read, also after being told.',
  });
  expect(turn.failure).toBe('arguments');
});

test('a missing required argument is told, with its path (GP-04)', async () => {
  const { requests } = await chat([
    { tool_calls: [call('{}')] },
    { tool_calls: [call('{"id":7}')] },
  ]);
  expect(requests[1]?.messages.at(-1)).toMatchObject({
    role: 'tool',
    content: expect.stringContaining('$.id is required'),
  });
});

test('a rescued call whose arguments are a text is encoded once (GP-05)', async () => {
  const content = JSON.stringify({ name: 'read_note', arguments: '{"id": 7}' });
  const { message } = await chat([{ content }]);
  expect(message.tool_calls).toMatchObject([{ function: { arguments: '{"id":7}' } }]);
});

test('a reply without text and calls is asked again, and then is an empty one (GP-06)', async () => {
  const { message, requests } = await chat([
    { content: null },
    { content: null },
    { content: null },
  ]);
  expect(message).toEqual({ role: 'assistant', content: null });
  expect(requests).toHaveLength(3);
});

test('a history that once went wrong is served, and mending it twice changes nothing (GP-07)', () => {
  const { messages, mends } = mendHistory([
    { role: 'user', content: 'x' },
    { role: 'tool', tool_call_id: 'lost', name: 'read_note', content: 'of nobody' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'a', name: 'read_note', arguments: '"{\\"id\\": 7}"' },
        { id: 'a', name: 'read_note', arguments: '{"id":7}' },
        { id: '', name: 'read_note', arguments: '{"id":8}' },
      ],
    },
    { role: 'tool', tool_call_id: 'a', name: 'read_note', content: 'one' },
    { role: 'tool', tool_call_id: 'a', name: 'read_note', content: 'two' },
    { role: 'tool', tool_call_id: 'z', name: 'read_note', content: 'of nobody' },
    { role: 'user', content: 'y' },
  ]);
  expect(messages).toMatchObject([
    { role: 'user' },
    {
      role: 'assistant',
      tool_calls: [{ id: 'a', arguments: '{}' }, { id: 'call_2_1' }, { id: 'call_2_2' }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'one' },
    { role: 'tool', tool_call_id: 'call_2_1', content: 'two' },
    { role: 'tool', tool_call_id: 'call_2_2', content: expect.stringContaining('Not performed') },
    { role: 'user' },
  ]);
  expect(mends.map((mend) => mend.kind).toSorted()).toEqual([
    'arguments-not-object',
    'call-id-missing',
    'call-id-repeated',
    'call-without-result',
    'result-without-call',
    'result-without-call',
  ]);
  expect(mendHistory(messages)).toEqual({ messages, mends: [] });
  expect(mendHistory(messages).messages).toBe(messages);
});

test('text beside calls reaches the caller (GP-08)', async () => {
  const { message } = await chat([{ content: 'One moment.', tool_calls: [call('{"id":7}')] }]);
  expect(message).toMatchObject({ content: 'One moment.', tool_calls: [{ id: 'a' }] });
});

test('valid siblings of an unknown name keep their own verdict (GP-09)', async () => {
  const batch = { tool_calls: [call('{"id":7}'), call('{}', 'nothing', 'b')] };
  const reply: ModelReply = {
    content: null,
    reasoning: null,
    finish_reason: 'stop',
    usage: null,
    provider_model: null,
    tool_calls: [
      { id: 'a', name: 'read_note', arguments: '{"id":7}' },
      { id: 'b', name: 'nothing', arguments: '{}' },
    ],
  };
  const options = { tools: TOOLS, policy: defaultPolicy, state: initialGuardState };
  expect(inspectReply(reply, options).decision).toMatchObject({
    calls: [{ kind: 'accepted' }, { kind: 'refused', reason: 'unknown-tool' }],
  });
  const { requests, message } = await chat([batch, batch, batch]);
  expect(requests[1]?.messages.slice(-2)).toMatchObject([
    { content: expect.stringContaining('It was right') },
    { content: expect.stringContaining('[not_found]') },
  ]);
  expect(message.tool_calls).toHaveLength(1);
});

test('malformed arguments are not encoded again when they are asked for again (GP-10)', async () => {
  const { requests } = await chat([
    { tool_calls: [call('{"id": "x')] },
    { tool_calls: [call('{"id":7}')] },
  ]);
  expect(requests[1]?.messages[1]).toMatchObject({
    tool_calls: [{ function: { arguments: '{}' } }],
  });
});

test('images and unknown fields of the request stand in every attempt (GP-11)', async () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' }, cache: 1 };
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Look.' }, image] }];
  const { requests } = await chat([{ content: '' }, { content: 'A cat.' }], { messages });
  expect(requests[1]?.messages[0]).toBe(messages[0]);
});

test('who goes away in the middle of a turn is asked for nothing more (GP-12)', async () => {
  const gone = new AbortController();
  const sent: Sent[] = [];
  const request: Sent = { messages: [{ role: 'user', content: 'Read it.' }], tools: [READ] };
  const turn = guardedChat(request, {
    create: async (asked) => {
      sent.push(asked);
      gone.signal.throwIfAborted();
      gone.abort();
      return { choices: [{ message: { tool_calls: [call('{"id": "x"}')] } }] };
    },
  });
  await expect(turn).rejects.toMatchObject({ name: 'AbortError' });
  expect(sent).toHaveLength(2);
});

test('a text that ended at its limit is said to have (GP-13)', async () => {
  const { turn } = await guardedChat(
    { messages: [{ role: 'user', content: 'Tell me all.' }], tools: [READ] },
    {
      create: async () => ({
        choices: [{ message: { content: 'First of all,' }, finish_reason: 'length' }],
      }),
    },
  );
  expect(turn).toMatchObject({ content: 'First of all,', asked: [] });
  expect(turn.replies.map((reply) => reply.finish_reason)).toEqual(['length']);
});
