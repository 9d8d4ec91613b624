import { createServer } from 'node:net';
import type { ModelFailure } from '@millforge/contracts';
import { createModelClient } from '@millforge/models';
import type { ScriptedFault } from '@millforge/models/testing';
import { expect, test } from 'vitest';
import { HELLO, profileOf, steppingClock, withServer } from '../exchange.ts';

interface Case {
  readonly what: string;
  readonly fault: ScriptedFault;
  readonly category: ModelFailure;
  readonly says: readonly string[];
  /** Requests with two retries allowed. */
  readonly requests: number;
}

const status = (code: number, message?: string): ScriptedFault => ({
  kind: 'status',
  status: code,
  ...(message === undefined ? {} : { message }),
});

const CASES: readonly Case[] = [
  {
    what: '401',
    fault: status(401, 'No such user.'),
    category: 'authentication',
    says: ['401', '"No such user."', 'no API key was sent'],
    requests: 1,
  },
  { what: '403', fault: status(403), category: 'authorization', says: ['403'], requests: 1 },
  { what: '400', fault: status(400), category: 'invalid_request', says: ['small:1b'], requests: 1 },
  { what: '409', fault: status(409), category: 'invalid_request', says: ['409'], requests: 1 },
  { what: '422', fault: status(422), category: 'invalid_request', says: ['422'], requests: 1 },
  { what: '404', fault: status(404), category: 'unknown', says: ['/v1', 'small:1b'], requests: 1 },
  { what: '413', fault: status(413), category: 'unknown', says: ['413'], requests: 1 },
  {
    what: '501',
    fault: status(501),
    category: 'unsupported_capability',
    says: ['501'],
    requests: 1,
  },
  { what: '408', fault: status(408), category: 'timeout', says: ['408'], requests: 3 },
  {
    what: '429',
    fault: status(429),
    category: 'rate_limit',
    says: ['after 3 requests'],
    requests: 3,
  },
  {
    what: '500',
    fault: status(500, 'Boom.'),
    category: 'server_error',
    says: ['"Boom."'],
    requests: 3,
  },
  { what: '503', fault: status(503), category: 'server_error', says: ['503'], requests: 3 },
  {
    what: 'an empty account, which is a 429 that no wait mends',
    fault: {
      kind: 'status',
      status: 429,
      body: { error: { message: 'You exceeded your quota.', code: 'insufficient_quota' } },
    },
    category: 'rate_limit',
    says: ['quota'],
    requests: 1,
  },
  {
    what: 'a parameter that the provider calls unsupported',
    fault: {
      kind: 'status',
      status: 400,
      body: { error: { message: 'Use max_completion_tokens.', code: 'unsupported_parameter' } },
    },
    category: 'unsupported_capability',
    says: ['max_completion_tokens'],
    requests: 1,
  },
  {
    what: 'a web page with status 200',
    fault: { kind: 'html' },
    category: 'malformed_response',
    says: ['web page', '/v1', 'root of its API'],
    requests: 1,
  },
  {
    what: 'a web page with status 502',
    fault: { kind: 'html', status: 502 },
    category: 'server_error',
    says: ['502 with a web page'],
    requests: 3,
  },
  {
    what: 'text instead of JSON',
    fault: { kind: 'content-type', contentType: 'text/plain' },
    category: 'malformed_response',
    says: ['text/plain', 'application/json'],
    requests: 1,
  },
  {
    what: 'no content type',
    fault: { kind: 'content-type', contentType: null },
    category: 'malformed_response',
    says: ['no content type'],
    requests: 1,
  },
  {
    what: 'an event stream',
    fault: { kind: 'content-type', contentType: 'text/event-stream' },
    category: 'malformed_response',
    says: ['event stream'],
    requests: 1,
  },
  {
    what: 'JSON that ends in the middle',
    fault: { kind: 'malformed-json' },
    category: 'malformed_response',
    says: ['not valid JSON'],
    requests: 1,
  },
  {
    what: 'JSON with a key twice',
    fault: { kind: 'raw', body: '{"choices":[],"choices":[{"message":{"content":"x"}}]}' },
    category: 'malformed_response',
    says: ['duplicate-key'],
    requests: 1,
  },
  {
    what: 'a list',
    fault: { kind: 'raw', body: '[]' },
    category: 'malformed_response',
    says: ['no object'],
    requests: 1,
  },
  {
    what: 'an object that is no completion',
    fault: { kind: 'raw', body: '{"status":"ok"}' },
    category: 'malformed_response',
    says: ['"choices"'],
    requests: 1,
  },
  {
    what: 'bytes that are no UTF-8',
    fault: { kind: 'raw', body: Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22) },
    category: 'malformed_response',
    says: ['not UTF-8'],
    requests: 1,
  },
  {
    what: 'an error with status 200, as gateways send it',
    fault: { kind: 'raw', body: '{"error":{"code":502,"message":"Provider returned error"}}' },
    category: 'server_error',
    says: ['502', 'Provider returned error'],
    requests: 3,
  },
  {
    what: 'a redirect',
    fault: { kind: 'redirect', location: 'https://other.example/v1/chat/completions?k=v' },
    category: 'malformed_response',
    says: ['https://other.example/v1/chat/completions', 'not followed'],
    requests: 1,
  },
  {
    what: 'a connection that is closed instead of an answer',
    fault: { kind: 'reset' },
    category: 'connection',
    says: ['broke'],
    requests: 3,
  },
  {
    what: 'a body that is cut',
    fault: { kind: 'cut-body' },
    category: 'connection',
    says: ['broke'],
    requests: 3,
  },
];

