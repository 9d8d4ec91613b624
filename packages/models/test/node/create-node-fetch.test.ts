import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createModelClient, type ModelProfile } from '@millforge/models';
import { createNodeFetch, type NodeFetchOptions } from '@millforge/models/node';
import { startScriptedServer } from '@millforge/models/testing';
import { expect, test } from 'vitest';
import { HELLO, profileOf, steppingClock } from '../exchange.ts';

const REPLY = {
  content: 'süß 😀',
  tool_calls: [{ name: 'read', arguments: { path: 'a.ts' } }],
};

async function ask(profile: ModelProfile, options: NodeFetchOptions = {}, signal?: AbortSignal) {
  await using http = createNodeFetch(options);
  const client = createModelClient({ profile, fetch: http.fetch, clock: steppingClock() });
  return await client.complete(
    { messages: [HELLO], tools: [] },
    { signal: signal ?? new AbortController().signal },
  );
}

test.each([
  ['whole', {}],
  ['streamed', { stream: true, idle_timeout_seconds: 200 }],
])('brings a %s reply', async (_, more) => {
  await using server = await startScriptedServer({ replies: [REPLY] });
  expect(await ask({ ...profileOf(server.url), ...more })).toMatchObject({
    kind: 'reply',
    reply: { content: 'süß 😀', tool_calls: [{ arguments: '{"path":"a.ts"}' }] },
  });
});

test('unpacks a body that a gateway compressed without being asked', async () => {
  const fault = {
    kind: 'raw' as const,
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync('{"choices":[{"message":{"content":"Hi"}}]}'),
  };
  await using server = await startScriptedServer({ replies: [{ content: '', fault }] });
  expect(await ask(profileOf(server.url))).toMatchObject({ reply: { content: 'Hi' } });
});

test.each([
  ['that never answers', { kind: 'hang' as const }],
  ['that stalls in its body', { kind: 'stall-body' as const }],
])('an abort closes the connection to a server %s within a second', async (_, fault) => {
  await using server = await startScriptedServer({ replies: [{ ...REPLY, fault }] });
  const stop = new AbortController();
  const asking = ask(profileOf(server.url), {}, stop.signal);
  await server.arrived(1);
  const began = performance.now();
  stop.abort();
  expect(await asking).toMatchObject({ kind: 'failed', category: 'cancelled' });
  await server.abandoned(1);
  expect(performance.now() - began).toBeLessThan(1000);
});

test.each([
  ['refused', 'http://127.0.0.1:9/v1', 'connection'],
  ['without an address', 'https://nobody.invalid/v1', 'connection'],
])('says that a connection was %s', async (_, base_url, category) => {
  const completion = await ask({ ...profileOf(base_url), max_retries: 0 });
  expect(completion).toMatchObject({ kind: 'failed', category, sent: false });
});

/** A proxy that leads every host to one port of this machine, and keeps what it was asked for. */
async function startProxy(port: number) {
  const asked: string[] = [];
  const proxy: Server = createServer();
  proxy.on('connect', (request, socket) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket);
      socket.pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  const address = proxy.address();
  const proxyPort = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    asked,
    url: `http://127.0.0.1:${proxyPort}`,
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      await new Promise((resolve) => {
        proxy.close(resolve);
      });
    },
  };
}

test('goes through the proxy that is named, and to loopback never', async () => {
  await using server = await startScriptedServer({ replies: [REPLY] });
  const port = Number(new URL(server.url).port);
  await using proxy = await startProxy(port);
  const remote = { ...profileOf(`http://models.test:${port}/v1`), allow_insecure_http: true };
  expect(await ask(remote, { proxy: proxy.url })).toMatchObject({ kind: 'reply' });
  expect(proxy.asked).toEqual([`CONNECT models.test:${port}`]);
  expect(await ask(profileOf(server.url), { proxy: proxy.url })).toMatchObject({ kind: 'reply' });
  expect(proxy.asked).toHaveLength(1);
});

test('takes no proxy from the environment', async () => {
  await using server = await startScriptedServer({ replies: [REPLY] });
  const port = Number(new URL(server.url).port);
  await using proxy = await startProxy(port);
  process.env['HTTP_PROXY'] = proxy.url;
  process.env['http_proxy'] = proxy.url;
  try {
    const remote = {
      ...profileOf(`http://nobody.invalid:${port}/v1`),
      allow_insecure_http: true,
      max_retries: 0,
    };
    expect(await ask(remote)).toMatchObject({ kind: 'failed', category: 'connection' });
    expect(proxy.asked).toEqual([]);
  } finally {
    delete process.env['HTTP_PROXY'];
    delete process.env['http_proxy'];
  }
});

test('sends nothing once it is closed', async () => {
  const http = createNodeFetch();
  await http.close();
  await expect(http.fetch('http://127.0.0.1:9/v1', {})).rejects.toThrow('closed');
});

// The limit of the global `fetch` is 300 s; this waits past it.
test.runIf(process.env['MILLFORGE_SLOW_HTTP'] === '1')(
  'waits for headers that come after five minutes',
  { timeout: 400_000 },
  async () => {
    const fault = { kind: 'delay' as const, ms: 305_000 };
    await using server = await startScriptedServer({ replies: [{ ...REPLY, fault }] });
    const profile = { ...profileOf(server.url), timeout_seconds: 600 };
    expect(await ask(profile)).toMatchObject({ kind: 'reply', attempts: 1 });
  },
);

test.each(['socks5://ann:pass@proxy.example:1080', 'ALL', ''])(
  'a proxy that http does not reach is refused at once, and not shown: %j',
  (proxy) => {
    expect(() => createNodeFetch({ proxy })).toThrow(
      expect.objectContaining({
        code: 'models/invalid-proxy',
        message:
          'The proxy must be an http or https URL; other kinds, such as SOCKS, cannot be used.',
      }),
    );
  },
);
