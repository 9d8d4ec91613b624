import type { ModelDelta, ModelTool } from '@millforge/contracts';
import { createModelClient, type ModelFetch } from '@millforge/models';
import { type ScriptedFault, startScriptedServer } from '@millforge/models/testing';
import { expect, test } from 'vitest';
import { HELLO, profileOf, steppingClock, withServer } from '../exchange.ts';

const READ: ModelTool = {
  name: 'read',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
};

const REPLY = {
  content: 'Ich sehe nach: 語 😀 done.',
  tool_calls: [
    { name: 'read', arguments: { path: 'süß/😀.ts' } },
    { name: 'read', arguments: { path: 'b.ts', limit: 7 } },
  ],
  usage: { input_tokens: 11, output_tokens: 7 },
};

/** A silence that the clock of these tests waits for. */
const STREAMED = { stream: true, idle_timeout_seconds: 200 };

const DIALECTS = ['openai-chat', 'anthropic-messages'] as const;

test.each(DIALECTS)('a streamed reply of %s is the same as a whole one', async (dialect) => {
  const replies = await Promise.all(
    [true, false].map(async (stream) => {
      let reply: unknown = null;
      const setup = {
        server: { replies: [REPLY] },
        profile: { dialect, ...(stream ? STREAMED : {}) },
        tools: [READ],
      };
      await withServer(setup, async ({ ask }) => {
        reply = await ask();
      });
      return reply;
    }),
  );
  expect(replies[0]).toEqual(replies[1]);
  expect(replies[0]).toMatchObject({
    kind: 'reply',
    attempts: 1,
    reply: {
      content: REPLY.content,
      tool_calls: [
        { name: 'read', arguments: '{"path":"süß/😀.ts"}' },
        { name: 'read', arguments: '{"path":"b.ts","limit":7}' },
      ],
      finish_reason: 'tool_calls',
      usage: REPLY.usage,
    },
  });
});

test.each(DIALECTS)('a listener hears the text of %s as it is written', async (dialect) => {
  const server = await startScriptedServer({ replies: [REPLY] });
  const deltas: ModelDelta[] = [];
  const client = createModelClient({
    profile: { ...profileOf(server.url), dialect, ...STREAMED },
    fetch,
    clock: steppingClock(),
  });
  await client.complete(
    { messages: [HELLO], tools: [] },
    { signal: new AbortController().signal, onDelta: (delta) => deltas.push(delta) },
  );
  await server.close();
  expect(deltas.length).toBeGreaterThan(3);
  expect(deltas.map(({ text }) => text).join('')).toBe(REPLY.content);
});

test('what a listener throws comes out, and breaks no connection', async () => {
  await using server = await startScriptedServer({ replies: [REPLY] });
  const client = createModelClient({
    profile: { ...profileOf(server.url), ...STREAMED },
    fetch,
    clock: steppingClock(),
  });
  const listening = client.complete(
    { messages: [HELLO], tools: [] },
    {
      signal: new AbortController().signal,
      onDelta() {
        throw new Error('The listener broke.');
      },
    },
  );
  await expect(listening).rejects.toThrow('The listener broke.');
  expect(server.requestCount).toBe(1);
});

test.each(
  DIALECTS.flatMap((dialect) =>
    (['keep-alive', 'split-bytes'] as const).map((kind) => [kind, dialect] as const),
  ),
)('a stream with %s reads alike in %s', async (kind, dialect) => {
  const setup = {
    server: { replies: [{ ...REPLY, fault: { kind } }] },
    profile: { dialect, ...STREAMED },
  };
  await withServer(setup, async ({ ask }) => {
    expect(await ask()).toMatchObject({ kind: 'reply', reply: { content: REPLY.content } });
  });
});

/** Some characters of several bytes, and one of two halves. */
const SHORT = { content: 'süß', tool_calls: [{ name: 'read', arguments: { p: '😀' } }] };

