import { EventEmitter, once } from 'node:events';
import { operationFailed, operationUnavailable } from '@millforge/contracts';
import { manualClock } from '@millforge/contracts/testing';
import { expect, test } from 'vitest';
import {
  acting,
  adapter,
  contract,
  modelTurn,
  open,
  outcome,
  records,
  recordTypes,
  scope,
  temporaryDirectory,
  toolCall,
  unsafeCall,
} from './fixture.ts';

test('admits a contract once and gives the goal that has it', async () => {
  const kernel = await open(temporaryDirectory());
  const goal = await kernel.admitGoal(scope, contract('goal-1'));
  expect(goal).toMatchObject({
    kind: 'goal',
    goal_id: 'goal-1',
    state: 'ready',
    version: 1,
    title: 'Mend the failing test.',
    admitted_by: 'ann@host',
    tasks: [{ task_id: 'run', state: 'ready', attempt: null, output: null }],
    budget: { limit: 1, reserved: 0, used: 0 },
    owner: null,
    interruption: null,
  });
  expect(await kernel.admitGoal(scope, contract('goal-1'))).toEqual(goal);
  await expect(
    kernel.admitGoal(scope, contract('goal-1', { objective: 'Something else.' })),
  ).rejects.toMatchObject({ code: 'kernel/goal-conflict' });
});

test('gives equal contracts one digest, whether defaults are spelled out or not', async () => {
  const kernel = await open(temporaryDirectory());
  const goal = await kernel.admitGoal(scope, contract('goal-1'));
  const spelled = contract('goal-1', {
    on_ambiguous: 'hold',
    labels: {},
    limits: { units: 1 },
    task: { units: 1, max_attempts: 1, lease_ms: 60_000 },
  });
  expect((await kernel.admitGoal(scope, spelled)).contract_sha256).toBe(goal.contract_sha256);
});

test('runs a goal to its end, with a receipt and a trail that verifies', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  const program = adapter(async (context) => {
    await context.perform(modelTurn(1), async () => ({
      value: { text: 'hi' },
      usage: { input_tokens: 7, output_tokens: 3 },
    }));
    context.log({ key: 'note', step: 1, type: 'reply-repaired', data: { quotes: 2 } });
    await context.perform(toolCall('tool/1/0'), acting('read').run);
    return outcome({ inputs: context.inputs });
  });
  const view = await kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done;
  expect(view).toMatchObject({
    state: 'completed',
    failure: null,
    tasks: [
      {
        state: 'completed',
        attempt: { number: 1, state: 'recorded', fence: 1, resumes: 0, operations: 2 },
        output: { status: 'success', inputs: { text: 'hello' } },
        receipt_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ],
    budget: { limit: 1, reserved: 0, used: 1 },
    usage: { input_tokens: 7, output_tokens: 3 },
    owner: null,
  });
  expect(await recordTypes(kernel, 'goal-1')).toEqual([
    'goal-admitted',
    'attempt-admitted',
    'operation-admitted',
    'operation-recorded',
    'reply-repaired',
    'operation-recorded',
    'result-recorded',
    'goal-checked',
  ]);
  expect(await kernel.verifyTrail(scope)).toEqual({ ok: true, goals: 1, records: 8 });
  expect(view.head.seq).toBe(8);
});

test('fails a goal whose run did not reach a legal terminal', async () => {
  const kernel = await open(temporaryDirectory());
  const ends = [
    outcome({ status: 'failed', terminal_result: null }),
    outcome({ terminal_result: 'OTHER' }),
    'no outcome at all',
  ];
  for (const [place, end] of ends.entries()) {
    await kernel.admitGoal(scope, contract(`goal-${place}`));
    const run = kernel.runGoal(scope, `goal-${place}`, { adapters: [adapter(async () => end)] });
    expect(await run.done).toMatchObject({
      state: 'failed',
      failure: { code: 'check-failed' },
      tasks: [{ state: 'completed' }],
    });
  }
});

test('completes an unchecked goal whatever its output, and says so in listings', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(
    scope,
    contract('goal-1', { required_checks: [], unchecked: true, legal_terminal_results: [] }),
  );
  await kernel.runGoal(scope, 'goal-1', { adapters: [adapter(async () => 1)] }).done;
  expect(await kernel.listGoals(scope)).toMatchObject([{ state: 'completed', unchecked: true }]);
});

