import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli, testFolder } from './run-cli.ts';
import { scriptText } from './test-harness.ts';

const GUIDE = readFileSync(
  join(import.meta.dirname, '../../../../docs/guides/publish-what-was-made.md'),
  'utf8',
);

test('what the guide of publishing says, from init on, pushes the commit that a run named', async () => {
  const cwd = testFolder();
  const { git, commit } = repositories(cwd);
  await runCli(['init', 'agent', '--data', 'data'], { cwd });
  const project = join(cwd, 'agent');
  writeFileSync(join(project, 'release.yaml'), blockOf('yaml', 'kind: millforge_harness'));
  const [form = ''] = /\{"kind":"git_update".*\}/.exec(blockOf('yaml', 'git_update')) ?? [];
  const change = form.replace('COMMIT', commit);
  expect(JSON.parse(blockOf('json', 'git_update').replace('NEW_COMMIT', commit))).toEqual(
    JSON.parse(change),
  );
  writeFileSync(join(project, 'script.json'), scriptText(repliesOf(change)));
  const names: Record<string, string> = {
    NEW_COMMIT: commit,
    'URL#MODEL': 'scripted:script.json',
    REMOTE: '../remote.git',
    CHECKOUT: '../work',
  };
  const said: string[] = [];
  for (const line of blockOf('sh', 'publish dispatch').trim().split('\n')) {
    const filled = Object.entries(names).reduce(
      (text, [from, to]) => text.replaceAll(from, to),
      line,
    );
    const { code, stdout, stderr } = await runCli(wordsOf(filled), {
      cwd: project,
      env: { PATH: process.env['PATH'] },
    });
    expect([line, code, code === 0 ? '' : stderr]).toEqual([line, 0, '']);
    said.push(stdout);
    names['RUN'] ??= /run_\w+/.exec(stdout)?.[0] ?? '';
    const intent = /^ {2}intent +([0-9a-f]{64})$/m.exec(stdout)?.[1];
    if (intent !== undefined) names['SHA256'] = intent;
  }
  expect(said.at(-1)).toContain(`publication-1 of ${names['RUN']}: accepted`);
  expect(git('-C', '../remote.git', 'rev-parse', 'refs/heads/release')).toBe(commit);
});

test('a file in the workspace is no payload, and the refusal says what makes one', async () => {
  const cwd = testFolder();
  await runCli(['init', 'agent', '--data', 'data'], { cwd });
  const at = { cwd: join(cwd, 'agent') };
  const data = ['--data', '../data'];
  const ran = await runCli(['run', 'harness.yaml', '--task', 'Greet.', ...data], at);
  const [runId = ''] = /run_\w+/.exec(ran.stdout) ?? [];
  const what = ['--payload', '@greeting.txt', '--policy', 'p', '--revision', 'r', ...data];
  const end = await runCli(['publish', 'intend', runId, '--to', 'local:box', ...what], at);
  expect([end.code, end.stderr]).toEqual([
    64,
    expect.stringMatching(
      /none of its artifacts; .*workspace is none of them.*builtin\.artifact\.write_/,
    ),
  ]);
  expect(end.stderr.trimEnd().split('\n')).toHaveLength(1);
});

/** The one block of the guide in a language that holds a text. */
function blockOf(language: string, holds: string): string {
  const found = [...GUIDE.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(
    ([, name, text = '']) => name === language && text.includes(holds),
  );
  expect(found).toHaveLength(1);
  return found[0]?.[2] ?? '';
}

/** The words of a command of the guide, behind the name of the program. */
function wordsOf(line: string): readonly string[] {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
  expect(words.slice(0, 2)).toEqual(['npx', 'millforge']);
  return words.slice(2);
}

/** What a model that does as the harness says replies. */
function repliesOf(change: string): readonly object[] {
  const end = { terminal_result: 'COMPLETE', summary: 'The commit is named.' };
  return [
    { tool_calls: [{ name: 'write_plan_artifact', arguments: { plan: change } }] },
    { tool_calls: [{ name: 'submit', arguments: end }] },
  ];
}

function repositories(cwd: string) {
  mkdirSync(join(cwd, 'work'));
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: join(cwd, 'work'), env: ANN, encoding: 'utf8' }).trim();
  git('init', '-q', '-b', 'main');
  git('init', '-q', '--bare', '../remote.git');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  return { git, commit: git('rev-parse', 'HEAD') };
}

const ANN = {
  PATH: process.env['PATH'],
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@host',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@host',
};
