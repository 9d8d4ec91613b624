import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type BuiltinToolOptions, builtinTools } from '@millforge/builtin-tools';
import { describe, expect, test } from 'vitest';
import { runWorld, succeed } from './run-world.ts';
import { type ToolWorld, toolWorld, until } from './tool-world.ts';

const OTHER_KEY = 'MILLFORGE_CALL_KEY=other';
const PATH = '/usr/local/bin:/usr/bin:/bin';

describe('run_test_profile', () => {
  test('runs the command of the operator, with its output and its exit (B-18)', async () => {
    const world = await runWorld(profile('pwd; echo out; echo err >&2'));
    const { data, text } = await succeed(world, 'run_test_profile', { profile: 'unit' });
    expect(text).toBe('unit exited with 0\n.\nout\nerr');
    expect(data).toEqual({
      status: 'success',
      summary: 'unit exited with 0',
      exit_code: 0,
      artifact_refs: [],
      truncated: false,
    });
  });

  test('an exit that is not 0 is a failure of its own, and complete', async () => {
    const world = await runWorld(profile('exit 3'));
    const { outcome } = await world.execute('run_test_profile', { profile: 'unit' });
    expect(outcome).toMatchObject({
      status: 'soft_failure',
      error_code: 'process_exit_nonzero',
      certainty: 'confirmed_complete',
      text: 'unit exited with 3\n[no output]',
      data: { status: 'soft_failure', exit_code: 3 },
    });
    const killed = await runWorld(profile('kill -9 $$'));
    expect((await killed.execute('run_test_profile', { profile: 'unit' })).outcome.text).toBe(
      'unit was ended by SIGKILL\n[no output]',
    );
  });

  test('a program that is not there was not attempted, and no folder is named', async () => {
    const world = await runWorld({ testProfiles: { unit: { argv: ['no-such-program'] } } });
    const { outcome } = await world.execute('run_test_profile', { profile: 'unit' });
    expect(outcome).toMatchObject({
      status: 'hard_failure',
      error_code: 'process_launch_error',
      certainty: 'not_attempted',
      text: 'unit could not be started: ENOENT\n[no output]',
    });
  });

  test('the trail tells which command it was, and no value of a variable (B-18)', async () => {
    const options = profile('true', { environment: { API_TOKEN: 'hunter2-hunter2' } });
    const world = await runWorld(options);
    const { before } = await world.execute('run_test_profile', { profile: 'unit' });
    expect(before).toEqual({
      profile: 'unit',
      profile_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      argv: ['sh', '-c', 'true'],
    });
    expect(JSON.stringify(before)).not.toContain('hunter2');
  });

  test.each([
    [{ profile: 'unit', selector: 'src/a.test.ts' }, 'selector can only be left out'],
    [{ profile: 'other' }, 'There is no profile other; there are unit.'],
    [{ profile: '__proto__' }, 'There is no profile __proto__'],
    [{ profile: 'unit', command: 'rm -rf /' }, 'command is not allowed'],
    [{}, 'profile is required'],
  ])('%j is refused', async (input, text) => {
    const world = await runWorld(profile('true'));
    const { outcome } = await world.execute('run_test_profile', input);
    expect([outcome.error_code, outcome.certainty]).toEqual(['invalid_arguments', 'not_attempted']);
    expect(outcome.text).toContain(text);
  });

  test('the profiles of tests are none of those that check', async () => {
    const world = await runWorld({
      ...profile('true'),
      checkProfiles: { types: { argv: ['true'] } },
    });
    await succeed(world, 'run_static_check_profile', { profile: 'types', selector: 'all' });
    const { outcome } = await world.execute('run_static_check_profile', { profile: 'unit' });
    expect(outcome.text).toBe('There is no profile unit; there are types.');
  });

  test('commands get a few variables of the host, no input, and what the profile adds', async () => {
    const world = await toolWorld({
      ...profile('env | sort; read x || echo no input', { environment: { MODE: 'test' } }),
      environment: { PATH, HOME: '/home/x', SECRET: 'hunter2', TMPDIR: '/tmp' },
    });
    const { text = '' } = await world.call('run_test_profile', { profile: 'unit' });
    const names = text.split('\n').map((line) => line.split('=')[0]);
    expect(names.filter((name) => !['_', 'PWD', 'SHLVL', 'OLDPWD'].includes(name ?? ''))).toEqual([
      'unit exited with 0',
      'HOME',
      'LC_ALL',
      'MILLFORGE_CALL_KEY',
      'MODE',
      'NO_COLOR',
      'PATH',
      'PYTHONUNBUFFERED',
      'TMPDIR',
      'no input',
    ]);
  });

  test('of much output the beginning and the end are kept (B-19)', async () => {
    const world = await runWorld(profile('echo first; seq 1 500000; echo last'));
    const input = { profile: 'unit', max_output_bytes: 2000 };
    const { text, data, truncated } = await succeed(world, 'run_test_profile', input);
    expect(text.length).toBeLessThan(1200);
    expect(text).toMatch(
      /^unit exited with 0\nfirst\n1\n2\n[^]*\n\[\d+ bytes left out\]\n[^]*\n500000\nlast$/,
    );
    expect([data['truncated'], truncated]).toEqual([true, true]);
  });

  test('a command that takes too long is ended with all that it started (B-19)', {
    tags: ['slow'],
  }, async () => {
    const world = await runWorld(profile(LEAVES_CHILDREN, { timeoutSeconds: 1 }));
    const { outcome } = await world.execute('run_test_profile', { profile: 'unit' });
    expect(outcome).toMatchObject({
      status: 'timed_out',
      error_code: 'timeout',
      certainty: 'completion_unknown',
      data: { exit_code: -1 },
    });
    expect(outcome.text).toBe('unit was ended because its time was over\nstarted');
    expect(await pidsOf(world)).toHaveLength(3);
    for (const pid of await pidsOf(world)) expect(isRunning(pid)).toBe(false);
  });

  test('a stop ends a command with all that it started (B-19)', async () => {
    const world = await runWorld(profile(LEAVES_CHILDREN));
    const stopping = new AbortController();
    const running = world.execute('run_test_profile', { profile: 'unit' }, stopping.signal);
    await until(async () => (await pidsOf(world)).length === 3);
    stopping.abort();
    expect((await running).outcome).toMatchObject({
      status: 'cancelled',
      certainty: 'completion_unknown',
    });
    for (const pid of await pidsOf(world)) expect(isRunning(pid)).toBe(false);
  });

  test('what a command leaves in the background ends with it, and does not hold the call', async () => {
    const world = await runWorld(profile('sleep 300 & echo $! > pids; echo done'));
    expect((await succeed(world, 'run_test_profile', { profile: 'unit' })).text).toBe(
      'unit exited with 0\ndone',
    );
    for (const pid of await pidsOf(world)) expect(isRunning(pid)).toBe(false);
  });

  test.skipIf(process.platform !== 'linux').each([
    [
      'forgets its key, and keeps its output',
      '(env -i setsid sleep 300 & echo $! > pids); sleep 300',
    ],
    ['has another key, as a run within a run', `${OTHER_KEY} setsid sleep 300 >&- 2>&- & wait`],
  ])('what leaves the group and %s ends too (B-19)', { tags: ['slow'] }, async (_, script) => {
    const world = await runWorld(profile(script.replace('& wait', '& echo $! > pids; wait')));
    const stopping = new AbortController();
    const running = world.execute('run_test_profile', { profile: 'unit' }, stopping.signal);
    await until(async () => (await pidsOf(world)).length === 1);
    stopping.abort();
    await running;
    for (const pid of await pidsOf(world)) expect(isRunning(pid)).toBe(false);
  });

  test.skipIf(process.platform !== 'linux')(
    'a call that is repeated after a crash ends what the first one left',
    async () => {
      const first = execFileSync('sh', ['-c', 'setsid sleep 300 >/dev/null 2>&1 & echo $!'], {
        env: { PATH, MILLFORGE_CALL_KEY: 'same key' },
      });
      const left = Number(first.toString());
      expect(isRunning(left)).toBe(true);
      const world = await toolWorld(profile('true'));
      await world.call('run_test_profile', { profile: 'unit' }, { idempotencyKey: 'same key' });
      expect(isRunning(left)).toBe(false);
    },
  );
});