/** The bytes that a server streams for a reply. */
async function streamedBytes(dialect: (typeof DIALECTS)[number]): Promise<Uint8Array> {
  await using server = await startScriptedServer({ replies: [SHORT] });
  const path = dialect === 'openai-chat' ? '/chat/completions' : '/messages';
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', stream: true, messages: [HELLO] }),
  });
  return new Uint8Array(await response.arrayBuffer());
}

/** Gives bytes in two pieces. */
function fetchInTwo(bytes: Uint8Array, at: number): ModelFetch {
  return () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        if (at > 0) controller.enqueue(bytes.slice(0, at));
        if (at < bytes.length) controller.enqueue(bytes.slice(at));
        controller.close();
      },
    });
    return Promise.resolve(
      new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    );
  };
}

test.each(DIALECTS)(
  'a stream of %s cut in two at any byte gives the same reply',
  async (dialect) => {
    const bytes = await streamedBytes(dialect);
    const replyAt = async (at: number) => {
      const client = createModelClient({
        profile: { ...profileOf('http://127.0.0.1:9/v1'), dialect, ...STREAMED },
        fetch: fetchInTwo(bytes, at),
        clock: steppingClock(),
      });
      return client.complete(
        { messages: [HELLO], tools: [] },
        { signal: new AbortController().signal },
      );
    };
    const whole = await replyAt(0);
    expect(whole).toMatchObject({
      kind: 'reply',
      reply: { content: 'süß', tool_calls: [{ arguments: '{"p":"😀"}' }] },
    });
    for (let at = 1; at < bytes.length; at += 1) expect(await replyAt(at)).toEqual(whole);
  },
);

const events = (...texts: readonly string[]): ScriptedFault => ({
  kind: 'raw',
  headers: { 'content-type': 'text/event-stream' },
  body: texts.map((text) => `data: ${text}\n\n`).join(''),
});
const chunk = (delta: object, finish_reason: string | null = null) =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] });
const call = (fields: object) => chunk({ tool_calls: [fields] });

test.each<[string, ScriptedFault, object]>([
  [
    'no [DONE] behind the reason for the end',
    events(chunk({ content: 'Hi' }), chunk({}, 'stop')),
    { content: 'Hi', finish_reason: 'stop' },
  ],
  [
    'no reason for the end before [DONE]',
    events(chunk({ content: 'Hi' }), '[DONE]'),
    { content: 'Hi', finish_reason: 'unknown' },
  ],
  [
    'calls without an index, told apart by their ids',
    events(
      call({ id: 'a', function: { name: 'read', arguments: '{"n"' } }),
      call({ id: 'a', function: { arguments: ':1}' } }),
      call({ id: 'b', function: { name: 'write', arguments: '{}' } }),
      '[DONE]',
    ),
    {
      tool_calls: [
        { id: 'a', name: 'read', arguments: '{"n":1}' },
        { id: 'b', name: 'write', arguments: '{}' },
      ],
    },
  ],
  [
    'the name repeated with every piece',
    events(
      call({ index: 0, id: 'a', function: { name: 'read', arguments: '{"n"' } }),
      call({ index: 0, id: 'a', function: { name: 'read', arguments: ':1}' } }),
      '[DONE]',
    ),
    { tool_calls: [{ id: 'a', name: 'read', arguments: '{"n":1}' }] },
  ],
  [
    'arguments as an object',
    events(
      call({ index: 0, id: 'a', function: { name: 'read', arguments: { n: 1.0 } } }),
      '[DONE]',
    ),
    { tool_calls: [{ arguments: '{"n":1}' }] },
  ],
  [
    'a character in two halves',
    events(
      '{"choices":[{"delta":{"content":"\\ud83d"}}]}',
      '{"choices":[{"delta":{"content":"\\ude00"}}]}',
      '[DONE]',
    ),
    { content: '😀' },
  ],
  [
    'reasoning beside the text',
    events(
      chunk({ reasoning: 'Hm. ' }),
      chunk({ reasoning_content: 'So.' }),
      chunk({ content: 'Hi' }),
      '[DONE]',
    ),
    { content: 'Hi', reasoning: 'Hm. So.' },
  ],
  [
    'usage in a last event without choices',
    events(
      chunk({ content: 'Hi' }, 'stop'),
      '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}',
      '[DONE]',
    ),
    { usage: { input_tokens: 3, output_tokens: 1 } },
  ],
])('takes a stream with %s', async (_, fault, reply) => {
  const setup = { server: { replies: [{ content: '', fault }] }, profile: STREAMED };
  await withServer(setup, async ({ ask }) => {
    expect(await ask()).toMatchObject({ kind: 'reply', reply });
  });
});

