import type { Operation } from '@millforge/contracts';
import type { GoalView, Kernel, TaskContext } from '@millforge/kernel';
import { expect, test } from 'vitest';
import {
  acting,
  adapter,
  contract,
  modelTurn,
  open,
  outcome,
  scope,
  temporaryDirectory,
  toolCall,
  unsafeCall,
} from './fixture.ts';

/** Three turns with two calls in the second; each act says whether it was performed. */
const whole: readonly (readonly Operation[])[] = [
  [modelTurn(1)],
  [modelTurn(2, { extends: 'model/1' })],
  [toolCall('tool/2/0'), unsafeCall('tool/2/1')],
  [modelTurn(3, { extends: 'model/2' })],
];

/** Performs what it is given, and stops before its end. */
async function runStopped(
  kernel: Kernel,
  operations: readonly (readonly Operation[])[],
): Promise<GoalView> {
  const run = kernel.runGoal(scope, 'goal-1', {
    adapters: [
      adapter(async (context) => {
        await performAll(context, operations);
        run.stop();
        await context.perform(modelTurn(9), acting('never').run);
        return outcome();
      }),
    ],
  });
  return run.done;
}

/** Performs what it is given, and reports which acts were performed. */
async function runToEnd(
  kernel: Kernel,
  operations: readonly (readonly Operation[])[],
): Promise<{ readonly view: GoalView; readonly acts: readonly string[] }> {
  let acts: readonly string[] = [];
  const program = adapter(async (context) => {
    acts = await performAll(context, operations);
    return outcome();
  });
  const view = await kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done;
  return { view, acts };
}

async function performAll(
  context: TaskContext,
  operations: readonly (readonly Operation[])[],
): Promise<readonly string[]> {
  const acts: string[] = [];
  for (const group of operations) {
    await Promise.all(
      group.map((operation) =>
        context.perform(operation, async () => {
          acts.push(operation.key);
          return { value: operation.key };
        }),
      ),
    );
  }
  return acts;
}

async function recorded(): Promise<Kernel> {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  expect(await runStopped(kernel, whole)).toMatchObject({
    tasks: [{ attempt: { operations: 5 } }],
  });
  return kernel;
}

test('performs nothing when a whole run is replayed, in whatever order outcomes arrive', async () => {
  const kernel = await recorded();
  const shuffled = whole.map((group) => group.toReversed());
  expect(await runToEnd(kernel, shuffled)).toMatchObject({
    view: { state: 'completed' },
    acts: [],
  });
});

const changed: readonly (readonly [string, readonly (readonly Operation[])[], string])[] = [
  [
    'a prompt differs',
    [[modelTurn(1, { input: { turn: 'other' } })], ...whole.slice(1)],
    'model/1',
  ],
  [
    'a conversation differs further back',
    [whole[0] ?? [], [modelTurn(2)], ...whole.slice(2)],
    'model/2',
  ],
  [
    'a call is dropped',
    [...whole.slice(0, 2), [toolCall('tool/2/0')], ...whole.slice(3)],
    'tool/2/1',
  ],
  [
    'a call is dropped before a new one',
    [...whole.slice(0, 2), [toolCall('tool/2/0')], [modelTurn(9)]],
    'tool/2/1',
  ],
  [
    'a call is added',
    [...whole.slice(0, 2), [toolCall('tool/2/2')], ...whole.slice(2)],
    'tool/2/2',
  ],
  [
    'a call is moved',
    [...whole.slice(0, 3), [modelTurn(3, { extends: 'model/2', step: 4 })]],
    'model/3',
  ],
  [
    'a call asks for more',
    [...whole.slice(0, 2), [toolCall('tool/2/0', { effect: 'write' })]],
    'tool/2/0',
  ],
  ['the end comes early', whole.slice(0, 2), 'tool/2/1'],
];

