import { EventEmitter, once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createModelClient, type ModelProfile } from '@millforge/models';
import { createNodeFetch } from '@millforge/models/node';
import { expect, test } from 'vitest';
import { HELLO, profileOf, steppingClock } from '../exchange.ts';

/** A server that accepts connections, counts them, and does with what it hears what it is told. */
async function startListener(hear: (socket: Socket, bytes: Buffer) => void = () => undefined) {
  let accepted = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    accepted += 1;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      hear(socket, bytes);
      server.emit('heard');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    accepted: () => accepted,
    heard: () => once(server, 'heard'),
    /** When nothing is open any more. */
    async emptied(): Promise<void> {
      await Promise.all(
        [...open].map((socket) => new Promise((closed) => socket.on('close', closed))),
      );
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function ask(
  profile: Partial<ModelProfile>,
  how: {
    readonly proxy?: string;
    readonly signal?: AbortSignal;
    /** Keeps the connections of the client until then. */
    readonly until?: Promise<unknown>;
  } = {},
) {
  await using http = createNodeFetch(how.proxy === undefined ? {} : { proxy: how.proxy });
  const client = createModelClient({
    profile: { ...profileOf('https://models.test/v1'), max_retries: 0, ...profile },
    fetch: http.fetch,
    clock: steppingClock(),
  });
  const signal = how.signal ?? new AbortController().signal;
  const completion = await client.complete({ messages: [HELLO], tools: [] }, { signal });
  await how.until;
  return completion;
}

const TUNNEL = 'HTTP/1.1 200 Connection established\r\n\r\n';

test.each<[string, number, (socket: Socket) => void]>([
  ['a proxy that never answers', 1, () => undefined],
  // The second thing that it hears is the first word of TLS.
  ['a host behind a proxy that never answers', 2, (socket) => socket.write(TUNNEL)],
])('an abort closes the connection to %s within a second', async (_what, times, hear) => {
  await using proxy = await startListener(hear);
  const stop = new AbortController();
  const closed = new EventEmitter();
  const asking = ask({}, { proxy: proxy.url, signal: stop.signal, until: once(closed, 'all') });
  for (let time = 0; time < times; time += 1) await proxy.heard();
  const began = performance.now();
  stop.abort();
  await proxy.emptied();
  closed.emit('all');
  expect(performance.now() - began).toBeLessThan(1000);
  expect(await asking).toMatchObject({ kind: 'failed', category: 'cancelled' });
});

test('an abort closes a connection whose TLS handshake is not answered within a second', async () => {
  await using server = await startListener();
  const stop = new AbortController();
  const base_url = `https://127.0.0.1:${server.port}/v1`;
  const closed = new EventEmitter();
  const asking = ask({ base_url }, { signal: stop.signal, until: once(closed, 'all') });
  await server.heard();
  const began = performance.now();
  stop.abort();
  await server.emptied();
  closed.emit('all');
  expect(performance.now() - began).toBeLessThan(1000);
  expect(await asking).toMatchObject({ kind: 'failed', category: 'cancelled' });
});

test.each<[string, string, RegExp, boolean]>([
  ['refuses the host', '403 Forbidden', /refused to lead to models\.test:443 \(403\)/, false],
  ['does not know who asks', '407 Who', /take the user name .* \(407\); correct them/, false],
  ['cannot reach the host', '502 Bad Gateway', /refused to lead to models\.test:443 \(502\)/, true],
])('names the proxy that %s, and says that nothing was sent', async (...row) => {
  const [, status, message, retryable] = row;
  await using proxy = await startListener((socket) => {
    socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);
  });
  const withUser = proxy.url.replace('//', '//me:pass-word@');
  const completion = await ask({}, { proxy: withUser });
  expect(completion).toMatchObject({ category: 'connection', sent: false, retryable });
  expect(completion).toHaveProperty('message', expect.stringMatching(message));
  expect(completion).toHaveProperty('message', expect.stringContaining(proxy.url));
  expect(JSON.stringify(completion)).not.toMatch(/pass-word|me:/);
});

test('says where a proxy that wants to know who asks is told', async () => {
  await using proxy = await startListener((socket) => {
    socket.end('HTTP/1.1 407 Who\r\ncontent-length: 0\r\n\r\n');
  });
  expect(await ask({}, { proxy: proxy.url })).toMatchObject({
    message: expect.stringMatching(/\(407\); put them into its URL in https_proxy or http_proxy/),
  });
});

test('asks a proxy that closes the connection once, not for ever', async () => {
  await using proxy = await startListener((socket) => socket.destroy());
  expect(await ask({}, { proxy: proxy.url })).toMatchObject({
    category: 'connection',
    sent: false,
    message: expect.stringContaining(`The proxy at ${proxy.url} led to no connection`),
  });
  expect(proxy.accepted()).toBe(1);
});

test('names the proxy that does not run', async () => {
  expect(await ask({}, { proxy: 'http://127.0.0.1:9' })).toMatchObject({
    category: 'connection',
    sent: false,
    message: expect.stringContaining('http://127.0.0.1:9 led to no connection (ECONNREFUSED)'),
  });
});

test('tells a proxy who asks', async () => {
  let asked = '';
  await using proxy = await startListener((socket, bytes) => {
    asked = bytes.toString('latin1');
    socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
  });
  await ask({}, { proxy: proxy.url.replace('//', '//me:p%40ss@') });
  expect(asked).toContain('CONNECT models.test:443 HTTP/1.1\r\n');
  expect(asked).toMatch(new RegExp(`^proxy-authorization: Basic ${btoa('me:p@ss')}\r$`, 'im'));
});

test.each([
  ['has no status', 'HTTP/1.1 600 Odd\r\ncontent-length: 2\r\n\r\nhi'],
  ['is no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
  [
    'has chunks without a size',
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n',
  ],
])('says that an answer that %s does not speak HTTP', async (_what, answer) => {
  await using server = await startListener((socket) => socket.end(answer));
  expect(await ask({ base_url: `${server.url}/v1` })).toMatchObject({
    category: 'malformed_response',
    retryable: false,
    message: expect.stringContaining('does not speak HTTP'),
  });
});
