import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mcpHttpTransport } from '@millforge/connector-mcp';
import type { ConnectorTransport } from '@millforge/connectors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admit, clock, discover, programOf, serve, toolsOf } from './real-server.ts';
import { runOneCall } from './run-one-call.ts';

let folder = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-transports-')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MODERN = join(import.meta.dirname, 'modern-server.mjs');
const live = (): { readonly signal: AbortSignal } => ({ signal: new AbortController().signal });

test.each([
  ['the stable protocol where the server speaks nothing else', 'reject', '2026-07-28'],
  ['the stable protocol where the server speaks both', 'serve', '2026-07-28'],
])('agrees on %s', async (_, legacy, version) => {
  await using transport = serve(MODERN, { folder, args: [legacy] });
  const snapshot = await discover(transport);
  expect(snapshot.connector_identity.protocol_version).toBe(version);
  expect(await callEcho(transport)).toMatchObject({ kind: 'answered', text: 'seen' });
});

test('agrees on the protocol before with a server that knows no other', async () => {
  const script = programOf('@modelcontextprotocol/server-memory', 'dist/index.js');
  await using transport = serve(script, { folder });
  const snapshot = await discover(transport);
  expect(snapshot.connector_identity.protocol_version).toBe('2025-11-25');
});

test('hears of the stable protocol that a list changed', async () => {
  await using transport = serve(MODERN, { folder, args: ['reject'] });
  const before = await discover(transport);
  const changed = new Promise<void>((resolve) => transport.onChange(resolve));
  await transport.call({ ...REQUEST, provider_tool_name: 'grows', arguments: {} }, live());
  await changed;
  const after = await discover(transport);
  expect(after.provider_tools).toHaveLength(before.provider_tools.length + 1);
});

test('reaches a server of others over HTTP', { tags: ['slow'] }, async () => {
  const port = await freePort();
  const script = programOf('@modelcontextprotocol/server-everything', 'dist/index.js');
  const server = spawn(process.execPath, [script, 'streamableHttp'], {
    env: { PATH: process.env['PATH'], PORT: `${port}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    await once(server.stderr, 'data');
    await listening(port);
    await using transport = mcpHttpTransport({
      url: `http://127.0.0.1:${port}/mcp`,
      name: 'everything',
      version: '2026.8.31',
      allowPlainHttp: true,
      allowPrivateAddresses: true,
    });
    const snapshot = await discover(transport);
    const admitted = admit(snapshot, { echo: { side_effect_class: 'network_read' } });
    const { tools } = toolsOf(admitted, snapshot, transport);
    const result = await runOneCall(tools, { input: { message: 'seen' }, cwd: folder });
    expect(result).toMatchObject({ status: 'success', text: 'Echo: seen' });
  } finally {
    server.kill('SIGKILL');
  }
});

test.each([
  ['holds the run where it may have happened', 'network_write', 'held', null],
  ['goes on where it changes nothing', 'read_only', 'success', 'io_error'],
] as const)(
  'a run whose server is killed in the middle of a call %s',
  { tags: ['slow'] },
  async (...row) => {
    const [, effect, run, code] = row;
    const log = join(folder, `${effect}.log`);
    await using transport = serve(MODERN, { folder, args: ['serve', log] });
    const snapshot = await discover(transport);
    const admitted = admit(snapshot, { hangs: { side_effect_class: effect } });
    const { tools } = toolsOf(admitted, snapshot, transport);
    const dataDir = join(folder, `${effect}-data`);
    const calling = runOneCall(tools, { input: {}, cwd: folder, dataDir });
    await until(() => existsSync(log) && readFileSync(log, 'utf8') !== '');
    for (const pid of serversWith(log)) process.kill(pid, 'SIGKILL');
    expect(await calling).toMatchObject({ run, code });
    expect(readFileSync(log, 'utf8')).toBe('called\n');
  },
);

const ZEROS = '0'.repeat(64);
const REQUEST = {
  connector_id: 'connector.real',
  provider_tool_name: 'echo',
  tool_id: 'connector.real.echo',
  tool_version: 1,
  descriptor_sha256: ZEROS,
  connector_identity_sha256: ZEROS,
  discovery_snapshot_sha256: ZEROS,
  raw_tool_sha256: ZEROS,
  arguments: { text: 'seen' },
  run_id: 'run',
  call_id: 'call',
  timeout_seconds: 10,
  idempotency_key: null,
};

function callEcho(transport: ConnectorTransport) {
  return transport.call(REQUEST, live());
}

function serversWith(text: string): readonly number[] {
  const listed = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
  return listed
    .split('\n')
    .filter(
      (line) => line.includes(text) && line.includes(process.execPath) && !line.includes('/bin/sh'),
    )
    .map((line) => Number(line.trim().split(' ')[0]));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function listening(port: number): Promise<void> {
  await until(() => {
    const listed = readFileSync('/proc/net/tcp', 'utf8') + readFileSync('/proc/net/tcp6', 'utf8');
    return listed.includes(`:${port.toString(16).toUpperCase().padStart(4, '0')} `);
  });
}

async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + 10_000;
  while (!isSo()) {
    if (performance.now() > end) throw new Error('It did not come to be so within ten seconds.');
    await clock.delay(10);
  }
}