for (const [what, operations, key] of changed) {
  test(`holds the goal at the operation where ${what}`, async () => {
    const kernel = await recorded();
    const { view, acts } = await runToEnd(kernel, operations);
    expect([view.state, acts]).toEqual(['held', []]);
    expect(view.holds).toMatchObject([
      {
        reason: 'diverged',
        state: 'open',
        operation_key: key,
        decisions: ['retry', 'cancel'],
      },
    ]);
    await kernel.decide(scope, 'goal-1', {
      holdId: 'hold-1',
      version: 1,
      decision: 'retry',
      reason: 'The right program is back.',
    });
    expect(await runToEnd(kernel, whole)).toMatchObject({ view: { state: 'completed' }, acts: [] });
    expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
  });
}

test('names the differing digests of a changed input', async () => {
  const kernel = await recorded();
  const { view } = await runToEnd(kernel, [[modelTurn(1, { input: 'other' })]]);
  const [hold] = view.holds;
  expect(hold?.facts.difference).toEqual({
    what: 'input_sha256',
    recorded: (await kernel.readOperation(scope, 'goal-1', { key: 'model/1' })).input_sha256,
    asked: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test('shows a conversation as its parts, each stored once', async () => {
  const kernel = await recorded();
  const { input } = await kernel.readOperation(scope, 'goal-1', { key: 'model/3' });
  expect(input).toEqual([{ turn: 1 }, { turn: 2 }, { turn: 3 }]);
});

test('ignores a decision that is appended again, and holds one that differs', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  const runWith = async (data: number, isLast: boolean): Promise<GoalView> => {
    const run = kernel.runGoal(scope, 'goal-1', {
      adapters: [
        adapter(async (context) => {
          context.log({ key: 'note/1', step: 1, type: 'reply-repaired', data: { quotes: data } });
          await context.perform(modelTurn(1), acting('hi').run);
          if (!isLast) run.stop();
          await context.perform(modelTurn(2), acting('ho').run);
          return outcome();
        }),
      ],
    });
    return run.done;
  };
  await runWith(1, false);
  expect(await runWith(2, false)).toMatchObject({
    holds: [{ reason: 'diverged', operation_key: 'note/1' }],
  });
  await kernel.decide(scope, 'goal-1', {
    holdId: 'hold-1',
    version: 1,
    decision: 'retry',
    reason: 'Again.',
  });
  expect(await runWith(1, true)).toMatchObject({ state: 'completed' });
  const types = [];
  for await (const { type } of kernel.readTrail(scope, 'goal-1')) types.push(type);
  expect(types.filter((type) => type === 'reply-repaired')).toHaveLength(1);
});

test('refuses a decision that poses as a record of the kernel', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  const program = adapter(async (context) => {
    context.log({ key: 'a', step: 1, type: 'operation-recorded', data: null });
    return outcome();
  });
  expect(await kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done).toMatchObject({
    state: 'failed',
    failure: { code: 'kernel/operation-invalid' },
  });
});

test('keeps a large decision beside the trail, by digest', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  const program = adapter(async (context) => {
    context.log({
      key: 'a',
      step: 1,
      type: 'context-compacted',
      data: { text: 'x'.repeat(100_000) },
    });
    await context.perform(modelTurn(1), acting('hi').run);
    return outcome();
  });
  await kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done;
  for await (const { type, data } of kernel.readTrail(scope, 'goal-1')) {
    if (type !== 'context-compacted') continue;
    expect(data).toMatchObject({
      oversize: { bytes: 100_012, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  }
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});

test('refuses an operation that the contract does not allow, and replays the refusal', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1', { task: { effect: 'read' } }));
  const act = acting('never');
  const program = adapter(async (context) => {
    const call = await context.perform(unsafeCall('tool/1/0'), act.run);
    return outcome({ kind: call.kind, code: call.kind === 'refused' ? call.reason.code : null });
  });
  expect(await kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done).toMatchObject({
    tasks: [{ output: { kind: 'refused', code: 'effect-not-allowed' } }],
  });
  expect(act.count).toBe(0);
});
