import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startScriptedServer } from '@millforge/models/testing';
import { expect, onTestFinished, test } from 'vitest';
import { allJson, lastJson, runCli, testFolder } from './run-cli.ts';

function git(cwd: string, ...args: readonly string[]): string {
  const env = {
    PATH: process.env['PATH'],
    HOME: cwd,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ann',
    GIT_AUTHOR_EMAIL: 'ann@host',
    GIT_COMMITTER_NAME: 'Ann',
    GIT_COMMITTER_EMAIL: 'ann@host',
  };
  return execFileSync('git', ['-C', cwd, ...args], { encoding: 'utf8', env }).trim();
}

/** A repository with one commit of two files. */
function repository(): string {
  const cwd = testFolder();
  git(cwd, 'init', '-q', '-b', 'main');
  writeFileSync(join(cwd, 'sum.ts'), 'export const sum = (a, b) =>\n  a - b;\n');
  mkdirSync(join(cwd, 'lib'));
  writeFileSync(join(cwd, 'lib/run.ts'), 'eval(input);\n');
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-q', '-m', 'first');
  return cwd;
}

const FINDING = {
  path: 'sum.ts',
  start_line: 2,
  end_line: 2,
  quote: '  a - b;',
  claim: 'It subtracts.',
  severity: 'high',
};

/** A scripted server, closed when the test ends. */
async function server(content: string) {
  const started = await startScriptedServer({ replies: [{ content }] });
  onTestFinished(() => started.close());
  return started;
}

test('reviews with the rules that ship where no model is named, and says so', async () => {
  const cwd = repository();
  const end = await runCli(['review', '--data', 'data'], { cwd });
  expect(end.code).toBe(0);
  expect(end.stdout).toContain('**Complete**');
  expect(end.stdout).toContain('### medium: `lib/run.ts:1`');
  expect(end.stdout).toContain('*claimed by a script, no model looked* Text is run as code.');
  expect(end.stderr).toContain('security proposed 1 finding');
  expect(end.stderr).toMatch(/^No model is named, so only the few rules that ship look; --model/);
});

test('proves the quotes of a model, and ends with 3 when something is missing', async () => {
  const cwd = repository();
  const findings = [FINDING, { ...FINDING, quote: '  a + b;' }];
  const { url, requests } = await server(JSON.stringify({ findings, skipped: [] }));
  const model = ['--model', `${url}#test`];
  const argv = ['review', ...model, '--role', 'correctness', '--data', 'data', '--json'];
  const end = await runCli(argv, { cwd });
  expect(end.code).toBe(3);
  expect(allJson(end).map(({ type, kind }) => type ?? kind)).toEqual([
    'review-started',
    'role-started',
    'role-ended',
    'review_result',
  ]);
  expect(lastJson(end)).toMatchObject({
    status: 'partial',
    failure_class: null,
    report: {
      revision: `git:${git(cwd, 'rev-parse', 'HEAD')}`,
      findings: [{ origin: 'model', quote: '  a - b;', verdict: 'accepted' }],
      rejected: [{ reason: 'quote-differs' }],
      gaps: [{ type: 'finding-rejected' }],
    },
  });
  expect(requests).toHaveLength(1);
  expect(requests[0]?.text).toContain('    2 |   a - b;');
});

test('looks at what was asked for only', async () => {
  const cwd = repository();
  writeFileSync(join(cwd, 'lib/new.ts'), 'eval(more);\n');
  writeFileSync(join(cwd, 'other.ts'), 'eval(other);\n');
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-q', '-m', 'second');
  const scope = ['--since', 'HEAD~1', '--path', 'lib', '--path', './gone/'];
  const end = await runCli(['review', 'main', ...scope, '--data', 'data', '--format', 'json'], {
    cwd,
  });
  expect(end.code).toBe(3);
  expect(JSON.parse(end.stdout)).toMatchObject({
    files: [{ path: 'lib/new.ts' }],
    gaps: [{ type: 'path-not-captured', path: 'gone', reason: 'not-in-revision' }],
  });
});

test('reviews the folder as it stands', async () => {
  const cwd = repository();
  writeFileSync(join(cwd, 'sum.ts'), 'eval(changed);\n');
  const argv = [
    'review',
    '--tree',
    '--path',
    'sum.ts',
    '--data',
    join(testFolder(), 'data'),
    '--format',
    'json',
  ];
  const end = await runCli(argv, { cwd });
  expect(JSON.parse(end.stdout)).toMatchObject({
    revision: expect.stringMatching(/^tree:[0-9a-f]{64}$/),
    findings: [{ quote: 'eval(changed);' }],
  });
});