test('what a call reaches is the command, quoted as a shell would need it', () => {
  const tools = builtinTools({ testProfiles: { unit: { argv: ['npm', 'test', "it's"] } } });
  const tool = tools.find((one) => one.descriptor.model_tool_name === 'run_test_profile');
  const context = { runId: 'r', callId: 'c', workspace: '/w' };
  expect(tool?.implementation.reach?.({ profile: 'unit' }, context)).toEqual({
    commands: ["npm test 'it'\\''s'"],
  });
});

test.each([
  [{ '': { argv: ['x'] } }, 'needs a name'],
  [{ unit: { argv: [] } }, 'needs argv'],
  [{ unit: { argv: ['a\0'] } }, 'needs argv'],
  [{ unit: { argv: ['a'], timeoutSeconds: 0 } }, 'needs timeoutSeconds'],
  [{ unit: { argv: ['a'], timeoutSeconds: 1801 } }, 'needs timeoutSeconds'],
  [{ unit: { argv: ['a'], maxOutputBytes: 1.5 } }, 'needs maxOutputBytes'],
])('the profiles %j are a mistake of the host', (testProfiles, fault) => {
  expect(() => builtinTools({ testProfiles })).toThrow(fault);
});

/** Children in the group, in a group of their own, and deaf to being asked. */
const LEAVES_CHILDREN = `
  sleep 300 & echo $! >> pids
  setsid sleep 300 & echo $! >> pids
  sh -c 'trap "" TERM; echo $$ >> pids; while :; do sleep 1; done' &
  echo started; wait`;

function profile(
  script: string,
  more: { timeoutSeconds?: number; environment?: Record<string, string> } = {},
): BuiltinToolOptions {
  return { testProfiles: { unit: { argv: ['sh', '-c', script], ...more } } };
}

async function pidsOf(world: ToolWorld): Promise<readonly number[]> {
  const path = world.path('pids');
  if (!existsSync(path)) return [];
  return (await readFile(path, 'utf8')).split('\n').filter(Boolean).map(Number);
}

function isRunning(pid: number): boolean {
  try {
    const stat = execFileSync('cat', [`/proc/${pid}/stat`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return !/\) [ZX] /.test(stat.toString());
  } catch {
    return false;
  }
}