test('takes a whole reply from a server that does not stream', async () => {
  const fault: ScriptedFault = {
    kind: 'raw',
    headers: { 'content-type': 'application/json' },
    body: '{"choices":[{"message":{"content":"Hi"}}]}',
  };
  const setup = { server: { replies: [{ content: '', fault }] }, profile: STREAMED };
  await withServer(setup, async ({ ask }) => {
    expect(await ask()).toMatchObject({ kind: 'reply', reply: { content: 'Hi' } });
  });
});

test.each<[string, ScriptedFault, object]>([
  ['a stream that is cut in the middle', { kind: 'cut-body' }, { category: 'connection' }],
  ['an error in the middle', { kind: 'error-event' }, { category: 'server_error' }],
])('tries again after %s, and takes back what was heard', async (_, fault) => {
  await using server = await startScriptedServer({ replies: [REPLY], faults: { 1: fault } });
  const deltas: ModelDelta[] = [];
  const client = createModelClient({
    profile: { ...profileOf(server.url), ...STREAMED },
    fetch,
    clock: steppingClock(),
  });
  const completion = await client.complete(
    { messages: [HELLO], tools: [] },
    { signal: new AbortController().signal, onDelta: (delta) => deltas.push(delta) },
  );
  expect(completion).toMatchObject({ kind: 'reply', attempts: 2 });
  const restart = deltas.findIndex(({ kind }) => kind === 'restart');
  expect(restart).toBeGreaterThan(0);
  const heard = deltas.slice(restart + 1).map(({ text }) => text);
  expect(heard.join('')).toBe(REPLY.content);
});

test.each<[string, ScriptedFault, object]>([
  ['cut', { kind: 'cut-body' }, { category: 'connection', retryable: true, sent: true }],
  ['in error', { kind: 'error-event' }, { category: 'server_error', retryable: true }],
  [
    'in error that is the fault of the request',
    { kind: 'error-event', error: { type: 'invalid_request_error', message: 'Too long.' } },
    { category: 'invalid_request', retryable: false },
  ],
  ['no JSON', events('{"choices":'), { category: 'malformed_response', retryable: false }],
  ['no reply', events('{"choices":[]}', '[DONE]'), { category: 'malformed_response' }],
])('says what is wrong with a stream that is %s', async (_, fault, failure) => {
  const setup = {
    server: { replies: [{ ...REPLY, fault }] },
    profile: { ...STREAMED, max_retries: 0 },
  };
  await withServer(setup, async ({ ask }) => {
    expect(await ask()).toMatchObject({ kind: 'failed', ...failure });
  });
});

test('gives a stream up that falls silent, and closes its connection', async () => {
  const setup = {
    server: { replies: [{ ...REPLY, fault: { kind: 'stall-body' as const } }] },
    profile: { ...STREAMED, max_retries: 0 },
  };
  await withServer(setup, async ({ ask, clock, server }) => {
    const asking = ask();
    await expect.poll(() => clock.pending()).toBe(2);
    clock.advance(200_000);
    expect(await asking).toMatchObject({ kind: 'failed', category: 'timeout', retryable: true });
    await server.abandoned(1);
  });
});
