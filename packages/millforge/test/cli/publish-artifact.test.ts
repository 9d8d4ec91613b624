import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lastJson, runCli, testFolder } from './run-cli.ts';
import { scriptText, testHarness } from './test-harness.ts';

const NODES = `    summarise:
      tool_ref: builtin.artifact.write_patch_summary@1
      produces: ["patch_summary"]
    done:
      tool_ref: builtin.terminal.submit@1
      terminal_result: MENDED
      prerequisites:
        - node_id: summarise
`;
const ARTIFACTS = `  declared_artifact_ids: ["patch_summary"]
  required_by_terminal:
    MENDED: ["patch_summary"]
`;
const REPLIES = [
  {
    tool_calls: [
      {
        name: 'write_patch_summary_artifact',
        arguments: { summary: 'Adds instead of taking away.' },
      },
    ],
  },
  {
    tool_calls: [
      {
        name: 'submit_terminal_intent',
        arguments: { terminal_result: 'MENDED', summary: 'The sum is right.' },
      },
    ],
  },
];

test('what a tool of a run wrote as an artifact is published, byte for byte', async () => {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), testHarness({ nodes: NODES, top: ARTIFACTS }));
  writeFileSync(join(cwd, 'script.json'), scriptText(REPLIES));
  const grants = ['--grant', 'artifact.write', '--grant', 'terminal.intent'];
  const from = ['run', 'harness.yaml', '--task', 'Sum up.', '--model', 'scripted:script.json'];
  const ran = await runCli([...from, ...grants, '--data', 'data', '--json'], { cwd });
  expect([ran.code, ran.stderr]).toEqual([0, expect.any(String)]);
  const runId = String(lastJson(ran)['run_id']);
  const folder = join('data', 'runs', runId);
  const [name = ''] = readdirSync(join(cwd, folder)).filter((file) =>
    file.startsWith('patch_summary'),
  );
  const publish = (verb: string, ...more: readonly string[]) =>
    runCli(['publish', verb, runId, ...more, '--data', 'data'], { cwd });
  const what = ['--payload', `@${join(folder, name)}`, '--policy', 'release', '--revision', 'v1'];
  const pushed = await publish('intend', '--to', 'git:x#refs/heads/a', ...what);
  expect([pushed.code, pushed.stderr]).toEqual([
    64,
    expect.stringMatching(/the payload is no .*--payload @FILE\.\n$/),
  ]);
  expect((await publish('list')).stdout).toContain('Nothing is to be published');
  const intended = await publish('intend', '--to', 'local:box', ...what);
  expect([intended.code, intended.stderr]).toEqual([0, '']);
  const [, digest = ''] = /intent +([0-9a-f]{64})/.exec(intended.stdout) ?? [];
  await publish('approve', '--intent', digest, '--reason', 'I read it.');
  const sent = await publish('dispatch');
  expect([sent.code, sent.stderr]).toEqual([0, '']);
  const [payload = ''] = readdirSync(join(cwd, 'box', 'payloads'));
  const published = readFileSync(join(cwd, 'box', 'payloads', payload));
  expect(published.equals(readFileSync(join(cwd, folder, name)))).toBe(true);
  expect(published.toString()).toContain('Adds instead of taking away.');
  const verified = await runCli(['trail', 'verify', runId, '--data', 'data'], { cwd });
  expect(verified.code).toBe(0);
});

test('the report of a review is published by what the review prints, or by its digest in the trail', async () => {
  const cwd = testFolder();
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', cwd, ...args], { env: ANN });
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  writeFileSync(join(cwd, 'a.js'), 'eval(text);\n');
  git('add', 'a.js');
  git('commit', '-q', '-m', 'second');
  const data = ['--data', 'data'];
  const reviewed = await runCli(['review', '--rules', '--json', ...data], { cwd });
  const reviewId = String(lastJson(reviewed)['review_id']);
  const { stdout: report } = await runCli(['review', '--resume', reviewId, ...data], { cwd });
  writeFileSync(join(cwd, 'review.md'), report);
  const { stdout: trail } = await runCli(['trail', 'show', reviewId, ...data], { cwd });
  const [, digest = ''] = /"text\/markdown","sha256":"([0-9a-f]{64})"/.exec(trail) ?? [];
  const [, sarif = ''] = /"application\/sarif\+json","sha256":"([0-9a-f]{64})"/.exec(trail) ?? [];
  for (const [payload, type] of [
    ['@review.md', 'text/markdown'],
    [digest, 'text/markdown'],
    [sarif, 'application/sarif+json'],
  ] as const) {
    const what = ['--payload', payload, '--policy', 'reviews', '--revision', 'second', ...data];
    const end = await runCli(['publish', 'intend', reviewId, '--to', 'local:box', ...what], {
      cwd,
    });
    expect([end.code, end.stdout]).toEqual([0, expect.stringContaining(type)]);
    if (type === 'text/markdown') expect(end.stdout).toContain(digest);
  }
});

const ANN = {
  PATH: process.env['PATH'],
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@host',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@host',
};
