import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lastJson, overriding, runCli, testFolder } from './run-cli.ts';
import {
  GRANT_FLAGS,
  PROFILES,
  scriptText,
  testHarness,
  WRITE_AND_FINISH,
} from './test-harness.ts';

test('everything that is kept belongs to its owner only', async () => {
  const { cwd, argv } = layOut();
  expect((await runCli(['init', 'agent', '--data', 'data'], { cwd })).code).toBe(0);
  const compiled = ['compile', 'harness.yaml', '--data', 'data', '--profiles', 'profiles.json'];
  expect((await runCli([...compiled, ...GRANT_FLAGS], { cwd })).code).toBe(0);
  expect((await runCli(argv, { cwd })).code).toBe(0);
  const modes = modesBelow(join(cwd, 'data'));
  expect(modes.filter(({ isRight }) => !isRight)).toEqual([]);
  const kept = modes.map(({ path }) => path.replace(/run_\w+/, 'RUN'));
  expect(kept).toEqual(
    expect.arrayContaining([
      'trail.db',
      'trust.json',
      'plans',
      'artifacts',
      'runs/RUN/events.jsonl',
      'runs/RUN/tool_trace.jsonl',
      'runs/RUN/terminal_result.json',
      'runs/RUN/run_evidence.json',
    ]),
  );
});

test.each<[string, readonly string[], number]>([
  ['without a grant', ['--model', 'scripted:script.json'], 65],
  [
    'in no workspace',
    ['--model', 'scripted:script.json', '--workspace', 'none', ...GRANT_FLAGS],
    64,
  ],
  ['with a model that is not there', ['--model', 'scripted:none.json', ...GRANT_FLAGS], 64],
  ['with a model that is none', ['--model', 'scripted:profiles.json', ...GRANT_FLAGS], 65],
  ['with a wrong server', ['--model', 'ftp://127.0.0.1/v1#m', ...GRANT_FLAGS], 64],
  ['with a profile that is not configured', ['--model', 'no.profile', ...GRANT_FLAGS], 64],
  ['without a model', GRANT_FLAGS, 64],
  [
    'without the key',
    ['--model', 'http://127.0.0.1:9/v1#m', '--api-key-env', 'NO_KEY', ...GRANT_FLAGS],
    64,
  ],
])('a run that is refused %s leaves nothing behind', async (_name, flags, code) => {
  const { cwd } = layOut();
  const before = readdirSync(cwd, { recursive: true });
  const argv = ['run', 'harness.yaml', '--task', 't', '--data', 'data', ...flags];
  const end = await runCli(argv, { cwd });
  expect(end.code).toBe(code);
  expect(readdirSync(cwd, { recursive: true })).toEqual(before);
});

test('looking for runs where there are none makes no data directory', async () => {
  const { cwd } = layOut();
  const { stdout } = await runCli(['runs'], { cwd });
  expect(stdout).toBe('No run has been made here yet.\n');
  for (const [argv, code] of [
    [['runs'], 64],
    [['runs', 'run_x'], 64],
    [['resume', 'run_x'], 64],
    [['trail', 'show', 'run_x'], 64],
    [['trail', 'verify'], 64],
    [['trail', 'import', 'none.jsonl'], 64],
  ] as const) {
    const end = await runCli([...argv, '--data', 'data'], { cwd });
    expect(end.code, argv.join(' ')).toBe(code);
    expect(end.stderr).toMatch(/There is no (?:trail|export) at /);
  }
  expect(existsSync(join(cwd, 'data'))).toBe(false);
});

