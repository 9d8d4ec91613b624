import type { ModelCompletion } from '@millforge/contracts';
import { createModelClient, type ModelFetch, type ModelProfile } from '@millforge/models';
import { expect, test } from 'vitest';
import { HELLO, profileOf, steppingClock } from '../exchange.ts';
import { completionOf } from './answering.ts';

/** Silence longer than the clock of these tests lets pass at once. */
const STREAM = { stream: true, idle_timeout_seconds: 200 } as const;
const KEY = 'sk-Zq9x7Lm2pQ84vT1+/=ab';

function ask(fetch: ModelFetch, profile: Partial<ModelProfile> = {}): Promise<ModelCompletion> {
  const client = createModelClient({
    profile: {
      ...profileOf('http://127.0.0.1:9/v1'),
      auth: { scheme: 'bearer' },
      max_retries: 0,
      ...profile,
    },
    fetch,
    clock: steppingClock(),
    apiKey: () => KEY,
  });
  return client.complete(
    { messages: [HELLO], tools: [] },
    { signal: new AbortController().signal },
  );
}

function refusing(message: string, init: ResponseInit = {}): ModelFetch {
  return () => Promise.resolve(Response.json({ error: { message } }, { status: 400, ...init }));
}

function streaming(pieces: Iterable<string>): ModelFetch {
  const texts = pieces[Symbol.iterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = texts.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
  });
  const headers = { 'content-type': 'text/event-stream' };
  return () => Promise.resolve(new Response(body, { headers }));
}

/** What a client makes of chunks of one streamed completion. */
function streamed(...chunks: readonly (object | string)[]): Promise<ModelCompletion> {
  const events = chunks.map(
    (chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`,
  );
  return ask(streaming([...events, 'data: [DONE]\n\n']), STREAM);
}

function piece(index: number, id: string, [name, args]: readonly [string, string | null]) {
  const call = { index, id, function: { name, arguments: args } };
  return { choices: [{ delta: { tool_calls: [call] } }] };
}

const END = { choices: [{ delta: {}, finish_reason: 'tool_calls' }] };

test.each<[string, string]>([
  ['base64 without padding', btoa(KEY).replace(/=+$/, '')],
  ['the base64 of the header', btoa(`Bearer ${KEY}`)],
  ['the base64 of a user and the key', btoa(`me:${KEY}`)],
  ['base64 for URLs', btoa(KEY).replaceAll('+', '-').replaceAll('/', '_')],
  ['hexadecimal digits', Array.from(KEY, (c) => c.charCodeAt(0).toString(16)).join('')],
  ['URL escapes in lower case', encodeURIComponent(KEY).replace(/%../g, (e) => e.toLowerCase())],
  ['its beginning', KEY.slice(0, 14)],
  ['its end', KEY.slice(-12)],
  ['two halves with words between them', `${KEY.slice(0, 12)} and ${KEY.slice(12)}`],
])('removes the key from an error that repeats it as %s (D-17)', async (_how, spelling) => {
  const completion = await ask(refusing(`No: ${spelling} is wrong.`));
  const text = JSON.stringify(completion);
  expect(text).toContain('No: ');
  for (let at = 0; at + 11 <= spelling.length; at += 1) {
    const part = spelling.slice(at, at + 11);
    if (!part.includes(' ')) expect(text).not.toContain(part);
  }
});

test('cuts an error between characters', async () => {
  for (const lead of [238, 239, 240]) {
    const completion = await ask(refusing(`${'x'.repeat(lead)}😀😀`));
    expect(JSON.stringify(completion)).not.toMatch(/\\ud[89a-f]/i);
  }
});

test('mends halves of characters in whatever a stream brings', async () => {
  const half = '\\ud83d';
  const failed = await streamed(`{"error":{"message":"No ${half} left"}}`);
  expect(failed).toMatchObject({ message: expect.stringContaining('No \ufffd left') });
  const reply = await streamed(
    `{"model":"m${half}","choices":[{"delta":{"tool_calls":[{"index":0,"id":"c${half}","function":{"name":"read","arguments":"{}"}}]}}]}`,
    END,
  );
  expect(reply).toMatchObject({
    reply: { provider_model: 'm\ufffd', tool_calls: [{ id: 'c\ufffd' }] },
  });
});

test('names a redirect shortly, and one that leads to no web address not at all', async () => {
  const long = { status: 307, headers: { location: `http://other.example/${'x'.repeat(4000)}` } };
  const script = { status: 307, headers: { location: 'javascript:alert(1)' } };
  const named = messageOf(await ask(() => Promise.resolve(new Response(null, long))));
  expect(named).toContain('http://other.example/xxx');
  expect(named).toContain('; correct base_url');
  const unnamed = messageOf(await ask(() => Promise.resolve(new Response(null, script))));
  expect(unnamed).toContain('is a redirect (307) elsewhere');
  expect(unnamed).not.toContain('alert');
});

test('does not try again before a wait that no number of digits makes short', async () => {
  let requests = 0;
  const fetch: ModelFetch = () => {
    requests += 1;
    const headers = { 'retry-after': '9'.repeat(40) };
    return Promise.resolve(new Response('{}', { status: 429, headers }));
  };
  expect(await ask(fetch, { max_retries: 3 })).toMatchObject({ category: 'rate_limit' });
  expect(requests).toBe(1);
});

function messageOf(completion: ModelCompletion): string {
  return completion.kind === 'failed' ? completion.message : '';
}

function* endless() {
  for (;;) yield ':'.repeat(1 << 20);
}

function* drip() {
  yield 'data: {"choices":[{"delta":{"content":"';
  for (let n = 0; n < 100_000; n += 1) yield 'x'.repeat(256);
  yield '"},"finish_reason":"stop"}]}\r\n\r\n';
}

function* calls() {
  for (let n = 0; n < 200_000; n += 1) {
    yield `data: {"choices":[{"delta":{"tool_calls":[{"index":${n},"function":{"name":"n"}}]}}]}\n\n`;
  }
  yield 'data: [DONE]\n\n';
}

const DOWN = { code: 502, message: 'The provider is down.' };

test('takes a failure in the place of a reply for a failure', async () => {
  const choice = {
    message: { role: 'assistant', content: '' },
    finish_reason: 'error',
    error: DOWN,
  };
  const expected = {
    kind: 'failed',
    category: 'server_error',
    retryable: true,
    message: expect.stringContaining('502: "The provider is down."'),
  };
  expect(await completionOf(JSON.stringify({ choices: [choice] }))).toMatchObject(expected);
  const begun = { choices: [{ delta: { content: 'I will' } }] };
  expect(await streamed(begun, { choices: [{ delta: {}, error: DOWN }] })).toMatchObject(expected);
});

test('puts streamed calls in the order of their indexes', async () => {
  const completion = await streamed(
    piece(2, 'c', ['three', '{}']),
    piece(0, 'a', ['one', '{"n":']),
    piece(1, 'b', ['two', '{}']),
    piece(0, 'a', ['', '1}']),
    END,
  );
  expect(completion).toMatchObject({
    reply: {
      tool_calls: [
        { id: 'a', name: 'one', arguments: '{"n":1}' },
        { id: 'b', name: 'two', arguments: '{}' },
        { id: 'c', name: 'three', arguments: '{}' },
      ],
    },
  });
});

test('tells calls apart that a server streams under one index', async () => {
  const completion = await streamed(
    piece(0, 'a', ['read', '{"path":"}{"']),
    piece(0, 'a', ['', '}']),
    piece(0, 'b', ['read', '{"path":"b"}']),
    piece(0, 'c', ['list', '{}']),
    END,
  );
  expect(completion).toMatchObject({
    reply: {
      tool_calls: [
        { id: 'a', name: 'read', arguments: '{"path":"}{"}' },
        { id: 'b', name: 'read', arguments: '{"path":"b"}' },
        { id: 'c', name: 'list', arguments: '{}' },
      ],
    },
  });
});

test.each<[string, readonly object[]]>([
  [
    'a new id with every piece',
    [
      piece(0, 'a', ['read', '{"path":']),
      piece(0, 'b', ['read', '{"x":1}']),
      piece(0, 'c', ['read', '}']),
    ],
  ],
  [
    'the whole call once more without arguments',
    [piece(0, 'a', ['read', '{"path":{"x":1}}']), piece(0, 'b', ['read', ''])],
  ],
])('keeps one call together when a server sends %s', async (_what, chunks) => {
  const completion = await streamed(...chunks, END);
  expect(completion).toMatchObject({
    reply: { tool_calls: [{ id: 'a', name: 'read', arguments: '{"path":{"x":1}}' }] },
  });
});

test('refuses a streamed event nested too deep as it refuses a whole reply', async () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const event = `{"choices":[{"delta":{"content":"\\ud83d","tool_calls":[{"index":0,"function":{"name":"n","arguments":${deep}}}]}}]}`;
  expect(await streamed(event, END)).toMatchObject({ category: 'malformed_response' });
});

