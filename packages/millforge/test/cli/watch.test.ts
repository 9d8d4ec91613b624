import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { allJson, runCli, testFolder } from './run-cli.ts';
import { GRANT_FLAGS, PROFILES, testHarness } from './test-harness.ts';

test('--watch compiles again when source or catalog changes, however they are written', async () => {
  const cwd = testFolder();
  const file = join(cwd, 'harness.yaml');
  writeFileSync(file, testHarness());
  writeFileSync(join(cwd, 'profiles.json'), PROFILES);
  const flags = ['--data', 'data', '--profiles', 'profiles.json', ...GRANT_FLAGS];

  let tick = () => {};
  let interrupt = () => {};
  let lines = 0;
  /** Lets time pass until one more result has been printed. */
  const nextResult = async () => {
    for (const wanted = lines + 1; lines < wanted; ) {
      tick();
      await setTimeout(5);
    }
  };
  const running = runCli(['compile', 'harness.yaml', '--watch', '--json', ...flags], {
    cwd,
    onClock: (pass) => {
      tick = pass;
    },
    onStart: (press) => {
      interrupt = press;
    },
    onStdout: (text) => {
      lines += text.split('\n').length - 1;
    },
  });

  await nextResult();
  // Written in place.
  writeFileSync(file, testHarness().replace('Work.', 'Work well.'));
  await nextResult();
  // Written beside, and renamed over it.
  writeFileSync(`${file}.new`, testHarness().replace('Work.', 'Work: ['));
  renameSync(`${file}.new`, file);
  await nextResult();
  // Moved away, and written anew.
  renameSync(file, `${file}~`);
  writeFileSync(file, testHarness());
  await nextResult();
  // A profile catalog that does not have the profile any more.
  writeFileSync(join(cwd, 'profiles.json'), PROFILES.replace('test.model', 'test.other'));
  await nextResult();
  rmSync(file);
  await nextResult();
  interrupt();

  const end = await running;
  expect(end.code).toBe(130);
  expect(end.stderr).toContain('Watching harness.yaml, profiles.json; Ctrl-C ends it.');
  expect(allJson(end).map((result) => [result['status'], result['failure_phase']])).toEqual([
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

test('--watch goes on when a catalog cannot be read, and stays quiet when nothing changes', async () => {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), testHarness());
  writeFileSync(join(cwd, 'profiles.json'), '{');
  const flags = ['--data', 'data', '--profiles', 'profiles.json', ...GRANT_FLAGS];
  let tick = () => {};
  let interrupt = () => {};
  let stderr = '';
  let stdout = '';
  const until = async (isThere: () => boolean) => {
    while (!isThere()) {
      tick();
      await setTimeout(5);
    }
  };
  const running = runCli(['compile', 'harness.yaml', '--watch', ...flags], {
    cwd,
    onClock: (pass) => {
      tick = pass;
    },
    onStart: (press) => {
      interrupt = press;
    },
    onStdout: (text) => {
      stdout += text;
    },
    onStderr: (text) => {
      stderr += text;
    },
  });
  await until(() => stderr.includes('profiles.json cannot be used'));
  writeFileSync(join(cwd, 'profiles.json'), PROFILES);
  await until(() => stdout.includes('compiled:'));
  for (let passes = 0; passes < 20; passes++) {
    tick();
    await setTimeout(2);
  }
  interrupt();
  const end = await running;
  expect(end.code).toBe(130);
  expect(end.stdout.trimEnd().split('\n')).toHaveLength(1);
});