test('a workspace that is read-only is a failure that the model reads, never a crash', async () => {
  const { cwd, argv } = layOut([
    { tool_calls: [{ name: 'write', arguments: { path: 'out.txt', content: 'x' } }] },
    { tool_calls: [block('I may not write here.')] },
  ]);
  const workspace = join(cwd, 'workspace');
  mkdirSync(workspace);
  chmodSync(workspace, 0o555);
  await asOrdinaryUser(cwd, async () => {
    const end = await runCli([...argv, '--workspace', 'workspace', '--json'], { cwd });
    expect(end.code).toBe(2);
    const ended = end.stdout
      .split('\n')
      .filter((line) => line.includes('"call-ended"'))
      .map((line) => JSON.parse(line));
    expect(ended[0]).toMatchObject({ tool: 'write', error_code: 'permission_denied' });
    expect(ended[0].text).toMatch(/^[^\n]+$/);
    expect(ended[0].text).not.toContain('    at ');
  });
});

test('a folder where the trail belongs is named, and another data directory advised', async () => {
  const { cwd, argv } = layOut();
  mkdirSync(join(cwd, 'data', 'trail.db'), { recursive: true });
  for (const command of [argv, ['runs', '--data', 'data'], ['trail', 'verify', '--data', 'data']]) {
    const { code, stderr } = await runCli(command, { cwd });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/trail\.db is a folder, .*--data/)]);
    expect(stderr).not.toContain('trail.db/trail.db');
  }
});

test('what is no export makes no trail', async () => {
  const { cwd } = layOut();
  writeFileSync(join(cwd, 'empty.jsonl'), '');
  for (const file of ['script.json', 'harness.yaml', 'empty.jsonl']) {
    const end = await runCli(['trail', 'import', file, '--data', 'data'], { cwd });
    expect([end.code, end.stderr]).toEqual([65, expect.stringContaining('no trail_export 1.0')]);
  }
  expect(existsSync(join(cwd, 'data'))).toBe(false);
});

test('a data directory of somebody else is no empty one', async () => {
  const { cwd, argv } = layOut();
  expect((await runCli(argv, { cwd })).code).toBe(0);
  const data = join(cwd, 'data');
  chmodSync(data, 0o000);
  onTestFinished(() => chmodSync(data, 0o700));
  await asOrdinaryUser(cwd, async () => {
    for (const looked of [['runs'], ['runs', 'run_1'], ['trail', 'verify'], ['publish', 'list']]) {
      const { code, stdout, stderr } = await runCli([...looked, '--data', data], { cwd });
      expect([looked, code, stdout, stderr]).toEqual([
        looked,
        1,
        '',
        `millforge: Whether there is a trail at ${data}/trail.db cannot be told (EACCES); make its directory accessible to you, or name another one with --data.\n`,
      ]);
    }
    const doctor = await runCli(['doctor', '--data', data], { cwd });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/^wrong +data directory +.* is not accessible to you; .*\.$/m);
    expect(doctor.stdout).toMatch(/^wrong +trail +Whether there is .* \(EACCES\); .*\.$/m);
  });
});

test('advice names the data directory that the command was given', async () => {
  const { cwd, argv } = layOut();
  const server = ['--model', 'http://127.0.0.1:1042/v1#m'];
  const end = await runCli(overriding(argv, server), { cwd });
  expect(end.code).toBe(1);
  const [, command = ''] = /go on with: millforge (.+)/.exec(end.stdout) ?? [];
  expect(command).toMatch(/^resume run_\w+ --data data$/);
  expect((await runCli(command.split(' '), { cwd })).code).toBe(1);
});

test('advice for what is not there names the data directory that was looked in', async () => {
  const { cwd, argv } = layOut();
  const end = await runCli([...argv, '--json'], { cwd });
  const { run_id: runId } = lastJson(end);
  for (const [command, advice] of [
    ['resume run_x', 'runs'],
    ['trail show run_x', 'runs'],
    ['review --resume run_x', 'runs'],
    ['publish list run_x', 'runs'],
    [`publish revoke ${String(runId)} --reason r`, 'publish intend'],
  ] as const) {
    const { code, stderr } = await runCli([...command.split(' '), '--data', 'data'], { cwd });
    expect([code, stderr]).toEqual([
      64,
      expect.stringContaining(`'millforge ${advice} --data data'`),
    ]);
  }
});

