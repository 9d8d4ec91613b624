import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Kernel, OwnerView } from '@millforge/kernel';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundleChild } from '../bundle-child.ts';
import { adapter, open, recordTypes, scope, temporaryDirectory, unsafeCall } from '../fixture.ts';

let holder = '';

beforeAll(async () => {
  holder = await bundleChild(join(import.meta.dirname, 'holder.ts'));
}, 60_000);

afterAll(() => rmSync(dirname(holder), { recursive: true, force: true }));

/** Starts a child; gives what it prints, line by line. */
function start(...args: readonly string[]): {
  readonly child: ChildProcess;
  readonly line: () => Promise<string>;
} {
  const child = spawn(process.execPath, [holder, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const next = waiting.shift();
      if (next === undefined) lines.push(part);
      else next(part);
    }
  });
  return {
    child,
    line: () => {
      const line = lines.shift();
      return line === undefined
        ? new Promise((resolve) => waiting.push(resolve))
        : Promise.resolve(line);
    },
  };
}

/** The child's program, as the process that takes over has it. */
function sameProgram(calls: string[]) {
  return adapter(
    async (context) => {
      const operation = unsafeCall('tool/1/0', { input: 1, describe: 'a call' });
      await context.perform(operation, async () => {
        calls.push('taken over');
        return { value: 'second' };
      });
      return null;
    },
    { name: 'holder', parameters: null },
  );
}

function run(kernel: Kernel, calls: string[], onWaiting?: (owner: OwnerView) => void) {
  return kernel.runGoal(scope, 'goal-1', {
    adapters: [sameProgram(calls)],
    ...(onWaiting === undefined ? {} : { onWaiting }),
  }).done;
}

test('takes a goal over at once when the process that ran it died', async () => {
  const directory = temporaryDirectory();
  const { child, line } = start('hold', directory);
  await line();
  child.kill('SIGKILL');
  await once(child, 'exit');
  const kernel = await open(directory);
  expect(await kernel.readGoal(scope, 'goal-1')).toMatchObject({
    owner: null,
    interruption: { reason: 'crashed' },
  });
  let waited = 0;
  const view = await run(kernel, [], () => {
    waited += 1;
  });
  expect(view).toMatchObject({
    state: 'held',
    holds: [
      {
        reason: 'ambiguous-operation',
        facts: { former_owner: { alive: false, act_settled: true, owner: { pid: child.pid } } },
      },
    ],
    tasks: [{ attempt: { number: 1, resumes: 1, fence: 2 } }],
  });
  expect(waited).toBe(0);
});

