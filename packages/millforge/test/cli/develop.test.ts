import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock, sequentialIds } from '@millforge/contracts/testing';
import { ALL_PERMISSIONS, openKernel } from '@millforge/kernel';
import { openDevelop, type PhaseWorker } from '@millforge/kernel/develop';
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
import { allJson, type CliOptions, lastJson, overriding, runCli } from './run-cli.ts';

/** A repository, a contract beside it, and a command line whose model answers by phase. */
async function layOut(replies: PhaseReplies = MENDING, contract: object = developContract()) {
  const { folder, candidate, options } = await developWorld(replies);
  writeFileSync(join(folder, 'contract.json'), JSON.stringify(contract));
  const routed: Pick<MillforgeOptions, 'fetch'> =
    options.fetch === undefined ? {} : { fetch: options.fetch };
  const run = (more: readonly string[] = [], cli: Partial<CliOptions> = {}) =>
    runCli(
      overriding(
        [
          'develop',
          join(folder, 'contract.json'),
          '--checks',
          join(folder, 'checks'),
          '--data',
          join(folder, 'data'),
          '--model',
          'http://127.0.0.1:1/v1#scripted',
        ],
        more,
      ),
      {
        cwd: candidate,
        env: { PATH: process.env['PATH'] },
        createMillforge: (given) => createMillforge({ ...given, ...routed }),
        ...cli,
      },
    );
  return { folder, candidate, run };
}

/** The development as a program with other workers admits it: what goes on here is not what was bound. */
async function admitElsewhere(folder: string, candidate: string): Promise<void> {
  const worker: PhaseWorker = {
    kind: 'model',
    name: 'other.worker',
    version: '1',
    parameters: null,
    run: async () => ({ summary: 'Done.' }),
  };
  mkdirSync(join(folder, 'data'));
  const path = join(folder, 'data', 'trail.db');
  await using kernel = await openKernel({ path, clock: manualClock(), ids: sequentialIds() });
  const scope = {
    tenant: 'local',
    resource: 'test',
    actor: 'ann@host',
    permissions: ALL_PERMISSIONS,
  };
  const develop = openDevelop({
    kernel,
    scope,
    directory: join(folder, 'elsewhere'),
    workers: { plan: worker, research: worker, build: worker, debug: worker },
    runCheck: async () => ({
      exitCode: 0,
      timedOut: false,
      output: new Uint8Array(),
      boundary: null,
    }),
  });
  await develop.admit(developContract(), { candidate, checks: join(folder, 'checks') });
}