test('advice names the data directory of a project that is not the current one', async () => {
  const { cwd } = layOut();
  const project = join(cwd, 'project');
  mkdirSync(join(project, '.millforge'), { recursive: true });
  writeFileSync(join(project, 'harness.yaml'), testHarness());
  writeFileSync(
    join(project, '.millforge', 'config.json'),
    JSON.stringify({ kind: 'millforge_config', schema_version: '1.0', data: 'kept' }),
  );
  const argv = ['run', 'project/harness.yaml', '--task', 't', '--trust-project'];
  const server = ['--model', 'http://127.0.0.1:1042/v1#m', ...GRANT_FLAGS];
  const end = await runCli([...argv, ...server], { cwd });
  const [, command = ''] = /go on with: millforge (.+)/.exec(end.stdout) ?? [];
  expect(command).toContain(`--data ${join(project, 'kept')}`);
  expect((await runCli(command.split(' '), { cwd })).code).toBe(1);
});

test('without advice to give, a run in the usual place is named without --data', async () => {
  const { cwd } = layOut();
  const argv = ['run', 'harness.yaml', '--task', 't', '--model', 'http://127.0.0.1:1042/v1#m'];
  const end = await runCli([...argv, ...GRANT_FLAGS], { cwd });
  expect(end.stdout).toMatch(/go on with: millforge resume run_\w+\n/);
  expect(readdirSync(join(cwd, '.local', 'state', 'millforge'))).toContain('trail.db');
});

test('a trust record that cannot be written is one sentence: 1', async () => {
  const { cwd } = layOut();
  mkdirSync(join(cwd, '.millforge'));
  writeFileSync(
    join(cwd, '.millforge', 'config.json'),
    JSON.stringify({ kind: 'millforge_config', schema_version: '1.0' }),
  );
  const end = await runCli(['trust', '--data', 'script.json'], { cwd });
  expect(end.code).toBe(1);
  expect(end.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(end.stderr).toContain('cannot be recorded');
});

test('a project that cannot be written is written not at all', async () => {
  const { cwd } = layOut();
  mkdirSync(join(cwd, 'agent'));
  writeFileSync(join(cwd, 'agent', 'example'), 'a file in the way');
  const end = await runCli(['init', 'agent', '--data', 'data'], { cwd });
  expect(end.code).toBe(64);
  expect(readdirSync(join(cwd, 'agent'))).toEqual(['example']);
  expect(readFileSync(join(cwd, 'agent', 'example'), 'utf8')).toBe('a file in the way');
});

/** Runs as nobody when the tests run as root, whom no permission stops. */
async function asOrdinaryUser(folder: string, act: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return act();
  for (const path of [folder, ...readdirSync(folder).map((name) => join(folder, name))]) {
    chownSync(path, NOBODY, NOBODY);
  }
  process.seteuid?.(NOBODY);
  onTestFinished(() => {
    process.seteuid?.(0);
  });
  await act();
}

function modesBelow(folder: string) {
  return [
    folder,
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  ].map((path) => {
    const stats = statSync(path);
    const mode = stats.mode & 0o777;
    return {
      path: relative(folder, path),
      mode: mode.toString(8),
      isRight: mode === (stats.isDirectory() ? 0o700 : 0o600),
    };
  });
}

function block(summary: string) {
  return { name: 'block', arguments: { terminal_result: 'BLOCKED', summary } };
}

function layOut(replies: readonly object[] = WRITE_AND_FINISH) {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), testHarness());
  writeFileSync(join(cwd, 'profiles.json'), PROFILES);
  writeFileSync(join(cwd, 'script.json'), scriptText(replies));
  const flags = ['--task', 'Make out.txt.', '--data', 'data', '--model', 'scripted:script.json'];
  return { cwd, argv: ['run', 'harness.yaml', ...flags, ...GRANT_FLAGS] };
}

const NOBODY = 65_534;
