import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openKernel } from '@millforge/kernel';
import { expect, onTestFinished, test } from 'vitest';
import { lastJson, runCli, testFolder } from './run-cli.ts';
import {
  GRANT_FLAGS,
  PROFILES,
  scriptText,
  testHarness,
  WRITE_AND_FINISH,
} from './test-harness.ts';

const canMount = process.getuid?.() === 0 && spawnSync('mount', ['--version']).status === 0;

test.runIf(canMount)(
  'runs on a read-only medium are listed, shown, verified and exported; nothing is run there',
  async () => {
    const cwd = testFolder();
    writeFileSync(join(cwd, 'harness.yaml'), testHarness());
    writeFileSync(join(cwd, 'profiles.json'), PROFILES);
    writeFileSync(join(cwd, 'script.json'), scriptText(WRITE_AND_FINISH));
    const command = (data: string, ...argv: readonly string[]) =>
      runCli([...argv, '--data', data], { cwd });
    const run = ['run', 'harness.yaml', '--task', 'Make it.', '--model', 'scripted:script.json'];
    const ended = await command('data', ...run, ...GRANT_FLAGS, '--json');
    const runId = String(lastJson(ended)['run_id']);
    const looks = [
      ['runs'],
      ['runs', runId],
      ['trail', 'show', runId],
      ['trail', 'verify'],
      ['trail', 'export', runId],
      ['publish', 'list'],
    ];
    const known = [];
    for (const argv of looks) known.push(await command('data', ...argv));

    mkdirSync(join(cwd, 'medium'));
    if (spawnSync('mount', ['--bind', 'data', 'medium'], { cwd }).status !== 0) return;
    onTestFinished(() => void spawnSync('umount', ['-l', 'medium'], { cwd }));
    expect(spawnSync('mount', ['-o', 'remount,bind,ro', join(cwd, 'medium')]).status).toBe(0);
    const before = readdirSync(join(cwd, 'data'));
    for (const [place, argv] of looks.entries()) {
      const { code, stdout, stderr } = await command('medium', ...argv);
      const text = stdout.replaceAll(join(cwd, 'medium'), join(cwd, 'data'));
      expect([argv, { code, stdout: text, stderr }]).toEqual([argv, known[place]]);
      expect(code).toBe(0);
    }
    chmodSync(join(cwd, 'data'), 0o755);
    const open = await command('medium', 'doctor');
    expect(open.stdout).toMatch(/ data directory .* open to others .* only a copy can be closed/);
    chmodSync(join(cwd, 'data'), 0o700);
    const doctor = await command('medium', 'doctor');
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/^ok +trail +1 run, .* no damage found\.$/m);
    expect(doctor.stdout).toMatch(/^wrong +writing +Runs can be looked at and none made: .*\.$/m);
    const refused = await command('medium', ...run, ...GRANT_FLAGS);
    const cannot = /^millforge: The data directory .* cannot be used \(EROFS\); .*\.$/;
    expect([refused.code, refused.stderr.trimEnd().split('\n').at(-1)]).toEqual([
      1,
      expect.stringMatching(cannot),
    ]);
    for (const argv of publishing(runId)) {
      const end = await command('medium', 'publish', ...argv);
      expect([argv, end.code, end.stderr.trimEnd()]).toEqual([
        argv,
        1,
        refused.stderr.trimEnd().split('\n').at(-1),
      ]);
    }
    expect(readdirSync(join(cwd, 'data'))).toEqual(before);
  },
);

test('a backup is listed, shown, verified and exported as it is; nothing is run there', async () => {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), testHarness());
  writeFileSync(join(cwd, 'profiles.json'), PROFILES);
  writeFileSync(join(cwd, 'script.json'), scriptText(WRITE_AND_FINISH));
  const command = (data: string, ...argv: readonly string[]) =>
    runCli([...argv, '--data', data], { cwd });
  const run = ['run', 'harness.yaml', '--task', 'Make it.', '--model', 'scripted:script.json'];
  const ended = await command('data', ...run, ...GRANT_FLAGS, '--json');
  const runId = String(lastJson(ended)['run_id']);
  {
    await using kernel = await openKernel({
      path: join(cwd, 'data', 'trail.db'),
      clock: { now: Date.now, monotonicMs: () => performance.now(), delay: async () => undefined },
      ids: { newId: (prefix) => `${prefix}_test` },
    });
    await kernel.backup(join(cwd, 'copy'));
  }
  const bytes = readFileSync(join(cwd, 'copy', 'trail.db'));
  for (const argv of [['runs'], ['trail', 'verify'], ['trail', 'export', runId]]) {
    expect([argv, await command('copy', ...argv)]).toEqual([argv, await command('data', ...argv)]);
  }
  const doctor = await command('copy', 'doctor');
  expect([doctor.code, doctor.stdout]).toEqual([
    1,
    expect.stringMatching(/^wrong +writing +Runs can be looked at .* is a backup: .*\.$/m),
  ]);
  const refused = await command('copy', 'resume', runId);
  expect([refused.code, refused.stderr]).toEqual([
    64,
    expect.stringMatching(/^millforge: .* is a backup: .*\.\n$/),
  ]);
  for (const argv of publishing(runId)) {
    const end = await command('copy', 'publish', ...argv);
    expect([argv, end]).toEqual([argv, { ...refused, stdout: '' }]);
  }
  expect(readdirSync(join(cwd, 'copy')).toSorted()).toEqual(['artifacts', 'trail.db']);
  expect(readFileSync(join(cwd, 'copy', 'trail.db'))).toEqual(bytes);
});

/** The commands that would record something about what a run gave. */
function publishing(runId: string): readonly (readonly string[])[] {
  return [
    ['intend', runId, '--to', 'local:box', '--policy', 'p', '--revision', 'r'],
    ['approve', runId, '--intent', 'a'.repeat(64), '--reason', 'Yes.'],
    ['revoke', runId, '--reason', 'No.'],
    ['dispatch', runId],
    ['reconcile', runId],
    ['reconcile', runId, '--attest', 'accepted', '--reason', 'I see it.'],
  ];
}
