import type { GoalContract, Kernel, WorkAdapter } from '@millforge/kernel';
import { expect, test } from 'vitest';
import { contract, gate, open, scope, systemClock, temporaryDirectory } from './fixture.ts';

const WORK = { kind: 'tool', name: 'work', version: '1', parameters: null } as const;

function goal(goalId: string, tasks = 1): GoalContract {
  return {
    ...contract(goalId),
    required_checks: [],
    unchecked: true,
    tasks: Array.from({ length: tasks }, (_, place) => ({
      task_id: `t${place}`,
      adapter: WORK,
      effect: 'read' as const,
    })),
  };
}

function work(run: WorkAdapter['run']): WorkAdapter {
  return { ...WORK, run };
}

/** Waits until goals have ended. */
async function ended(kernel: Kernel, goals: readonly string[]): Promise<void> {
  for (const goalId of goals) {
    while ((await kernel.readGoal(scope, goalId)).state !== 'completed') await systemClock.delay(2);
  }
}

test('takes up the goals of all tenants, the longest waiting first', async () => {
  const kernel = await open(temporaryDirectory());
  const other = { ...scope, tenant: 'other' };
  await kernel.admitGoal(scope, goal('goal-1'));
  await systemClock.delay(2);
  await kernel.admitGoal(other, goal('goal-2'));
  await systemClock.delay(2);
  await kernel.admitGoal(scope, goal('goal-3'));
  const order: string[] = [];
  const ending = new AbortController();
  const worker = kernel.runWorker({
    concurrency: 1,
    signal: ending.signal,
    adapters: [
      work(async ({ goalId }) => {
        order.push(goalId);
        return null;
      }),
    ],
  });
  await ended(kernel, ['goal-1', 'goal-3']);
  ending.abort();
  await worker.done;
  expect(order).toEqual(['goal-1', 'goal-2', 'goal-3']);
});

test('runs no more attempts at once than it was told, over all goals', async () => {
  const kernel = await open(temporaryDirectory());
  const goals = ['goal-1', 'goal-2', 'goal-3'];
  for (const name of goals) await kernel.admitGoal(scope, goal(name, 3));
  let running = 0;
  let most = 0;
  const ending = new AbortController();
  const worker = kernel.runWorker({
    concurrency: 2,
    signal: ending.signal,
    adapters: [
      work(async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return null;
      }),
    ],
  });
  await ended(kernel, goals);
  ending.abort();
  await worker.done;
  expect(most).toBe(2);
});

test('lets attempts finish when it is told to end, and starts nothing new', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, {
    ...goal('goal-1'),
    tasks: [
      { task_id: 'first', adapter: WORK, effect: 'external' },
      { task_id: 'next', adapter: WORK, effect: 'read', depends_on: ['first'] },
    ],
  });
  const entered = gate();
  const finish = gate();
  const done: string[] = [];
  const ending = new AbortController();
  const worker = kernel.runWorker({
    signal: ending.signal,
    adapters: [
      work(async ({ taskId }) => {
        entered.open();
        await finish.opened;
        done.push(taskId);
        return null;
      }),
    ],
  });
  await entered.opened;
  ending.abort();
  finish.open();
  await worker.done;
  expect(done).toEqual(['first']);
  const view = await kernel.readGoal(scope, 'goal-1');
  expect(view.tasks.map(({ state }) => state)).toEqual(['completed', 'ready']);
});

test('tells of a goal that it cannot run, and goes on with others', async () => {
  const kernel = await open(temporaryDirectory());
  const strange = goal('goal-1');
  await kernel.admitGoal(scope, {
    ...strange,
    tasks: [{ task_id: 't', adapter: { ...WORK, name: 'strange' }, effect: 'read' }],
  });
  await kernel.admitGoal(scope, goal('goal-2'));
  const faults: unknown[] = [];
  const ending = new AbortController();
  const worker = kernel.runWorker({
    signal: ending.signal,
    adapters: [work(async () => null)],
    onFault: (goalId, error) => faults.push([goalId, error]),
  });
  await ended(kernel, ['goal-2']);
  ending.abort();
  await worker.done;
  expect(faults).toMatchObject([['goal-1', { code: 'kernel/adapter-missing' }]]);
});

test('shares a goal with another kernel on the same file, each task once', async () => {
  const directory = temporaryDirectory();
  const kernels = [await open(directory), await open(directory)];
  const [first] = kernels;
  if (first === undefined) throw new Error('There are two.');
  const goals = Array.from({ length: 6 }, (_, place) => `goal-${place}`);
  for (const name of goals) await first.admitGoal(scope, goal(name, 4));
  const done: string[] = [];
  const ending = new AbortController();
  const workers = kernels.map((kernel) =>
    kernel.runWorker({
      concurrency: 3,
      signal: ending.signal,
      adapters: [
        work(async ({ goalId, taskId }) => {
          await new Promise((resolve) => setImmediate(resolve));
          done.push(`${goalId}/${taskId}`);
          return kernel.ownerId;
        }),
      ],
    }),
  );
  await ended(first, goals);
  ending.abort();
  await Promise.all(workers.map((worker) => worker.done));
  expect(done.length).toBe(24);
  expect(new Set(done).size).toBe(24);
  expect(await first.verifyTrail(scope)).toMatchObject({ ok: true, goals: 6 });
}, 60_000);

test('ends with the kernel that it works for', async () => {
  const kernel = await open(temporaryDirectory());
  const worker = kernel.runWorker({ adapters: [], signal: new AbortController().signal });
  await kernel[Symbol.asyncDispose]();
  await worker.done;
});