test('never runs a goal again that has ended', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  let runs = 0;
  const program = adapter(async () => {
    runs += 1;
    return outcome();
  });
  await kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done;
  const view = await kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done;
  expect([view.state, runs]).toEqual(['completed', 1]);
});

test('goes on in another kernel where a stopped run was, without performing anything again', async () => {
  const directory = temporaryDirectory();
  const first = await open(directory);
  await first.admitGoal(scope, contract('goal-1'));
  const model = acting({ text: 'hi' });
  const tool = acting('written');
  const run = first.runGoal(scope, 'goal-1', {
    adapters: [
      adapter(async (context) => {
        await context.perform(modelTurn(1), model.run);
        run.stop();
        await context.perform(unsafeCall('tool/1/0'), tool.run);
        return outcome();
      }),
    ],
  });
  expect(await run.done).toMatchObject({
    state: 'running',
    tasks: [{ state: 'ready', attempt: { state: 'suspended' } }],
    interruption: { reason: 'stopped', failure_class: null },
    budget: { reserved: 1, used: 0 },
  });
  expect([model.count, tool.count]).toEqual([1, 0]);
  await first[Symbol.asyncDispose]();

  const second = await open(directory);
  const view = await second.runGoal(scope, 'goal-1', {
    adapters: [
      adapter(async (context) => {
        const replayed = await context.perform(modelTurn(1), model.run);
        await context.perform(unsafeCall('tool/1/0'), tool.run);
        return outcome({ replayed: replayed.replayed });
      }),
    ],
  }).done;
  expect(view).toMatchObject({
    state: 'completed',
    tasks: [{ output: { replayed: true }, attempt: { number: 1, fence: 2, resumes: 0 } }],
  });
  expect([model.count, tool.count]).toEqual([1, 1]);
});

test('lets the operation in flight finish when it is stopped once', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  const run = kernel.runGoal(scope, 'goal-1', {
    adapters: [
      adapter(async (context) => {
        await context.perform(unsafeCall('tool/1/0'), async ({ signal }) => {
          run.stop();
          await new Promise((resolve) => setImmediate(resolve));
          return { value: signal.aborted };
        });
        await context.perform(modelTurn(2), acting('never').run);
        return outcome();
      }),
    ],
  });
  expect(await run.done).toMatchObject({ interruption: { reason: 'stopped' } });
  expect(await kernel.readOperation(scope, 'goal-1', { key: 'tool/1/0' })).toMatchObject({
    state: 'recorded',
    outcome: { kind: 'done', value: false },
  });
});

test('keeps why the model could not be reached, and performs the turn on the next run', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  let isDown = true;
  const program = adapter(async (context) => {
    await context.perform(modelTurn(1), async () => {
      if (isDown) throw operationUnavailable({ code: 'connection', message: 'Nobody listens.' });
      return { value: 'hi' };
    });
    return outcome();
  });
  expect(await kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done).toMatchObject({
    state: 'running',
    interruption: {
      reason: 'unavailable',
      failure_class: 'model_unavailable',
      message: 'Nobody listens.',
    },
  });
  isDown = false;
  expect(await kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done).toMatchObject({
    state: 'completed',
    interruption: null,
  });
});

test('fails the goal when the adapter throws, and keeps the reason without its secrets', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  const secret = `sk-${'a1B2'.repeat(12)}`;
  const program = adapter(() => Promise.reject(new Error(`No luck with ${secret}`)));
  const view = await kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done;
  expect(view).toMatchObject({
    state: 'failed',
    failure: { code: 'adapter-threw' },
    tasks: [{ state: 'failed', attempt: { state: 'failed' } }],
    budget: { reserved: 0, used: 1 },
  });
  expect(JSON.stringify([view, await records(kernel, 'goal-1')])).not.toContain(secret);
});

test('fails the goal when its output is no JSON', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  const program = adapter(async () => Number.NaN);
  expect(await kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done).toMatchObject({
    state: 'failed',
    failure: { code: 'output-invalid' },
  });
});

