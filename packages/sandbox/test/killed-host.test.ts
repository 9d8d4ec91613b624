import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { processesWith } from './host-processes.ts';
import { ids } from './real-clock.ts';
import { eventually, need, sandbox } from './real-sandbox.ts';

const CHILD = [
  '--import',
  'tsx',
  '--conditions=millforge-src',
  join(import.meta.dirname, 'host-child.ts'),
];

/** Starts a host program, which finds the file open on a high descriptor, as some shells leave them. */
function host(rest: readonly string[], file?: number): ChildProcess {
  const high =
    file === undefined ? [] : [...Array.from({ length: 246 }, () => 'ignore' as const), file];
  const child = spawn(process.execPath, [...CHILD, ...rest], {
    stdio: ['ignore', 'pipe', 'inherit', ...high],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

function firstOutput(child: ChildProcess): Promise<string> {
  return new Promise((done) => child.stdout?.once('data', (chunk) => done(String(chunk))));
}

test('a command does not outlive a host that is killed', { tags: ['slow'] }, async (context) => {
  await need(context, sandbox(), 'sandbox');
  const mark = `${Math.floor(Math.random() * 1e6) + 1000}.5`;
  const child = host(['run', mark]);
  await firstOutput(child);
  expect(await eventually(() => processesWith(`sleep\0${mark}`).length > 0)).toBe(true);
  child.kill('SIGKILL');
  expect(await eventually(() => processesWith(mark).length === 0)).toBe(true);
});

test.each(['call', 'call-unwalled'])(
  'an engine that cannot be interrupted does not outlive a host that is killed (%s)',
  { tags: ['slow'] },
  async (mode) => {
    const before = processesWith('quickjs-child.mjs');
    const child = host([mode]);
    await firstOutput(child);
    const added = processesWith('quickjs-child.mjs').filter((pid) => !before.includes(pid));
    expect(added.length).toBeGreaterThan(0);
    child.kill('SIGKILL');
    const isGone = (): boolean =>
      processesWith('quickjs-child.mjs').every((pid) => !added.includes(pid));
    expect(await eventually(isGone)).toBe(true);
  },
);

test('a command gets no descriptor that the host was started with', {
  tags: ['slow'],
}, async (context) => {
  await need(context, sandbox(), 'sandbox');
  const folder = mkdtempSync(join(tmpdir(), 'millforge-host-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const secret = ids.newId('secret');
  writeFileSync(join(folder, 'key'), secret);
  const key = openSync(join(folder, 'key'), 'r');
  onTestFinished(() => closeSync(key));
  const output = await firstOutput(host(['descriptors'], key));
  expect(JSON.parse(output)).toMatchObject({ kind: 'exited', stdout: '' });
});

test.runIf(process.getuid?.() === 0)(
  'for a user without control groups each process is bounded, and their sum is watched',
  { tags: ['slow'] },
  async (context) => {
    await need(context, sandbox(), 'sandbox');
    const child = spawn(process.execPath, [...CHILD, 'user'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: '/usr/bin:/bin', HOME: '/tmp' },
      uid: 65_534,
      gid: 65_534,
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = new Promise<null>((done) => child.once('exit', () => done(null)));
    const output = await Promise.race([firstOutput(child), ended]);
    if (output === null) context.skip('another user cannot read this checkout');
    const results = JSON.parse(output ?? '[]');
    expect(results).toMatchObject([
      { kind: 'exited', exitCode: 2, stderr: '/bin/sh: 0: Cannot fork\n' },
      { kind: 'exited', exitCode: 134 },
      { kind: 'stopped', limit: 'memory' },
    ]);
    expect(results[0].containment.holds).toMatchObject({
      'exhaust-processes': { stops: true, by: 'limit of the user namespace' },
      'exhaust-memory': { stops: true },
    });
  },
);
