import { type McpHttpOptions, mcpHttpTransport } from '@millforge/connector-mcp';
import { connectorTransportConformance } from '@millforge/connectors/testing';
import { expect, onTestFinished, test } from 'vitest';
import { startHttpServer } from './http-server.ts';
import { live, request, within } from './subject.ts';

function to(url: string, options: Partial<McpHttpOptions> = {}) {
  return mcpHttpTransport({
    url,
    name: 'fixture',
    version: '1',
    allowPlainHttp: true,
    allowPrivateAddresses: true,
    ...options,
  });
}

connectorTransportConformance({
  test,
  tools: { echo: 'echo', fails: 'fails', hangs: 'hangs' },
  async open() {
    const server = await startHttpServer();
    return { transport: to(server.url), close: () => server.close() };
  },
});

async function answerOf(
  mode: Parameters<typeof startHttpServer>[0],
  options: Partial<McpHttpOptions> = {},
) {
  const server = await startHttpServer(mode);
  const transport = to(server.url, options);
  try {
    const answer = await transport.call(request('echo', { text: 'seen' }), live());
    return { answer, tokens: server.tokens };
  } finally {
    await transport[Symbol.asyncDispose]();
    await server.close();
  }
}

test('connects to no private address unless that is allowed, by number and by name', async () => {
  const { answer, tokens } = await answerOf('good', { allowPrivateAddresses: false });
  expect(answer).toMatchObject({ kind: 'failed', reason: 'refused', sent: false });
  expect(tokens).toEqual([]);
  const byName = to('http://localhost:8123/mcp', { allowPrivateAddresses: false });
  expect(await byName.discover(live())).toMatchObject({ kind: 'failed', reason: 'refused' });
  await byName[Symbol.asyncDispose]();
});

test.each([
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://169.254.169.254/latest',
  'http://10.0.0.1/',
  'http://0x7f000001/',
  'http://2130706433/',
])('refuses %s, however it is written', async (url) => {
  const transport = to(url, { allowPrivateAddresses: false });
  expect(await transport.discover(live())).toMatchObject({ reason: 'refused' });
  await transport[Symbol.asyncDispose]();
});

test('follows no redirect', async () => {
  const { answer, tokens } = await answerOf('redirects');
  expect(answer).toMatchObject({ kind: 'failed', reason: 'refused' });
  expect(tokens).toHaveLength(1);
});

test('takes no more of a response than it may', async () => {
  const { answer } = await answerOf('huge', { limits: { maxMessageBytes: 1_048_576 } });
  expect(answer).toMatchObject({ kind: 'failed', reason: 'refused', sent: true });
});

test('stops a call of a server that keeps a stream open and never answers on it', async () => {
  const server = await startHttpServer('drips');
  await using transport = to(server.url);
  const answer = await transport.call(request('echo', { text: 'seen' }), within(200));
  expect(answer).toMatchObject({ kind: 'failed', reason: 'stopped', sent: true });
  await server.close();
});

test('says that a call may have happened when its connection breaks', async () => {
  const server = await startHttpServer();
  await using transport = to(server.url);
  await transport.discover(live());
  const calling = transport.call(request('hangs'), live());
  await transport.call(request('echo', { text: 'between' }), live());
  await server.close();
  expect(await calling).toMatchObject({ kind: 'failed', reason: 'lost', sent: true });
});

test.each(['html', 'fails'] as const)(
  'tells a server that %s from one that answers',
  async (mode) => {
    expect((await answerOf(mode)).answer).toMatchObject({ kind: 'failed', sent: false });
  },
);

test('sends the token with every request, and names it by its reference only', async () => {
  const token = { ref: 'demo_token', read: async () => 'hidden-value-1' };
  const server = await startHttpServer();
  const transport = to(server.url, { token });
  const discovered = await transport.discover(live());
  await transport[Symbol.asyncDispose]();
  await server.close();
  expect(new Set(server.tokens)).toEqual(new Set(['Bearer hidden-value-1']));
  expect(JSON.stringify(discovered)).not.toContain('hidden-value-1');
  expect(discovered).toMatchObject({ identity: { configured_secret_refs: ['demo_token'] } });
});

test.each(['ftp://example.org/', 'no url', 'https://user:word@example.org/'])(
  'takes %s for no address',
  (url) => {
    expect(() => to(url)).toThrow(
      expect.objectContaining({ code: 'connector-mcp/invalid-options' }),
    );
  },
);

test('speaks https unless something else is allowed', () => {
  expect(() => to('http://example.org/', { allowPlainHttp: false })).toThrow(
    expect.objectContaining({ code: 'connector-mcp/invalid-options' }),
  );
});

test.each(['kind', 'text', 'tools', 'http', 'answered', 'fixture', 'provider_tool_name', 'secret'])(
  'a secret that is spelled like a word of ours, %s, changes no answer into another',
  async (value) => {
    const server = await startHttpServer();
    onTestFinished(() => server.close());
    const token = { ref: 'the_secret', read: async () => value };
    const transport = to(server.url, { token });
    onTestFinished(() => transport[Symbol.asyncDispose]());
    expect(await transport.discover(live())).toMatchObject({
      kind: 'discovered',
      identity: {
        transport_kind: 'http',
        implementation_name: 'fixture',
        configured_secret_refs: ['the_secret'],
      },
      tools: [{ provider_tool_name: 'echo' }, {}, {}],
    });
    expect(await transport.call(request('echo', { text: `is it ${value}` }), live())).toEqual({
      kind: 'answered',
      isError: false,
      text: 'is it **redacted**',
      structured: null,
    });
  },
);