test.each(CASES)('reports $what as $category', async ({ fault, category, says, requests }) => {
  const retryable = requests > 1;
  await withServer({ server: { replies: [{ content: 'x', fault }] } }, async ({ ask, server }) => {
    const completion = await ask();
    expect(completion).toMatchObject({ kind: 'failed', category, sent: true });
    if (completion.kind !== 'failed') return;
    for (const words of says) expect(completion.message).toContain(words);
    // One sentence, nothing of the request in it.
    expect(completion.message).toMatch(/^[A-Z][^\n]{1,510}\.$/);
    expect(completion.message).not.toContain('plover');
    expect(completion.retryable).toBe(retryable);
    expect(server.requestCount).toBe(requests);
  });
});

test.each([400, 401, 403, 404, 422, 501])(
  'a %d, whose cause is a setting, is not said to pass with time (D-31)',
  async (code) => {
    const fault = status(code);
    await withServer({ server: { replies: [{ content: '', fault }] } }, async ({ ask, server }) => {
      expect(await ask()).toMatchObject({ kind: 'failed', retryable: false });
      expect(server.requests).toHaveLength(1);
    });
  },
);

test('says what an error body says in each shape that servers use', async () => {
  const bodies = [
    { error: 'model "x" not found' },
    { object: 'error', message: 'model "x" not found', code: 404 },
    { detail: 'model "x" not found' },
    { detail: [{ loc: ['body'], msg: 'model "x" not found', input: { secret: 'plover' } }] },
  ];
  for (const body of bodies) {
    const fault: ScriptedFault = { kind: 'status', status: 404, body };
    await withServer({ server: { replies: [{ content: '', fault }] } }, async ({ ask }) => {
      const completion = await ask();
      expect(completion).toMatchObject({ category: 'unknown' });
      expect(JSON.stringify(completion)).toContain('model \\"x\\" not found');
      expect(JSON.stringify(completion)).not.toContain('plover');
    });
  }
});

test('leaves out what a server repeats of the conversation', async () => {
  const message = `Cannot parse "${HELLO.content}" as a message of the template`;
  const fault: ScriptedFault = { kind: 'status', status: 400, message };
  await withServer({ server: { replies: [{ content: '', fault }] } }, async ({ ask }) => {
    const completion = await ask();
    if (completion.kind !== 'failed') throw new Error('There is a reply.');
    expect(completion.message).toContain('"Cannot parse "…" as a message of the template"');
  });
});

