import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { startScriptedServer } from '@millforge/models/testing';
import { expect, test } from 'vitest';
import { lastJson, runCli, testFolder } from './run-cli.ts';
import { GRANT_FLAGS, scriptText, testHarness, WRITE_AND_FINISH } from './test-harness.ts';

/** A proxy that leads every host to one port of this machine, and counts what it was asked for. */
async function startProxy(port: number) {
  let asked = 0;
  const proxy = createServer();
  proxy.on('connect', (_request, socket) => {
    asked += 1;
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  const address = proxy.address();
  return {
    asked: () => asked,
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => {
        proxy.close(resolve);
        proxy.closeAllConnections();
      });
    },
  };
}

/** A user's configuration with a server that only the proxy can find. */
function layOut(baseUrl: string, fields: { readonly proxy?: string; readonly own?: string } = {}) {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), testHarness());
  writeFileSync(join(cwd, 'script.json'), scriptText(WRITE_AND_FINISH));
  mkdirSync(join(cwd, '.config', 'millforge'), { recursive: true });
  const profile = {
    profile_id: 'test.model',
    base_url: baseUrl,
    model: 'm',
    allow_insecure_http: true,
    max_retries: 0,
    ...(fields.own === undefined ? {} : { proxy: fields.own }),
  };
  const config = {
    kind: 'millforge_config',
    schema_version: '1.0',
    profiles: [profile],
    ...(fields.proxy === undefined ? {} : { proxy: fields.proxy }),
  };
  writeFileSync(join(cwd, '.config', 'millforge', 'config.json'), JSON.stringify(config));
  const argv = ['run', 'harness.yaml', '--task', 't', '--data', 'data', '--json', ...GRANT_FLAGS];
  return { cwd, argv };
}

const NOWHERE = 'http://127.0.0.1:9';
const SOCKS = 'socks5h://ann:pass@secret-host:1080';

test.each<
  [string, (url: string) => Parameters<typeof layOut>[1], (url: string) => string[], boolean]
>([
  ['a flag names', () => ({}), (url) => ['--proxy', url], true],
  ['the configuration names', (url) => ({ proxy: url }), () => [], true],
  ['the profile names', (url) => ({ own: url, proxy: NOWHERE }), () => [], true],
  ['a flag names against the profile', () => ({ own: NOWHERE }), (url) => ['--proxy', url], true],
  ['nobody names', () => ({}), () => [], false],
  ['a flag takes away', (url) => ({ own: url, proxy: url }), () => ['--no-proxy'], false],
])('a run uses a proxy that %s', async (...row) => {
  const [, fields, flags, isUsed] = row;
  await using server = await startScriptedServer({ replies: WRITE_AND_FINISH });
  const port = new URL(server.url).port;
  await using proxy = await startProxy(Number(port));
  const { cwd, argv } = layOut(`http://models.invalid:${port}/v1`, fields(proxy.url));
  const end = await runCli([...argv, ...flags(proxy.url)], { cwd });
  expect(lastJson(end)).toMatchObject({ status: isUsed ? 'success' : 'failed' });
  expect(proxy.asked() > 0).toBe(isUsed);
});

test('a proxy of the environment of MILLFORGE is one, that of other programs is none', async () => {
  await using server = await startScriptedServer({ replies: WRITE_AND_FINISH });
  const port = new URL(server.url).port;
  await using proxy = await startProxy(Number(port));
  const { cwd, argv } = layOut(`http://models.invalid:${port}/v1`);
  const other = await runCli(argv, { cwd, env: { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url } });
  expect(other.code).toBe(1);
  expect(other.stderr).toContain('The proxy that HTTP_PROXY names is not used');
  const without = await runCli([...argv, '--no-proxy'], { cwd, env: { HTTP_PROXY: proxy.url } });
  expect([without.code, without.stderr.includes('HTTP_PROXY')]).toEqual([1, false]);
  const own = await runCli(argv, { cwd, env: { MILLFORGE_PROXY: proxy.url } });
  expect(own.code).toBe(0);
});

test('a proxy of the environment is used where the configuration leaves it to that, and kept nowhere', async () => {
  await using server = await startScriptedServer({ replies: WRITE_AND_FINISH });
  const port = new URL(server.url).port;
  await using proxy = await startProxy(Number(port));
  const { cwd, argv } = layOut(`http://models.invalid:${port}/v1`, { proxy: 'environment' });
  const { host } = new URL(proxy.url);
  const env = { HTTP_PROXY: `http://ann:pass-0123456789@${host}` };
  const excepted = await runCli(argv, { cwd, env: { ...env, NO_PROXY: '.invalid' } });
  expect([excepted.code, proxy.asked()]).toEqual([1, 0]);
  expect(excepted.stderr).toContain('The environment names no proxy for the model server.');
  const used = await runCli(argv, { cwd, env });
  expect([used.code, proxy.asked() > 0]).toEqual([0, true]);
  expect(used.stderr).toContain(`Requests go through the proxy ${host} (HTTP_PROXY).`);
  const { run_id: runId } = lastJson(used);
  const trail = await runCli(['trail', 'export', String(runId), '--data', 'data'], { cwd });
  expect(used.stdout + used.stderr + trail.stdout).not.toContain('pass-0123456789');
});

test.each([
  [
    'HTTP_PROXY of the environment',
    'environment',
    { HTTP_PROXY: SOCKS },
    /variable HTTP_PROXY must hold/,
  ],
  [
    'ALL_PROXY of the environment',
    'environment',
    { ALL_PROXY: SOCKS },
    /variable ALL_PROXY must hold/,
  ],
  [
    'MILLFORGE_PROXY',
    undefined,
    { MILLFORGE_PROXY: SOCKS },
    /proxy of MILLFORGE_PROXY cannot be used/,
  ],
  ['the configuration', SOCKS, {}, /proxy of the user's configuration cannot be used/],
])(
  'a SOCKS proxy in %s is refused in one sentence, and no request goes past it',
  async (...row) => {
    const [, proxy, env, sentence] = row;
    await using server = await startScriptedServer({ replies: WRITE_AND_FINISH });
    const { port } = new URL(server.url);
    const { cwd, argv } = layOut(`http://0.0.0.0:${port}/v1`, proxy === undefined ? {} : { proxy });
    const end = await runCli(argv, { cwd, env });
    expect([end.code, end.stderr.trim().split('\n')]).toEqual([
      64,
      [expect.stringMatching(sentence)],
    ]);
    expect(end.stderr).toMatch(/SOCKS/);
    expect(end.stderr).toMatch(/--proxy/);
    expect(end.stderr).not.toContain('secret-host');
    expect(server.requests).toEqual([]);
  },
);

test.each([
  ['two that contradict each other', ['--proxy', NOWHERE, '--no-proxy'], /contradict/],
  ['one that is no URL', ['--proxy', 'nowhere'], /proxy cannot be used/],
])('refuses %s: 64', async (_, flags, sentence) => {
  const { cwd, argv } = layOut('http://models.invalid:9/v1');
  const end = await runCli([...argv, ...flags], { cwd });
  expect(end.code).toBe(64);
  expect(end.stderr).toMatch(sentence);
});