test('writes the report as SARIF', async () => {
  const end = await runCli(['review', '--data', 'data', '--format', 'sarif'], {
    cwd: repository(),
  });
  expect(JSON.parse(end.stdout)).toMatchObject({
    version: '2.1.0',
    runs: [{ results: [{ ruleId: 'review/security', level: 'warning' }] }],
  });
});

test('marks replies that were written beforehand as scripted', async () => {
  const cwd = repository();
  const replies = [{ content: JSON.stringify({ findings: [FINDING], skipped: [] }) }];
  const script = { kind: 'model_script', schema_version: '1.0', replies };
  writeFileSync(join(cwd, 'script.json'), JSON.stringify(script));
  const argv = ['review', '--role', 'tests', '--model', 'scripted:script.json', '--data', 'data'];
  const end = await runCli([...argv, '--format', 'json'], { cwd });
  expect(JSON.parse(end.stdout)).toMatchObject({ findings: [{ origin: 'scripted' }] });
});

test('waits for a server that is away, names the way on, and needs the repository no more', async () => {
  const cwd = repository();
  const work = join(cwd, 'work');
  git(cwd, 'clone', '-q', cwd, work);
  const away = await server(JSON.stringify({ findings: [], skipped: [] }));
  const port = Number(new URL(away.url).port);
  await away.close();
  const argv = ['review', '--workspace', 'work', '--role', 'tests', '--data', 'data'];
  const first = await runCli([...argv, '--model', `${away.url}#test`], { cwd });
  expect(first.code).toBe(1);
  const [, reviewId = ''] = /millforge review --resume (\S+) --data/.exec(first.stderr) ?? [];
  expect(reviewId).not.toBe('');

  rmSync(work, { recursive: true });
  const content = JSON.stringify({ findings: [FINDING], skipped: [] });
  const back = await startScriptedServer({ replies: [{ content }], port });
  onTestFinished(() => back.close());
  const resume = ['review', '--resume', reviewId, '--data', 'data', '--format', 'json'];
  const second = await runCli(resume, { cwd });
  expect(second.code).toBe(0);
  expect(JSON.parse(second.stdout)).toMatchObject({ findings: [{ quote: '  a - b;' }] });
  const third = await runCli(resume, { cwd });
  expect(third.stdout).toBe(second.stdout);
  expect(back.requestCount).toBe(1);
});

test('Ctrl-C suspends a review that waits for a silent model at once, and the way on is named', async () => {
  const cwd = repository();
  const content = JSON.stringify({ findings: [FINDING], skipped: [] });
  const hanging = await startScriptedServer({
    replies: [{ content }],
    faults: { 1: { kind: 'hang' } },
  });
  onTestFinished(() => hanging.close());
  const presses: (() => void)[] = [];
  const running = runCli(
    ['review', '--role', 'tests', '--model', `${hanging.url}#test`, '--data', 'data'],
    {
      cwd,
      onStart(press) {
        presses.push(press);
      },
    },
  );
  await hanging.arrived(1);
  presses[0]?.();
  const end = await running;
  expect(end.code).toBe(130);
  expect(end.stdout).toBe('');
  const [, reviewId = ''] = /millforge review --resume (\S+) --data/.exec(end.stderr) ?? [];
  const resumed = await runCli(['review', '--resume', reviewId, '--data', 'data'], { cwd });
  expect(resumed.code).toBe(0);
  expect(hanging.requestCount).toBe(2);
});

test('does not use the model that a repository names for itself', async () => {
  const cwd = repository();
  const { url, requestCount } = await server('{}');
  mkdirSync(join(cwd, '.millforge'));
  const config = { kind: 'millforge_config', schema_version: '1.0', model: `${url}#test` };
  writeFileSync(join(cwd, '.millforge/config.json'), JSON.stringify(config));
  const end = await runCli(['review', '--data', 'data'], { cwd });
  expect(end.stderr).toContain('is not used, nobody has accepted it');
  expect(end.code).toBe(0);
  expect(requestCount).toBe(0);
});

