import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startScriptedServer } from '@millforge/models/testing';
import { expect, test } from 'vitest';
import { lastJson, overriding, runCli, testFolder } from './run-cli.ts';
import { GRANT_FLAGS, testHarness, WRITE_AND_FINISH } from './test-harness.ts';

/** A harness whose model only an endpoint that nobody has can answer for; nothing is asked but a proxy, if any. */
function layOut(model = 'http://127.0.0.1:9/v1#m') {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), testHarness());
  const argv = ['run', 'harness.yaml', '--task', 't', '--data', 'data', '--model', model];
  return { cwd, argv: [...argv, ...GRANT_FLAGS] };
}

const ELSEWHERE = 'http://10.255.255.1:9/v1#m';
const NO_PROXY = { npm_command: 'exec', HTTP_PROXY: 'http://127.0.0.1:9' };
const SOCKS = { npm_command: 'exec', HTTP_PROXY: 'socks5://secret-host:1080' };
const INSECURE = {
  kind: 'millforge_config',
  schema_version: '1.0',
  profiles: [
    {
      profile_id: 'test.model',
      base_url: 'http://models.invalid:9/v1',
      model: 'm',
      allow_insecure_http: true,
      max_retries: 0,
    },
  ],
};

/** A folder whose user has a server behind a proxy that does not run, and a run that waits for it. */
async function interrupted() {
  const { cwd, argv } = layOut();
  mkdirSync(join(cwd, '.config', 'millforge'), { recursive: true });
  writeFileSync(join(cwd, '.config', 'millforge', 'config.json'), JSON.stringify(INSECURE));
  const rest = argv.filter((word, at) => word !== '--model' && argv[at - 1] !== '--model');
  const json = [...rest, '--proxy', 'environment', '--json'];
  const end = await runCli(json, { cwd, env: NO_PROXY });
  expect(lastJson(end)).toMatchObject({ failure_class: 'model_unavailable' });
  return { cwd, argv: ['resume', String(lastJson(end)['run_id']), '--data', 'data'] };
}

test('what a model that was not reached is gone on with says that it keeps the way to it', async () => {
  const { cwd, argv } = layOut();
  const run = await runCli(argv, { cwd });
  const anew =
    /go on with: .* resume .*\n {2}That asks the same model .* kept\. To correct one of them, start a new run\.\n/;
  expect([run.code, run.stdout]).toEqual([1, expect.stringMatching(anew)]);
});

test('a run that goes on says which proxy the environment names, and that it names none', async () => {
  const { cwd, argv } = await interrupted();
  const through = await runCli(argv, { cwd, env: NO_PROXY });
  expect(through.stderr).toContain('Requests go through the proxy 127.0.0.1:9 (HTTP_PROXY).');
  const without = await runCli(argv, { cwd });
  expect(without.stderr).toContain('The environment names no proxy for the model server.');
  const socks = await runCli(argv, { cwd, env: SOCKS });
  expect([socks.code, socks.stderr]).toEqual([64, expect.stringMatching(/SOCKS.*Set it to one/)]);
});

test('a SOCKS proxy of the environment that nobody named is not offered', async () => {
  const { cwd, argv } = layOut();
  mkdirSync(join(cwd, '.config', 'millforge'), { recursive: true });
  writeFileSync(join(cwd, '.config', 'millforge', 'config.json'), JSON.stringify(INSECURE));
  const { stderr } = await runCli(overriding(argv, ['--model', 'test.model']), { cwd, env: SOCKS });
  expect(stderr).toContain('of a kind that cannot be, such as SOCKS');
  expect(stderr).not.toContain('--proxy environment');
});

test('a proxy with a user name in a flag is refused with the way that takes it', async () => {
  const { cwd, argv } = layOut(ELSEWHERE);
  const end = await runCli([...argv, '--proxy', 'http://ann:pass-word@127.0.0.1:9'], { cwd });
  expect([end.code, end.stderr]).toEqual([64, expect.stringMatching(/environment for the one in/)]);
  expect(end.stderr).not.toContain('pass-word');
});

test('a key variable of the environment without a model is not dropped for the server of a flag', async () => {
  await using server = await startScriptedServer({ replies: WRITE_AND_FINISH });
  const { cwd, argv } = layOut(`${server.url}#m`);
  const env = { MILLFORGE_API_KEY_ENV: 'K', K: 'secret-key' };
  const end = await runCli(argv, { cwd, env });
  expect([end.code, end.stderr]).toEqual([
    64,
    expect.stringContaining('from the environment but the model from a flag'),
  ]);
  expect(server.requests).toEqual([]);
  const withModel = { ...env, MILLFORGE_MODEL: 'http://127.0.0.1:9/v1#other' };
  expect((await runCli(argv, { cwd, env: withModel })).code).toBe(0);
});

test('a review refuses the script that only the configuration names', async () => {
  const cwd = testFolder();
  expect((await runCli(['init', '.', '--data', 'data'], { cwd })).code).toBe(0);
  const end = await runCli(['review', '--tree', '--data', 'data'], { cwd });
  expect([end.code, end.stderr]).toEqual([64, expect.stringMatching(/script for a run.*--rules/)]);
});