test('tells every reader that what a killed process ran is interrupted, before anybody goes on with it', async () => {
  const directory = temporaryDirectory();
  const { child, line } = start('hold', directory);
  await line();
  const kernel = await open(directory);
  const seen = async () => {
    const [summary] = await kernel.listGoals(scope);
    const { is_running, owner, interruption, tasks, head } = await kernel.readGoal(scope, 'goal-1');
    return {
      listed: summary?.is_running,
      is_running,
      by: owner?.pid ?? null,
      interruption: interruption?.reason ?? null,
      task: tasks[0]?.state,
      attempt: tasks[0]?.attempt?.state,
      head,
    };
  };
  const { head, ...living } = await seen();
  expect(living).toEqual({
    listed: true,
    is_running: true,
    by: child.pid,
    interruption: null,
    task: 'running',
    attempt: 'running',
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
  const interrupted = {
    listed: false,
    is_running: false,
    by: null,
    interruption: 'crashed',
    task: 'interrupted',
    attempt: 'interrupted',
    // It is read so; nothing was written.
    head,
  };
  expect(await seen()).toEqual(interrupted);
  // Another opening, which lets go of nothing either.
  const other = await open(directory);
  await other[Symbol.asyncDispose]();
  expect(await seen()).toEqual(interrupted);
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});

test('names the living process that runs a goal, and leaves it alone', async () => {
  const directory = temporaryDirectory();
  const { child, line } = start('hold', directory);
  await line();
  const kernel = await open(directory);
  expect(await kernel.readGoal(scope, 'goal-1')).toMatchObject({
    owner: { pid: child.pid },
    interruption: null,
  });
  const told: OwnerView[] = [];
  await expect(run(kernel, [], (owner) => told.push(owner))).rejects.toMatchObject({
    code: 'kernel/run-active',
    details: { owner: { pid: child.pid } },
  });
  expect(told).toMatchObject([{ pid: child.pid }]);
  child.stdin?.write('\n');
  expect(JSON.parse(await line())).toMatchObject({ state: 'completed' });
});

test('takes over from a stopped process after its lease, and fences off what it still does', async () => {
  const directory = temporaryDirectory();
  const { child, line } = start('hold', directory);
  await line();
  child.kill('SIGSTOP');
  const kernel = await open(directory);
  const calls: string[] = [];
  const started = performance.now();
  const view = await run(kernel, calls);
  expect(performance.now() - started).toBeGreaterThanOrEqual(2000);
  expect(view).toMatchObject({
    state: 'held',
    holds: [{ facts: { former_owner: { alive: true, act_settled: false } } }],
  });
  const retry = {
    holdId: 'hold-1',
    version: 1,
    decision: 'retry',
    reason: 'It hangs.',
  } as const;
  await expect(kernel.decide(scope, 'goal-1', retry)).rejects.toMatchObject({
    code: 'kernel/former-owner-alive',
  });
  await kernel.decide(scope, 'goal-1', { ...retry, evenIfRunning: true });
  expect(await run(kernel, calls)).toMatchObject({ state: 'completed' });
  expect(calls).toEqual(['taken over']);

  child.kill('SIGCONT');
  child.stdin?.write('\n');
  expect(JSON.parse(await line())).toMatchObject({ code: 'kernel/lease-lost' });
  expect(await recordTypes(kernel, 'goal-1')).toContain('result-refused');
  expect(await kernel.readOperation(scope, 'goal-1', { key: 'tool/1/0' })).toMatchObject({
    outcome: { value: 'second' },
  });
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});

test('accepts a late outcome by the number of the record that kept it', async () => {
  const directory = temporaryDirectory();
  const { child, line } = start('hold', directory);
  await line();
  child.kill('SIGSTOP');
  const kernel = await open(directory);
  await run(kernel, []);
  child.kill('SIGCONT');
  child.stdin?.write('\n');
  await line();
  let seq = 0;
  for await (const record of kernel.readTrail(scope, 'goal-1')) {
    if (record.type === 'result-refused') seq = record.seq;
  }
  await kernel.decide(scope, 'goal-1', {
    holdId: 'hold-1',
    version: 1,
    decision: 'accept',
    reason: 'It came late.',
    seq,
  });
  expect(await kernel.readOperation(scope, 'goal-1', { key: 'tool/1/0' })).toMatchObject({
    attested: true,
    outcome: { kind: 'done', value: 'child' },
  });
});

test('lets two processes write to one file, none starving the other', async () => {
  const directory = temporaryDirectory();
  const children = ['a', 'b', 'c', 'd'].map((name) => start('write', directory, name, '100'));
  const ends = await Promise.all(children.map(async ({ line }) => JSON.parse(await line())));
  expect(ends.map(({ state }) => state)).toEqual(Array(4).fill('completed'));
  const kernel = await open(directory);
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true, goals: 4 });
  expect(readFileSync(join(directory, 'effects.txt'), 'utf8').trim().split('\n')).toHaveLength(400);
});

test('leaves no file of an owner behind that ended or died', async () => {
  const directory = temporaryDirectory();
  const { child, line } = start('hold', directory);
  await line();
  child.kill('SIGKILL');
  await once(child, 'exit');
  const kernel = await open(directory);
  const owners = readdirSync(join(directory, 'owners'));
  expect(owners).toEqual([kernel.ownerId]);
  expect(statSync(join(directory, 'owners', kernel.ownerId)).mode & 0o777).toBe(0o600);
  await kernel[Symbol.asyncDispose]();
  expect(readdirSync(join(directory, 'owners'))).toEqual([]);
});