test('makes another attempt that performs anew only what failed in the last step', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1', { task: { max_attempts: 2 } }));
  const model = acting('hi');
  const keys: string[] = [];
  const program = adapter(async (context) => {
    await context.perform(modelTurn(1), model.run);
    const call = await context.perform(unsafeCall('tool/2/0'), async ({ idempotencyKey }) => {
      keys.push(idempotencyKey);
      if (keys.length === 1) throw operationFailed({ code: 'down', message: 'It is down.' });
      return { value: 'written' };
    });
    if (call.kind !== 'done') throw new Error('the tool failed');
    return outcome();
  });
  expect(await kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done).toMatchObject({
    state: 'completed',
    tasks: [{ attempt: { number: 2, state: 'recorded' } }],
    budget: { limit: 2, reserved: 0, used: 2 },
  });
  expect(model.count).toBe(1);
  expect(new Set(keys).size).toBe(2);
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});

test('counts time under a lease across resumes, and refuses live operations past the limit', async () => {
  const clock = manualClock();
  const kernel = await open(temporaryDirectory(), { clock });
  await kernel.admitGoal(scope, contract('goal-1', { task: { timeout_ms: 10_000 } }));
  const first = kernel.runGoal(scope, 'goal-1', {
    adapters: [
      adapter(async (context) => {
        await context.perform(modelTurn(1), async () => {
          clock.advance(6000);
          return { value: 'slow' };
        });
        first.stop();
        await context.perform(modelTurn(2), acting('never').run);
        return outcome();
      }),
    ],
  });
  expect(await first.done).toMatchObject({ tasks: [{ attempt: { elapsed_ms: 6000 } }] });
  clock.advance(3_600_000);
  let refused: unknown;
  const second = kernel.runGoal(scope, 'goal-1', {
    adapters: [
      adapter(async (context) => {
        await context.perform(modelTurn(1), acting('never').run);
        clock.advance(4000);
        refused = await context.perform(modelTurn(2), acting('never').run);
        return outcome({ status: 'deadline', terminal_result: null });
      }),
    ],
  });
  expect(await second.done).toMatchObject({
    state: 'failed',
    tasks: [{ state: 'completed', attempt: { elapsed_ms: 10_000 } }],
  });
  expect(refused).toMatchObject({ kind: 'refused', reason: { code: 'deadline' } });
});

test('cancels a goal for good, and keeps a late result as evidence only', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  const run = kernel.runGoal(scope, 'goal-1', {
    adapters: [
      adapter(async (context) => {
        await context.perform(unsafeCall('tool/1/0'), async () => {
          await run.cancel('Not wanted any more.');
          return { value: 'late' };
        });
        return outcome();
      }),
    ],
  });
  expect(await run.done).toMatchObject({
    state: 'cancelled',
    effects_unknown: 1,
    tasks: [{ state: 'cancelled', attempt: { state: 'cancelled' } }],
    budget: { reserved: 0, used: 1 },
  });
  expect((await recordTypes(kernel, 'goal-1')).slice(-2)).toEqual([
    'goal-cancelled',
    'result-refused',
  ]);
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
  const again = kernel.cancelGoal(scope, 'goal-1', { version: 3, reason: 'Twice.' });
  await expect(again).rejects.toMatchObject({ code: 'kernel/goal-ended' });
});

test('refuses to cancel a goal that changed since it was read', async () => {
  const kernel = await open(temporaryDirectory());
  const { version } = await kernel.admitGoal(scope, contract('goal-1'));
  await kernel.runGoal(scope, 'goal-1', {
    adapters: [
      adapter(
        (context) =>
          context.perform(modelTurn(1), () =>
            Promise.reject(operationUnavailable({ code: 'down', message: 'Down.' })),
          ) as Promise<never>,
      ),
    ],
  }).done;
  await expect(
    kernel.cancelGoal(scope, 'goal-1', { version, reason: 'Late.' }),
  ).rejects.toMatchObject({ code: 'kernel/stale-version' });
});

test('runs a goal once at a time in one process', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  const second: unknown[] = [];
  const run = kernel.runGoal(scope, 'goal-1', {
    adapters: [
      adapter(async () => {
        await kernel
          .runGoal(scope, 'goal-1', { adapters: [] })
          .done.catch((error: unknown) => second.push(error));
        return outcome();
      }),
    ],
  });
  expect(await run.done).toMatchObject({ state: 'completed' });
  expect(second).toMatchObject([{ code: 'kernel/run-active' }]);
});