test.each([
  ['a commit that is none', ['nothing', '--rules'], "no commit 'nothing' in "],
  ['an earlier commit that is none', ['--since', 'none', '--rules'], "no commit 'none' in "],
  ['a folder that is no repository', ['--workspace', '/', '--rules'], '(--tree)'],
  ['a role without rules', ['--role', 'style', '--rules'], 'style'],
  ['a path out of the tree', ['--path', '../x', '--rules'], '../x'],
  ['another form', ['--format', 'html'], "it was 'html'"],
  ['a folder and a commit', ['HEAD', '--tree'], '--tree'],
  ['two forms', ['--format', 'json', '--json'], '--json'],
  ['rules and a model', ['--rules', '--model', 'http://127.0.0.1:1/v1#x'], '--rules'],
  ['a resumed review with another scope', ['--resume', 'r', '--path', 'lib'], '--path'],
  ['a review that is not there', ['--resume', 'r'], ', and so no run r; '],
  ['a decision about nothing', ['--decide', 'approve', '--reason', 'x'], '--resume'],
  ['a decision without a reason', ['--resume', 'r', '--decide', 'approve'], '--reason'],
  ['another decision', ['--resume', 'r', '--decide', 'accept', '--reason', 'x'], 'approve, deny'],
])('refuses %s with one sentence, and leaves nothing behind', async (_what, argv, says) => {
  const cwd = repository();
  const end = await runCli(['review', ...argv, '--data', 'data'], { cwd });
  expect([end.code, end.stdout]).toEqual([64, '']);
  expect(end.stderr).toContain(says);
  expect(end.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(existsSync(join(cwd, 'data'))).toBe(false);
});

test.each([
  ['approve', 0, 'complete'],
  ['deny', 3, 'rejected'],
] as const)('waits for a person who signs off, and ends as they say: %s', async (...given) => {
  const [decision, code, status] = given;
  const cwd = repository();
  const data = ['--data', 'data'];
  const asked = await runCli(['review', '--sign-off', '--actor', 'bob', ...data], { cwd });
  expect(asked.code).toBe(7);
  expect(asked.stdout).toContain('**Complete**');
  const [, reviewId = ''] = /millforge review --resume (\S+) --data/.exec(asked.stderr) ?? [];
  const answer = ['--decide', decision, '--reason', 'Read it.', '--actor', 'ann'];
  const end = await runCli(['review', '--resume', reviewId, ...answer, ...data, '--json'], { cwd });
  expect(end.code).toBe(code);
  expect(lastJson(end)).toMatchObject({ status, report: { result: 'complete' } });
  const trail = await runCli(['trail', 'show', reviewId, ...data, '--json'], { cwd });
  expect(allJson(trail).find(({ type }) => type === 'hold-decided')).toMatchObject({
    actor: 'ann',
  });
});

test('the command that runs prints for a held review decides it; resume refuses before it decides', async () => {
  const cwd = repository();
  const data = ['--data', 'data'];
  const asked = await runCli(['review', '--sign-off', ...data, '--json'], { cwd });
  const id = String(lastJson(asked)['review_id']);
  const shown = await runCli(['runs', id, ...data], { cwd });
  const [, words = ''] =
    /decide +millforge (.*--decide approve --reason) TEXT/.exec(shown.stdout) ?? [];
  expect(words).toContain(`review --resume ${id} --data data --hold `);
  const wrong = await runCli(['resume', id, '--decide', 'deny', ...data], { cwd });
  expect([wrong.code, wrong.stderr]).toEqual([
    64,
    `millforge: ${id} is a review; go on with millforge review --resume ${id} --data data.\n`,
  ]);
  expect((await runCli([...words.split(' '), 'Read it.'], { cwd })).code).toBe(0);
  const ended = await runCli(['runs', id, ...data], { cwd });
  expect(ended.stdout).toMatch(/^success\n {2}review /);
});

test('shows a review among the runs, and tells how it is gone on with', async () => {
  const cwd = repository();
  const end = await runCli(['review', '--data', 'data', '--json'], { cwd });
  const id = String(lastJson(end)['review_id']);
  const list = await runCli(['runs', '--data', 'data'], { cwd });
  expect(list.stdout).toContain(id);
  const one = await runCli(['runs', id, '--data', 'data', '--json'], { cwd });
  expect([one.code, lastJson(one)]).toEqual([0, expect.objectContaining({ status: 'success' })]);
  const verified = await runCli(['trail', 'verify', id, '--data', 'data'], { cwd });
  expect(verified.code).toBe(0);
  const resumed = await runCli(['resume', id, '--data', 'data'], { cwd });
  expect([resumed.code, resumed.stderr]).toEqual([
    64,
    expect.stringContaining(`millforge review --resume ${id}`),
  ]);
});
