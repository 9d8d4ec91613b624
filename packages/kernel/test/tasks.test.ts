import { operationFailed } from '@millforge/contracts';
import type { Adapter, GoalContract, TaskContract, WorkAdapter } from '@millforge/kernel';
import { expect, test } from 'vitest';
import { contract, gate, open, recordTypes, scope, temporaryDirectory } from './fixture.ts';

const WORK = { kind: 'tool', name: 'work', version: '1', parameters: null } as const;

/** A task of the `work` adapter without effects, unless `more` says otherwise. */
function task(taskId: string, more: Partial<TaskContract> = {}): TaskContract {
  return { task_id: taskId, adapter: WORK, doubt: 'attempt', effect: 'read', ...more };
}

function goal(tasks: readonly TaskContract[], more: Partial<GoalContract> = {}): GoalContract {
  return { ...contract('goal-1'), required_checks: [], unchecked: true, tasks, ...more };
}

function work(run: WorkAdapter['run'], more: Partial<WorkAdapter> = {}): WorkAdapter {
  return { ...WORK, run, ...more };
}

async function runOnce(given: GoalContract, adapters: readonly Adapter[]) {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, given);
  const view = await kernel.runGoal(scope, 'goal-1', { adapters }).done;
  const states = Object.fromEntries(view.tasks.map(({ task_id, state }) => [task_id, state]));
  return { kernel, view, states };
}

test('runs tasks after those that they depend on, and hands over their outputs', async () => {
  const order: string[] = [];
  const { view } = await runOnce(
    goal([
      task('a'),
      task('b', { depends_on: ['a'] }),
      task('c', { depends_on: ['a'] }),
      task('d', { depends_on: ['b', 'c'] }),
    ]),
    [
      work(async ({ taskId, outputs }) => {
        order.push(taskId);
        return { from: taskId, saw: Object.keys(outputs).toSorted() };
      }),
    ],
  );
  expect(view.state).toBe('completed');
  expect(order[0]).toBe('a');
  expect(order[3]).toBe('d');
  expect(view.tasks.map(({ output }) => output)).toEqual([
    { from: 'a', saw: [] },
    { from: 'b', saw: ['a'] },
    { from: 'c', saw: ['a'] },
    { from: 'd', saw: ['b', 'c'] },
  ]);
  expect(view.budget).toEqual({ limit: 4, reserved: 0, used: 4 });
});

test('runs independent tasks at the same time', async () => {
  const entered = new Set<string>();
  const met = gate();
  const { view } = await runOnce(goal([task('a'), task('b')]), [
    work(async ({ taskId }) => {
      entered.add(taskId);
      if (entered.size === 2) met.open();
      await met.opened;
      return null;
    }),
  ]);
  expect(view.state).toBe('completed');
});

test('runs as many tasks at once as it was told', async () => {
  let running = 0;
  let most = 0;
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, goal(['a', 'b', 'c', 'd', 'e'].map((name) => task(name))));
  await kernel.runGoal(scope, 'goal-1', {
    concurrency: 2,
    adapters: [
      work(async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return null;
      }),
    ],
  }).done;
  expect(most).toBe(2);
});

test('fails the goal with a task that it needs, stops the others first and cancels the rest', async () => {
  const stopped: string[] = [];
  const entered = gate();
  const { kernel, view, states } = await runOnce(
    goal([task('bad'), task('slow'), task('after', { depends_on: ['slow'] })]),
    [
      work(async ({ taskId, signal }) => {
        if (taskId === 'bad') {
          await entered.opened;
          throw operationFailed({ code: 'down', message: 'It is down.' });
        }
        entered.open();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        stopped.push(taskId);
        return null;
      }),
    ],
  );
  expect(view.state).toBe('failed');
  expect(view.failure).toEqual({ code: 'down', message: 'It is down.' });
  expect(states).toEqual({ bad: 'failed', slow: 'cancelled', after: 'cancelled' });
  expect(stopped).toEqual(['slow']);
  expect(view.budget).toMatchObject({ reserved: 0, used: 2 });
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});

test('completes without a task that is optional, and skips what depends on it', async () => {
  const { view, states } = await runOnce(
    goal([
      task('extra', { optional: true }),
      task('more', { depends_on: ['extra'] }),
      task('main'),
    ]),
    [
      work(async ({ taskId }) => {
        if (taskId === 'extra') throw new Error('No.');
        return null;
      }),
    ],
  );
  expect(view.state).toBe('completed');
  expect(states).toEqual({ extra: 'failed', more: 'skipped', main: 'completed' });
});

test('fails an attempt without effect and makes another one', async () => {
  const keys: string[] = [];
  const { view } = await runOnce(goal([task('a', { max_attempts: 2 })]), [
    work(async ({ attempt, idempotencyKey }) => {
      keys.push(idempotencyKey);
      if (attempt === 1) throw new Error('Once.');
      return 'twice';
    }),
  ]);
  expect(view.tasks[0]).toMatchObject({ state: 'completed', output: 'twice' });
  // Nobody knows what the first did, so the second carries its key.
  expect(keys[1]).toBe(keys[0]);
});

test('makes an attempt after a clean failure under a new key', async () => {
  const keys: string[] = [];
  await runOnce(goal([task('a', { effect: 'external', max_attempts: 2 })]), [
    work(async ({ attempt, idempotencyKey }) => {
      keys.push(idempotencyKey);
      if (attempt === 1) throw operationFailed({ code: 'refused', message: 'Refused.' });
      return null;
    }),
  ]);
  expect(new Set(keys).size).toBe(2);
});

test('resumes what was stopped as the same attempt, and reserves nothing more', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, goal([task('a'), task('b', { depends_on: ['a'] })]));
  const ready = gate();
  const first = kernel.runGoal(scope, 'goal-1', {
    adapters: [
      work(async ({ taskId, signal }) => {
        if (taskId === 'a') return 'a';
        ready.open();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw new Error('Stopped.');
      }),
    ],
  });
  await ready.opened;
  first.stop();
  expect(await first.done).toMatchObject({
    state: 'running',
    interruption: { reason: 'stopped' },
    budget: { reserved: 1, used: 1 },
  });
  const again = await kernel.runGoal(scope, 'goal-1', {
    adapters: [work(async ({ taskId, attempt }) => `${taskId}${attempt}`)],
  }).done;
  expect(again.tasks.map(({ output }) => output)).toEqual(['a', 'b1']);
  expect(again.budget).toMatchObject({ reserved: 0, used: 2 });
});

test('tells in its trail what became of every task', async () => {
  const { kernel } = await runOnce(goal([task('a'), task('b', { depends_on: ['a'] })]), [
    work(async () => null),
  ]);
  expect(await recordTypes(kernel, 'goal-1')).toEqual([
    'goal-admitted',
    'attempt-admitted',
    'attempt-begun',
    'result-recorded',
    'attempt-admitted',
    'attempt-begun',
    'result-recorded',
    'goal-checked',
  ]);
});