test('says of a stream that is too long which limit it has', async () => {
  expect(await ask(streaming(endless()), STREAM)).toMatchObject({
    category: 'malformed_response',
    message: expect.stringContaining('larger than 64 MiB'),
  });
});

// Both would take minutes if what is there were looked through again with every piece.
test('reads a line that arrives in a hundred thousand pieces', async () => {
  const completion = await ask(streaming(drip()), STREAM);
  expect(completion).toMatchObject({ kind: 'reply' });
});

test('collects two hundred thousand streamed calls', async () => {
  const completion = await ask(streaming(calls()), STREAM);
  expect(completion.kind === 'reply' && completion.reply.tool_calls.length).toBe(200_000);
});

test('mends halves of characters in whatever a stream of messages brings', async () => {
  const half = '\\ud83d';
  const events = [
    `{"type":"message_start","message":{"model":"m${half}","usage":{"input_tokens":1,"output_tokens":1}}}`,
    `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a${half}"}}`,
    `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"i${half}","name":"n${half}","input":{"path":"p${half}"}}}`,
    '{"type":"message_delta","delta":{"stop_reason":"tool_use"}}',
  ];
  const texts = events.map((event) => `data: ${event}\n\n`);
  const completion = await ask(streaming(texts), { ...STREAM, dialect: 'anthropic-messages' });
  expect(completion).toMatchObject({
    reply: {
      content: 'a\ufffd',
      provider_model: 'm\ufffd',
      tool_calls: [{ id: 'i\ufffd', name: 'n\ufffd', arguments: '{"path":"p\ufffd"}' }],
    },
  });
});