test('develop prints the patch, its gaps and how to apply it, or the result as JSON, and resume names it', {
  tags: ['slow'],
}, async () => {
  const { candidate, folder, run } = await layOut();
  const end = await run();
  expect([end.code, end.stderr.includes('build, round 1')]).toEqual([0, true]);
  expect(end.stdout).toMatch(/^success: every criterion passed\n/);
  const command = /review it, then: git -C (\S+) apply (\S+)\n/.exec(end.stdout);
  expect(command?.[1]).toBe(candidate);
  // What has ended is told again, and nothing is done again.
  const again = await run();
  expect([again.code, again.stdout]).toEqual([0, end.stdout]);
  const told = await run(['--json']);
  expect(allJson(told)[0]).toEqual({ type: 'development-started', goal_id: 'mend-sum' });
  expect(lastJson(told)).toMatchObject({
    kind: 'develop_result',
    status: 'success',
    handoff: { kind: 'develop_handoff', verdicts: [{ verify: 'pass', health: 'pass' }] },
  });
  const resume = ['resume', 'mend-sum', '--data', join(folder, 'data')];
  const resumed = await runCli(resume, { cwd: folder });
  expect([resumed.code, resumed.stderr]).toEqual([64, expect.stringContaining('is a development')]);
  git(candidate, 'apply', command?.[2] ?? '');
  expect(readFileSync(join(candidate, 'src/sum.js'), 'utf8')).toBe(MENDED);
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

test('develop is suspended by Ctrl-C and goes on by its own command only, which is named everywhere', async () => {
  const { run, folder } = await layOut();
  const interrupts: (() => void)[] = [];
  const stopped = await run([], {
    onStart: (interrupt) => interrupts.push(interrupt),
    onStderr(text) {
      if (text.includes('build, round 1')) interrupts.pop()?.();
    },
  });
  expect([stopped.code, stopped.stdout]).toEqual([
    130,
    expect.stringContaining(
      `go on with: millforge develop ${folder}/contract.json --checks ${folder}/checks --model 'http://127.0.0.1:1/v1#scripted' --data ${folder}/data\n`,
    ),
  ]);
  const within = (...argv: readonly string[]) =>
    runCli([...argv, '--data', join(folder, 'data')], { cwd: folder });
  const shown = await within('runs', 'mend-sum');
  const again = `millforge develop CONTRACT --data ${folder}/data, with the contract of mend-sum`;
  expect(shown.stdout).toContain(`go on with: ${again} and the options that it was begun with\n`);
  expect(shown.stdout).not.toContain('millforge resume');
  const refused = await within('resume', 'mend-sum');
  expect([refused.code, refused.stderr]).toEqual([
    64,
    expect.stringContaining(`is a development; go on with ${again}`),
  ]);
  const undecided = await within('resume', 'mend-sum', '--decide', 'retry');
  expect([undecided.code, undecided.stderr]).toEqual([
    64,
    expect.stringContaining('mend-sum is interrupted and has no open hold'),
  ]);
  expect((await run()).code).toBe(0);
});

test('a development whose model stays away is interrupted in every word, and ends with 1', async () => {
  const { run, folder } = await layOut();
  const end = await run(['--model', 'http://127.0.0.1:9/v1#x', '--shell']);
  expect(end.code).toBe(1);
  expect(end.stdout).toMatch(/^interrupted\n {2}The request to http:\/\/127\.0\.0\.1:9 failed/);
  expect(end.stdout).toContain(` --model 'http://127.0.0.1:9/v1#x' --shell --data `);
  expect(end.stdout).toContain('gap: The development has not ended, so nothing here has passed\n');
  const within = (...argv: readonly string[]) =>
    runCli([...argv, '--data', join(folder, 'data')], { cwd: folder });
  expect((await within('runs')).stdout).toMatch(/^mend-sum .* interrupted /);
  expect((await within('runs', 'mend-sum')).stdout).toMatch(/^interrupted \(model_unavailable\)\n/);
});

test('a held development prints the command that decides it, which ends with 0 and names the way on', async () => {
  const { run, folder, candidate } = await layOut();
  await admitElsewhere(folder, candidate);
  const held = await run();
  expect(held.code).toBe(7);
  const [, words = ''] =
    /decide +millforge (resume mend-sum .*--decide retry)/.exec(held.stdout) ?? [];
  const end = await runCli(words.split(' '), { cwd: folder });
  expect([end.code, end.stdout]).toEqual([
    0,
    expect.stringContaining('go on with: millforge develop CONTRACT --data '),
  ]);
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
  expect(end.stderr).toMatch(/\nmillforge: The contract \S+ has 2 mistakes\.\n$/);
  const resumed = await runCli(['runs', '--data', join(folder, 'data')], { cwd: folder });
  expect(resumed.stdout).not.toContain('mend-sum');
});

test('develop refuses a contract whose checks are not given, and replies of a script, before anything begins', async () => {
  const { candidate, folder } = await layOut();
  const alone = ['develop', join(folder, 'contract.json'), '--data', join(folder, 'data')];
  for (const [more, what] of [
    [['--model', 'http://127.0.0.1:1/v1#scripted'], 'negative-sums uses {checks}'],
    [['--model', 'scripted:script.json'], 'cannot drive a development'],
  ] as const) {
    const end = await runCli([...alone, ...more], { cwd: candidate });
    expect([end.code, end.stderr]).toEqual([64, expect.stringContaining(what)]);
  }
  const list = await runCli(['runs', '--data', join(folder, 'data')], { cwd: folder });
  expect(list.stdout).not.toContain('mend-sum');
});

test('develop with other options than it was begun with says which, and how to begin anew', async () => {
  const { run } = await layOut();
  await run();
  for (const [more, what] of [
    [
      ['--model', 'http://127.0.0.1:1/v1#other'],
      'model http://127.0.0.1:1/v1#scripted, now http://127.0.0.1:1/v1#other',
    ],
    [['--shell'], 'shell no, now yes'],
    [
      ['--checks', '/tmp'],
      '/checks, now /tmp. Give what it was begun with to go on, or begin anew with another goal_id',
    ],
  ] as const) {
    const end = await run(more);
    expect([end.code, end.stderr]).toEqual([64, expect.stringContaining(what)]);
  }
});

test('develop without a model, a contract or a folder is a usage error', async () => {
  const { run, folder } = await layOut();
  const nowhere = await run(['--checks', '/nowhere']);
  expect([nowhere.code, nowhere.stderr]).toEqual([
    64,
    expect.stringContaining('The folder of checks /nowhere is not a directory'),
  ]);
  const alone = ['develop', join(folder, 'contract.json'), '--data', join(folder, 'data')];
  expect((await runCli(alone, { cwd: folder })).code).toBe(64);
  expect((await run(['--workspace', join(folder, 'nowhere')])).code).toBe(64);
  expect((await runCli(['develop', 'none.json'], { cwd: folder })).code).toBe(64);
});
