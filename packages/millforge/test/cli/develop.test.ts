import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMillforge, type MillforgeOptions } from 'millforge';
import { expect, test } from 'vitest';
import { developContract, MENDED } from '../integration/develop-sample.ts';
import {
  calling,
  developWorld,
  git,
  MENDING,
  type PhaseReplies,
  submitting,
} from '../integration/develop-world.ts';
import { allJson, type CliOptions, lastJson, runCli } from './run-cli.ts';

/** A repository, a contract beside it, and a command line whose model answers by phase. */
async function layOut(replies: PhaseReplies = MENDING, contract: object = developContract()) {
  const { folder, candidate, options } = await developWorld(replies);
  writeFileSync(join(folder, 'contract.json'), JSON.stringify(contract));
  const routed: Pick<MillforgeOptions, 'fetch'> =
    options.fetch === undefined ? {} : { fetch: options.fetch };
  const run = (more: readonly string[] = [], cli: Partial<CliOptions> = {}) =>
    runCli(
      [
        'develop',
        join(folder, 'contract.json'),
        '--checks',
        join(folder, 'checks'),
        '--data',
        join(folder, 'data'),
        '--model',
        'http://127.0.0.1:1/v1#scripted',
        ...more,
      ],
      {
        cwd: candidate,
        env: { PATH: process.env['PATH'] },
        createMillforge: (given) => createMillforge({ ...given, ...routed }),
        ...cli,
      },
    );
  return { folder, candidate, run };
}

test('develop prints the patch, its gaps and how to apply it', async () => {
  const { candidate, run } = await layOut();
  const end = await run();
  expect([end.code, end.stderr.includes('build, round 1')]).toEqual([0, true]);
  expect(end.stdout).toMatch(/^success: every criterion passed\n/);
  const command = /review it, then: git -C (\S+) apply (\S+)\n/.exec(end.stdout);
  expect(command?.[1]).toBe(candidate);
  // What has ended is told again, and nothing is done again.
  const again = await run();
  expect([again.code, again.stdout]).toEqual([0, end.stdout]);
  git(candidate, 'apply', command?.[2] ?? '');
  expect(readFileSync(join(candidate, 'src/sum.js'), 'utf8')).toBe(MENDED);
});

test('develop --json ends with the result, whose handoff names every verdict', async () => {
  const { run } = await layOut();
  const end = await run(['--json']);
  expect(allJson(end)[0]).toEqual({ type: 'development-started', goal_id: 'mend-sum' });
  expect(lastJson(end)).toMatchObject({
    kind: 'develop_result',
    status: 'success',
    handoff: { kind: 'develop_handoff', verdicts: [{ verify: 'pass', health: 'pass' }] },
  });
});

test('develop says 3 where a phase wrote where it may not, and names the path', async () => {
  const { run } = await layOut({
    build: [
      calling('write_workspace_file', { path: 'package.json', content: '{}' }),
      submitting('done'),
    ],
  });
  const end = await run();
  expect([end.code, end.stdout]).toEqual([
    3,
    expect.stringContaining('"package.json" was changed'),
  ]);
});

test('develop is suspended by Ctrl-C and goes on when it is given again', async () => {
  const { run } = await layOut();
  const interrupts: (() => void)[] = [];
  const stopped = await run([], {
    onStart: (interrupt) => interrupts.push(interrupt),
    onStderr(text) {
      if (text.includes('build, round 1')) interrupts.pop()?.();
    },
  });
  expect([stopped.code, stopped.stdout]).toEqual([
    130,
    expect.stringContaining('go on with: the same command again'),
  ]);
  expect((await run()).code).toBe(0);
});

test('develop tells every mistake of a contract, and begins nothing', async () => {
  const { run, folder } = await layOut(MENDING, {
    ...developContract({ rounds: 7 }),
    allowed_paths: ['../out'],
  });
  const end = await run();
  expect(end.code).toBe(65);
  expect(end.stderr).toContain('MF-K005 at /rounds: ');
  expect(end.stderr).toContain('MF-D011 at /allowed_paths/0: ');
  const resumed = await runCli(['runs', '--data', join(folder, 'data')], { cwd: folder });
  expect(resumed.stdout).not.toContain('mend-sum');
});

test('develop without a model, a contract or a folder is a usage error', async () => {
  const { run, folder } = await layOut();
  const alone = ['develop', join(folder, 'contract.json'), '--data', join(folder, 'data')];
  expect((await runCli(alone, { cwd: folder })).code).toBe(64);
  expect((await run(['--workspace', join(folder, 'nowhere')])).code).toBe(64);
  expect((await runCli(['develop', 'none.json'], { cwd: folder })).code).toBe(64);
});

test('resume says that a development goes on by its own command', async () => {
  const { run, folder } = await layOut();
  await run();
  const end = await runCli(['resume', 'mend-sum', '--data', join(folder, 'data')], { cwd: folder });
  expect([end.code, end.stderr]).toEqual([64, expect.stringContaining('is a development')]);
});
