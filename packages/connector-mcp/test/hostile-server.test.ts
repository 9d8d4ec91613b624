import type { ConnectorTransport } from '@millforge/connectors';
import { createDiscoverySnapshot, proposeSchema } from '@millforge/connectors';
import { expect, test } from 'vitest';
import { fixture, live, processesWith, request, until, within } from './subject.ts';

/** Does something with a server in one of its modes, and sees to it that nothing of it is left. */
async function against<T>(
  mode: string,
  work: (transport: ConnectorTransport) => Promise<T>,
  limits: { readonly maxMessageBytes?: number; readonly connectTimeoutMs?: number } = {},
): Promise<T> {
  const mark = `hostile-${mode}-${Math.random()}`;
  const script = `${import.meta.dirname}/stdio-server.mjs`;
  const transport = fixture(mode, {
    args: [script, mode, mark],
    limits: { connectTimeoutMs: 5000, ...limits },
  });
  try {
    return await work(transport);
  } finally {
    await transport[Symbol.asyncDispose]();
    await until(() => processesWith(mark).length === 0);
  }
}

const echo = (transport: ConnectorTransport, text = 'still here') =>
  transport.call(request('echo', { text }), live());

test.each([
  ['exits-at-start', 'lost'],
  ['exits-at-initialize', 'lost'],
  ['exits-at-list', 'lost'],
  ['endless-pages', 'refused'],
  ['circle-of-pages', 'protocol'],
  ['huge-page', 'refused'],
])('discovers nothing of a server that %s', async (mode, reason) => {
  expect(await against(mode, (transport) => transport.discover(live()))).toMatchObject({
    kind: 'failed',
    reason,
  });
});

test.each([
  ['exits-at-call', 'lost', 'It ended with status 7'],
  ['invalid-utf8', 'protocol', 'no UTF-8'],
  ['senseless', 'protocol', 'no content'],
])(
  'gives no result of a server that %s, and knows that it was called',
  async (mode, reason, words) => {
    expect(await against(mode, echo)).toMatchObject({
      kind: 'failed',
      reason,
      sent: true,
      message: expect.stringContaining(words),
    });
  },
);

test('holds a result of 100 MB to the limit of one message, without taking it in', async () => {
  const before = process.memoryUsage().rss;
  const answer = await against('huge-result', echo, { maxMessageBytes: 1_048_576 });
  expect(answer).toMatchObject({ kind: 'failed', reason: 'refused', sent: true });
  expect(process.memoryUsage().rss - before).toBeLessThan(80 * 1_048_576);
});

test('stops a call of a server that answers one letter at a time', async () => {
  const answer = await against('slow-drip', (transport) =>
    transport.call(request('echo', { text: '' }), within(300)),
  );
  expect(answer).toMatchObject({ kind: 'failed', reason: 'stopped', sent: true });
});

test.each(['wrong-ids', 'flood-of-notes', 'chatter', 'asks-back', 'dies-of-asking'])(
  'gets its answer from a server that has %s',
  async (mode) => {
    expect(await against(mode, echo)).toMatchObject({ kind: 'answered', text: 'still here' });
  },
);

test('speaks the former protocol with a server that does not answer when it is asked for the new one', async () => {
  const answer = await against('silent-to-asking', echo, { connectTimeoutMs: 1500 });
  expect(answer).toMatchObject({ kind: 'answered', text: 'still here' });
});

test('gives a late answer to nobody', async () => {
  await against('late-answers', async (transport) => {
    const late = await transport.call(request('hangs'), within(30));
    expect(late).toMatchObject({ reason: 'stopped' });
    for (let again = 0; again < 5; again++) {
      expect(await echo(transport, `${again}`)).toMatchObject({ text: `${again}` });
    }
  });
});

test('tells of a list that changes in the middle of a call', async () => {
  await against('list-changes-in-call', async (transport) => {
    let changes = 0;
    transport.onChange(() => {
      changes += 1;
    });
    expect(await echo(transport)).toMatchObject({ kind: 'answered' });
    expect(changes).toBe(1);
  });
});

test('takes of names that are squatted or senseless only what can be told apart and pinned', async () => {
  const discovered = await against('name-squatting', (transport) => transport.discover(live()));
  if (discovered.kind === 'failed') throw new Error(discovered.message);
  expect(discovered.tools.map((tool) => tool.provider_tool_name)).toEqual([
    'echo',
    'fails',
    'hangs',
    'echo',
    'builtin.terminal.submit',
    '__proto__',
  ]);
  expect(discovered.metadata).toEqual({ unreadable_tools: 4 });
});

test('refuses schemas that are bombs, and keeps the tool beside them', async () => {
  const discovered = await against('schema-bomb', (transport) => transport.discover(live()));
  if (discovered.kind === 'failed') throw new Error(discovered.message);
  const { tools, identity } = discovered;
  expect(tools.map((tool) => tool.provider_tool_name)).toEqual(['wide', 'echo']);
  expect(proposeSchema(tools[0]?.input_schema ?? null)).toMatchObject({ schema: null });
  const written = createDiscoverySnapshot({
    connector_identity: {
      connector_id: 'connector.bomb',
      discovered_at: '2026-01-01T00:00:00Z',
      ...identity,
    },
    created_at: '2026-01-01T00:00:00Z',
    provider_tools: tools,
    provider_prompts: [],
    provider_resources: [],
    provider_metadata: {},
  });
  expect(written.ok).toBe(true);
});

test('shows of what a server said beside only the last line, and no secret that it was given', async () => {
  const transport = fixture('talks', {
    secrets: { DEMO_KEY: { ref: 'demo_key', read: () => 'very-hidden-value' } },
  });
  const answer = await echo(transport);
  await transport[Symbol.asyncDispose]();
  expect(answer).toMatchObject({ kind: 'failed', reason: 'lost' });
  const message = answer.kind === 'failed' ? answer.message : '';
  expect(message).toContain('key is **redacted**');
  expect(message).not.toContain('very-hidden-value');
  expect(message.length).toBeLessThan(500);
});

test('gives a server no variable that it was not meant to have', async () => {
  const { FIXTURE_PROBE: before } = process.env;
  process.env['FIXTURE_PROBE'] = 'inherited';
  try {
    const transport = fixture('good', { args: ['-e', ENVIRONMENT], environment: { GIVEN: 'yes' } });
    const discovered = await transport.discover(live());
    await transport[Symbol.asyncDispose]();
    const names = discovered.kind === 'discovered' ? discovered.identity.server_reported_name : '';
    expect(names?.split(',').filter((name) => !SHELL_SETS.has(name))).toEqual(['GIVEN']);
  } finally {
    if (before === undefined) delete process.env['FIXTURE_PROBE'];
    else process.env['FIXTURE_PROBE'] = before;
  }
});

test('kills a server that does not want to end, with everything that it started', async () => {
  const mark = `stubborn-${Math.random()}`;
  const transport = fixture('stubborn', {
    args: [`${import.meta.dirname}/stdio-server.mjs`, 'stubborn', mark],
    graceMs: 100,
  });
  await transport.discover(live());
  expect(processesWith(mark).length).toBeGreaterThan(0);
  await transport[Symbol.asyncDispose]();
  await until(() => processesWith(mark).length === 0);
});

/** A server that says the names of its variables in the place of its own. */
const ENVIRONMENT = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const result = method === 'initialize'
    ? { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: Object.keys(process.env).join(), version: '1' } }
    : null;
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'no' } }) }));
})`;
/** What a shell sets for itself. */
const SHELL_SETS = new Set(['PWD', 'OLDPWD', 'SHLVL', '_', '']);
