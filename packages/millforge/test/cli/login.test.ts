import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startAuthorizationServer } from '../../../connector-mcp/test/authorization-server.ts';
import { startHttpServer } from '../../../connector-mcp/test/http-server.ts';
import { demoFile, editDemo } from './demo-connector.ts';
import { type CliEnd, runCli, testFolder } from './run-cli.ts';

/** A project whose service lets nobody in without a login, in a home of its own. */
async function world() {
  const issuer = await startAuthorizationServer();
  const server = await startHttpServer('good', { issuer: issuer.url, isGood: issuer.isGood });
  onTestFinished(async () => {
    await server.close();
    await issuer.close();
  });
  const cwd = testFolder();
  const home = testFolder();
  mkdirSync(join(cwd, '.millforge', 'connectors', 'demo'), { recursive: true });
  writeFileSync(
    demoFile(cwd, 'connector.json'),
    JSON.stringify({
      kind: 'millforge_connector',
      schema_version: '1.0',
      connector_id: 'connector.demo',
      transport: {
        kind: 'http',
        name: 'demo',
        version: '1',
        url: server.url,
        login: { authorization_server: issuer.url },
        allow_plain_http: true,
        allow_private_addresses: true,
      },
    }),
  );
  const run = (...argv: string[]): Promise<CliEnd> =>
    runCli(['connect', ...argv, '--trust-project'], {
      cwd,
      env: { HOME: home },
      onStderr(text) {
        const url = /http:\S+authorize\S+/u.exec(text)?.[0];
        if (url !== undefined) void fetch(url).catch(() => undefined);
      },
    });
  return { cwd, home, issuer, run };
}

test('somebody logs in, and the tokens stand in one file of theirs and nowhere else', {
  tags: ['slow'],
}, async () => {
  const { cwd, home, issuer, run } = await world();
  const alone = await run('discover', 'demo');
  expect(alone).toMatchObject({ code: 65 });
  expect(alone.stderr).toContain("'millforge connect login demo' logs in");

  const ends = [await run('login', 'demo')];
  expect(ends[0]).toMatchObject({ code: 0 });
  const folder = join(home, '.config', 'millforge', 'logins');
  const [file = ''] = readdirSync(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);

  ends.push(await run('discover', 'demo'));
  ends.push(
    await runCli(['connect', 'draft', 'demo', '--select', 'echo'], { cwd, env: { HOME: home } }),
  );
  editDemo(cwd, 'manifest.json', (manifest) => {
    for (const tool of manifest.selected_tools) tool['description'] = 'Says a text back.';
  });
  ends.push(await runCli(['connect', 'admit', 'demo'], { cwd, env: { HOME: home } }));
  issuer.expire();
  const { accessToken } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const input = JSON.stringify({ text: `do you know ${accessToken}` });
  ends.push(await run('call', 'demo', 'echo', '--input', input, '--approve', 'network_write'));
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
  expect(ends.at(-1)?.stdout).toBe('do you know **redacted**\n');
  expect(issuer.grants).toEqual(['authorization_code', 'refresh_token']);

  const said = ends.slice(0, -1).map(({ stdout, stderr }) => stdout + stderr);
  for (const token of issuer.given) {
    for (const text of said) expect(text).not.toContain(token);
    expect(filesWith(token, cwd)).toEqual([]);
    expect(filesWith(token, home).filter((path) => !path.startsWith(folder))).toEqual([]);
  }
});

test('a connector without a login says how it would have one', async () => {
  const { cwd, run } = await world();
  editDemo(cwd, 'connector.json', ({ transport }) => {
    delete transport['login'];
  });
  const end = await run('login', 'demo');
  expect(end).toMatchObject({ code: 64 });
  expect(end.stderr).toContain('"login": {}');
});

/** Every file below a folder that holds a text. */
function filesWith(text: string, folder: string): readonly string[] {
  try {
    return execFileSync('grep', ['-rlaF', text, folder], { encoding: 'utf8' }).trim().split('\n');
  } catch {
    return [];
  }
}
