import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plainChecks } from '../../src/develop/plain-checks.ts';
import { testFolder } from '../support/greeter.ts';

async function check(
  script: string,
  more: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
) {
  const directory = testFolder();
  const exit = await plainChecks({ PATH: process.env['PATH'], TOKEN: 'secret' })({
    argv: ['sh', '-c', script],
    directory,
    checks: null,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    ...more,
  });
  return { ...exit, directory, output: Buffer.from(exit.output).toString() };
}

/** Whether a process runs; one that nobody has waited for does not. */
function isRunning(pid: string): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}

test('gives the exit code, both outputs, and that there was no boundary', async () => {
  expect(await check('echo out; echo err >&2; pwd > here; exit 3')).toMatchObject({
    exitCode: 3,
    timedOut: false,
    boundary: null,
    output: expect.stringMatching(/^(out\nerr|err\nout)\n$/),
  });
});

test('runs a command in its folder, without the environment of this process', async () => {
  const { directory, output } = await check('pwd > here; env');
  expect(readFileSync(join(directory, 'here'), 'utf8').trim()).toBe(directory);
  expect(output).not.toContain('secret');
});

test('ends a command whose time is over with all that it has started', async () => {
  const exit = await check('sleep 60 & echo $!; wait', { timeoutMs: 200 });
  expect([exit.timedOut, exit.exitCode]).toEqual([true, null]);
  await expect.poll(() => isRunning(exit.output.trim())).toBe(false);
});

test('does not wait for what a command leaves behind, and ends it', async () => {
  const exit = await check('sleep 60 & echo $!');
  expect(exit.exitCode).toBe(0);
  await expect.poll(() => isRunning(exit.output.trim())).toBe(false);
});

test('ends a command that is not wanted any more', async () => {
  const exit = await check('sleep 60', { signal: AbortSignal.timeout(100) });
  expect(exit.exitCode).toBe(null);
});

test('keeps the end of a long output', async () => {
  const { output } = await check('yes line | head -c 900000; echo the end');
  expect([output.length, output.endsWith('the end\n')]).toEqual([262_144, true]);
});

test('rejects where the program cannot be started', async () => {
  const running = plainChecks({})({
    argv: ['/nonexistent/program'],
    directory: testFolder(),
    checks: null,
    timeoutMs: 1000,
    signal: new AbortController().signal,
  });
  await expect(running).rejects.toThrow('ENOENT');
});