test('says which adapter is missing, and records nothing', async () => {
  const kernel = await open(temporaryDirectory());
  const before = await kernel.admitGoal(scope, contract('goal-1'));
  const run = kernel.runGoal(scope, 'goal-1', {
    adapters: [adapter(async () => 1, { name: 'other' })],
  });
  await expect(run.done).rejects.toMatchObject({ code: 'kernel/adapter-missing' });
  expect(await kernel.readGoal(scope, 'goal-1')).toEqual(before);
});

test('shows nothing of another tenant', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  const other = { ...scope, tenant: 'other' };
  const missing = { code: 'kernel/not-found' };
  expect(await kernel.listGoals(other)).toEqual([]);
  await expect(kernel.readGoal(other, 'goal-1')).rejects.toMatchObject(missing);
  await expect(kernel.runGoal(other, 'goal-1', { adapters: [] }).done).rejects.toMatchObject(
    missing,
  );
  await expect(
    kernel.cancelGoal(other, 'goal-1', { version: 1, reason: 'Mine.' }),
  ).rejects.toMatchObject(missing);
  await expect(kernel.readOperation(other, 'goal-1', { key: 'model/1' })).rejects.toMatchObject(
    missing,
  );
  await expect(kernel.verifyTrail(other, 'goal-1')).rejects.toMatchObject(missing);
  await expect(records(kernel, 'goal-2')).rejects.toMatchObject(missing);
  expect(await kernel.admitGoal(other, contract('goal-1'))).toMatchObject({ state: 'ready' });
});

test('lists goals by pages, newest first', async () => {
  const kernel = await open(temporaryDirectory());
  for (const id of ['a', 'b', 'c', 'd']) await kernel.admitGoal(scope, contract(id));
  const first = await kernel.listGoals(scope, { limit: 2 });
  const rest = await kernel.listGoals(scope, { limit: 9, before: first.at(-1)?.goal_id ?? '' });
  expect([...first, ...rest].map(({ goal_id }) => goal_id)).toEqual(['d', 'c', 'b', 'a']);
});

test('follows a trail until the goal ends', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  const types: string[] = [];
  const following = (async () => {
    for await (const { type } of kernel.readTrail(scope, 'goal-1', { follow: true, from: 2 })) {
      types.push(type);
    }
  })();
  await kernel.runGoal(scope, 'goal-1', { adapters: [adapter(async () => outcome())] }).done;
  await following;
  expect(types).toEqual(['attempt-admitted', 'result-recorded', 'goal-checked']);
});

test('refuses every call after it was closed', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel[Symbol.asyncDispose]();
  await expect(kernel.readGoal(scope, 'goal-1')).rejects.toMatchObject({ code: 'kernel/closed' });
  await expect(kernel.admitGoal(scope, contract('goal-1'))).rejects.toMatchObject({
    code: 'kernel/closed',
  });
});

test('suspends what runs when it is closed', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(directory);
  await kernel.admitGoal(scope, contract('goal-1'));
  const begun = new EventEmitter();
  const begins = once(begun, 'act');
  const run = kernel.runGoal(scope, 'goal-1', {
    adapters: [
      adapter(async (context) => {
        await context.perform(toolCall('tool/1/0'), ({ signal }) => {
          begun.emit('act');
          return new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
          });
        });
        return outcome();
      }),
    ],
  });
  await begins;
  await kernel[Symbol.asyncDispose]();
  expect(await run.done).toMatchObject({ interruption: { reason: 'stopped' } });
});

test('runs two hundred goals at the same time', { tags: ['slow'], timeout: 120_000 }, async () => {
  const kernel = await open(temporaryDirectory());
  const program = adapter(async (context) => {
    for (const step of [1, 2, 3]) {
      await context.perform(modelTurn(step), async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return { value: step };
      });
    }
    return outcome();
  });
  const names = Array.from({ length: 200 }, (_, place) => `goal-${place}`);
  for (const name of names) await kernel.admitGoal(scope, contract(name));
  const views = await Promise.all(
    names.map((name) => kernel.runGoal(scope, name, { adapters: [program] }).done),
  );
  expect(views.filter(({ state }) => state === 'completed')).toHaveLength(200);
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true, goals: 200 });
});