test('keeps the status when the error body is too large, cut or no JSON', async () => {
  const faults: readonly ScriptedFault[] = [
    { kind: 'raw', status: 401, body: JSON.stringify({ error: 'x'.repeat(70_000) }) },
    { kind: 'raw', status: 401, body: '{"error":{"message":"a","message":"b"' },
    { kind: 'raw', status: 401, body: '[1]' },
    { kind: 'raw', status: 401, headers: { 'content-type': 'text/plain' }, body: 'Go away.' },
  ];
  for (const fault of faults) {
    await withServer({ server: { replies: [{ content: '', fault }] } }, async ({ ask }) => {
      expect(await ask()).toMatchObject({ category: 'authentication', retryable: false });
    });
  }
});

test('stops reading a reply at 4 MiB and closes the connection (D-21)', async () => {
  const fault: ScriptedFault = { kind: 'oversized', bytes: 512 * 1024 * 1024 };
  await withServer({ server: { replies: [{ content: '', fault }] } }, async ({ ask, server }) => {
    const completion = await ask();
    expect(completion).toMatchObject({ category: 'malformed_response', retryable: false });
    expect(JSON.stringify(completion)).toContain('4 MiB');
    await server.abandoned(1);
    expect(server.requestCount).toBe(1);
  });
});

test('refuses a reply by its declared length and accepts one just below the limit (D-21)', async () => {
  const shell = '{"choices":[{"message":{"content":""}}]}';
  const limit = 4 * 1024 * 1024;
  const body = (bytes: number) => shell.replace('""', `"${'x'.repeat(bytes - shell.length)}"`);
  const faults: { [request: number]: ScriptedFault } = {
    1: { kind: 'raw', body: body(limit) },
    2: { kind: 'raw', body: body(limit + 1) },
  };
  await withServer({ server: { replies: [], faults } }, async ({ ask }) => {
    expect(await ask()).toMatchObject({ kind: 'reply' });
    expect(await ask()).toMatchObject({ category: 'malformed_response' });
  });
});

test('counts bytes after decompression, so that a small body cannot become a large one (D-21)', async () => {
  const { gzipSync } = await import('node:zlib');
  const fault: ScriptedFault = {
    kind: 'raw',
    headers: { 'content-encoding': 'gzip' },
    body: gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20)),
  };
  await withServer({ server: { replies: [{ content: '', fault }] } }, async ({ ask }) => {
    const completion = await ask();
    expect(completion).toMatchObject({ category: 'malformed_response' });
    expect(JSON.stringify(completion)).toContain('4 MiB');
  });
});

test.each(['127.0.0.1', 'localhost'])(
  'knows that nothing was sent to a port of %s where nobody listens',
  async (host) => {
    const port = await freePort();
    const clock = steppingClock();
    const client = createModelClient({
      profile: profileOf(`http://${host}:${port}/v1`),
      fetch,
      clock,
    });
    const completion = await client.complete(
      { messages: [HELLO], tools: [] },
      { signal: new AbortController().signal },
    );
    expect(completion).toEqual({
      kind: 'failed',
      category: 'connection',
      message: `Nothing listens at http://${host}:${port} (ECONNREFUSED); start the model server or correct base_url (after 3 requests).`,
      retryable: true,
      sent: false,
    });
    expect(clock.delays).toEqual([500, 1000]);
  },
);

test('says so when a server speaks plain http behind an https URL', async () => {
  await withServer({ server: { replies: [] } }, async ({ server }) => {
    const client = createModelClient({
      profile: profileOf(server.url.replace('http:', 'https:')),
      fetch,
      clock: steppingClock(),
    });
    const completion = await client.complete(
      { messages: [HELLO], tools: [] },
      { signal: new AbortController().signal },
    );
    expect(completion).toMatchObject({ category: 'connection', retryable: false, sent: false });
    expect(JSON.stringify(completion)).toContain('TLS');
  });
});

test('answers also when fetch itself throws something strange', async () => {
  const thrown: readonly unknown[] = ['text', null, undefined, 7, new Error('odd'), { code: 'X' }];
  for (const error of thrown) {
    const client = createModelClient({
      profile: profileOf('http://127.0.0.1:9/v1'),
      clock: steppingClock(),
      fetch: () => {
        throw error;
      },
    });
    const completion = await client.complete(
      { messages: [HELLO], tools: [] },
      { signal: new AbortController().signal },
    );
    expect(completion).toMatchObject({ kind: 'failed', category: 'unknown', retryable: false });
  }
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = address !== null && typeof address === 'object' ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
