import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startScriptedServer } from '@millforge/models/testing';
import { expect, test } from 'vitest';
import { lastJson, overriding, runCli, testFolder } from './run-cli.ts';
import { GRANT_FLAGS, scriptText, testHarness, WRITE_AND_FINISH } from './test-harness.ts';

test.each([
  ['a server that is down', null, /connect|refused|reach/i],
  ['a 401', { kind: 'status', status: 401 }, /401/],
  ['HTML instead of JSON', { kind: 'html' }, /html/i],
] as const)('%s ends with 1, one sentence, and a run that can be resumed', async (...row) => {
  const [, fault, sentence] = row;
  const { cwd, argv } = layOut();
  await using server = await startScriptedServer({
    replies: WRITE_AND_FINISH,
    ...(fault === null ? {} : { faults: { 1: fault, 2: fault, 3: fault, 4: fault } }),
  });
  const url = fault === null ? 'http://127.0.0.1:1042/v1' : server.url;
  const end = await runCli([...argv, '--json', '--model', `${url}#m`], { cwd });
  expect(end.code).toBe(1);
  const result = lastJson(end);
  expect(result).toMatchObject({ status: 'failed', failure_class: 'model_unavailable' });
  expect(String(result['failure_message'])).toMatch(sentence);
  expect(end.stderr).not.toContain('    at ');

  if (fault === null) return;
  const again = await runCli(['resume', String(result['run_id']), '--data', 'data', '--json'], {
    cwd,
  });
  expect(lastJson(again)).toMatchObject(
    server.requestCount > 4 ? { status: 'success' } : { status: expect.any(String) },
  );
});

test('a model that never answers ends with 1 after its time limit, and can be resumed', async () => {
  const { cwd } = layOut();
  await using server = await startScriptedServer({
    replies: WRITE_AND_FINISH,
    faults: { 1: { kind: 'hang' }, 2: { kind: 'hang' }, 3: { kind: 'hang' } },
  });
  mkdirSync(join(cwd, '.config', 'millforge'), { recursive: true });
  writeFileSync(
    join(cwd, '.config', 'millforge', 'config.json'),
    JSON.stringify({
      kind: 'millforge_config',
      schema_version: '1.0',
      profiles: [
        {
          profile_id: 'test.model',
          base_url: server.url,
          model: 'm',
          timeout_seconds: 0.3,
          max_retries: 0,
        },
      ],
    }),
  );
  const argv = ['run', 'harness.yaml', '--task', 't', '--data', 'data', '--json', ...GRANT_FLAGS];
  const end = await runCli(argv, { cwd });
  expect(end.code).toBe(1);
  expect(lastJson(end)).toMatchObject({ failure_class: 'model_unavailable' });
});

test('a key is asked for by name, sent, and shown nowhere', async () => {
  const { cwd, argv } = layOut();
  const key = 'k-0123456789abcdefghij';
  await using server = await startScriptedServer({ replies: WRITE_AND_FINISH });
  const flags = ['--model', `${server.url}#m`, '--api-key-env', 'TEST_KEY', '--json'];
  const without = await runCli([...argv, ...flags], { cwd });
  expect(without.code).toBe(64);
  expect(without.stderr).toContain('TEST_KEY is empty');

  const end = await runCli([...argv, ...flags], { cwd, env: { TEST_KEY: key } });
  expect(end.code).toBe(0);
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${key}`);
  expect(end.stdout + end.stderr).not.toContain(key);
  for (const file of filesBelow(join(cwd, 'data'))) {
    expect(readFileSync(file, 'latin1').includes(key), file).toBe(false);
  }
});

test('a workspace that is not there is refused before anything is written', async () => {
  const { cwd, argv } = layOut();
  const end = await runCli([...argv, '--workspace', 'nowhere', '--model', 'scripted:script.json'], {
    cwd,
  });
  expect(end.code).toBe(64);
  expect(end.stderr).toContain('is not a directory');
  expect(readdirSync(cwd)).not.toContain('data');
});

test('a data directory that cannot be made ends with 1 and one sentence', async () => {
  const { cwd, argv } = layOut();
  writeFileSync(join(cwd, 'file'), '');
  const end = await runCli(
    overriding(argv, ['--data', 'file/below', '--model', 'scripted:script.json']),
    {
      cwd,
    },
  );
  expect(end.code).toBe(1);
  expect(end.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(end.stderr).toContain('file');
});

test('a trail file that is not a database ends with 1, and is left as it was', async () => {
  const { cwd, argv } = layOut();
  mkdirSync(join(cwd, 'data'), { mode: 0o700 });
  const text = 'these are my notes, not a database\n'.repeat(300);
  writeFileSync(join(cwd, 'data', 'trail.db'), text);
  const before = statSync(join(cwd, 'data', 'trail.db')).mtimeMs;
  for (const command of [
    [...argv, '--model', 'scripted:script.json'],
    ['runs', '--data', 'data'],
  ]) {
    const end = await runCli(command, { cwd });
    expect(end.code).toBe(1);
    expect(end.stderr).toContain('trail.db');
    expect(end.stderr.trimEnd().split('\n')).toHaveLength(1);
  }
  expect(readFileSync(join(cwd, 'data', 'trail.db'), 'utf8')).toBe(text);
  expect(statSync(join(cwd, 'data', 'trail.db')).mtimeMs).toBe(before);
});

test.each([
  ['is not JSON', '{', 'not valid JSON'],
  ['is no script', '{"kind":"x","schema_version":"1.0","replies":[]}', '/kind'],
])('a model script that %s is refused: 65', async (_name, text, where) => {
  const { cwd, argv } = layOut();
  writeFileSync(join(cwd, 'script.json'), text);
  const end = await runCli([...argv, '--model', 'scripted:script.json'], { cwd });
  expect(end.code).toBe(65);
  expect(end.stderr).toContain(where);
});

test('a run that is not there is refused, and so is a trail that is not: 64', async () => {
  const { cwd, argv: run } = layOut();
  await runCli([...run, '--model', 'scripted:script.json'], { cwd });
  for (const argv of [
    ['resume', 'run_x'],
    ['runs', 'run_x'],
    ['trail', 'show', 'run_x'],
  ]) {
    const end = await runCli([...argv, '--data', 'data'], { cwd });
    expect(end.code, argv.join(' ')).toBe(64);
    expect(end.stderr).toContain('run_x');
    const nowhere = await runCli([...argv, '--data', 'nowhere'], { cwd });
    expect(nowhere.code, argv.join(' ')).toBe(64);
    expect(nowhere.stderr).toContain('There is no trail at');
  }
});

function layOut() {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), testHarness());
  writeFileSync(join(cwd, 'script.json'), scriptText(WRITE_AND_FINISH));
  const argv = ['run', 'harness.yaml', '--task', 'Make out.txt.', '--data', 'data', ...GRANT_FLAGS];
  return { cwd, argv };
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => statSync(file).isFile());
}
