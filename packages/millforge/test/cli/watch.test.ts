import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { allJson, runCli, testFolder } from './run-cli.ts';
import { GRANT_FLAGS, PROFILES, testHarness } from './test-harness.ts';

/** A command line that watches, and the means to let its time pass. */
function startWatch(cwd: string, ...flags: readonly string[]) {
  const seen = { stdout: '', stderr: '', tick: nothing, interrupt: nothing };
  const inputs = ['--data', 'data', '--profiles', 'profiles.json', ...GRANT_FLAGS];
  const end = runCli(['compile', 'harness.yaml', '--watch', ...inputs, ...flags], {
    cwd,
    onClock: (tick) => {
      seen.tick = tick;
    },
    onStart: (interrupt) => {
      seen.interrupt = interrupt;
    },
    onStdout: (text) => {
      seen.stdout += text;
    },
    onStderr: (text) => {
      seen.stderr += text;
    },
  });
  /** Lets the command look at its files, so often or until something is true. */
  const pass = async (isEnough: (passes: number) => boolean) => {
    for (let passes = 0; !isEnough(passes); passes++) {
      seen.tick();
      await setTimeout(5);
    }
  };
  return { seen, end, pass };
}

test('--watch compiles again when source or catalog changes, however they are written', async () => {
  const cwd = testFolder();
  const file = join(cwd, 'harness.yaml');
  writeFileSync(file, testHarness());
  writeFileSync(join(cwd, 'profiles.json'), PROFILES);
  const { seen, end, pass } = startWatch(cwd, '--json');
  const results = (count: number) => pass(() => seen.stdout.split('\n').length > count);

  await results(1);
  // Written in place.
  writeFileSync(file, testHarness().replace('Work.', 'Work well.'));
  await results(2);
  // Written beside, and renamed over it.
  writeFileSync(`${file}.new`, testHarness().replace('Work.', 'Work: ['));
  renameSync(`${file}.new`, file);
  await results(3);
  // Moved away, and written anew.
  renameSync(file, `${file}~`);
  writeFileSync(file, testHarness());
  await results(4);
  // A profile catalog that does not have the profile any more.
  writeFileSync(join(cwd, 'profiles.json'), PROFILES.replace('test.model', 'test.other'));
  await results(5);
  rmSync(file);
  await results(6);
  seen.interrupt();

  const ended = await end;
  expect(ended.code).toBe(130);
  expect(ended.stderr).toContain('Watching harness.yaml, profiles.json; Ctrl-C ends it.');
  expect(allJson(ended).map((result) => [result['status'], result['failure_phase']])).toEqual([
    ['committed', null],
    ['committed', null],
    ['failed', 'parse'],
    ['committed', null],
    ['failed', 'resolution'],
    ['failed', 'request'],
  ]);
  const plans = readdirSync(join(cwd, 'data/plans'));
  expect(plans.filter((name) => name.endsWith('.compiled.json'))).toHaveLength(2);
});

test('--watch outlives a catalog that cannot be read, and is quiet when nothing changes', async () => {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), testHarness());
  writeFileSync(join(cwd, 'profiles.json'), '{');
  const { seen, end, pass } = startWatch(cwd);
  await pass(() => seen.stderr.includes('profiles.json cannot be used'));
  writeFileSync(join(cwd, 'profiles.json'), PROFILES);
  await pass(() => seen.stdout.includes('compiled:'));
  await pass((passes) => passes === 20);
  seen.interrupt();
  const ended = await end;
  expect(ended.code).toBe(130);
  expect(ended.stdout.trimEnd().split('\n')).toHaveLength(1);
});

function nothing(): void {
  // Until the command has started there is nobody to tell.
}
