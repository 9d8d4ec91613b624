import {
  type JsonValue,
  MillforgeError,
  type Operation,
  operationUncertain,
  type Reconciliation,
} from '@millforge/contracts';
import type { TaskContext } from '@millforge/kernel';
import { expect, test } from 'vitest';
import {
  acting,
  adapter,
  contract,
  modelTurn,
  open,
  outcome,
  recordTypes,
  scope,
  temporaryDirectory,
  toolCall,
  unsafeCall,
} from './fixture.ts';

/** Runs a program to its end, and tells how the goal stands and whether its trail holds. */
async function ran(program: (context: TaskContext) => Promise<unknown>) {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal'));
  // A program without types can give anything.
  const run = program as (context: TaskContext) => Promise<JsonValue>;
  const view = await kernel.runGoal(scope, 'goal', { adapters: [adapter(run)] }).done;
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
  return { kernel, view };
}

const evil = (name: string): object =>
  Object.defineProperty(name === 'message' ? new Error('x') : {}, name, {
    enumerable: true,
    get() {
      throw new Error('evil');
    },
  });

test('performs nothing for a program that goes on after it gave its output', async () => {
  const late = acting('sent');
  const left: { context?: TaskContext } = {};
  const { kernel, view } = await ran(async (context) => {
    left.context = context;
    return outcome();
  });
  expect(view.state).toBe('completed');
  const before = await recordTypes(kernel, 'goal');
  const perform = left.context?.perform(unsafeCall('tool/2/0'), late.run);
  await expect(perform).rejects.toMatchObject({ code: 'operation/suspended' });
  const bytes = Buffer.from('late');
  const save = left.context?.saveArtifact(bytes, { mediaType: 'text/plain', maxBytes: 9 });
  await expect(save).rejects.toMatchObject({ code: 'operation/suspended' });
  expect(late.count).toBe(0);
  expect(await recordTypes(kernel, 'goal')).toEqual(before);
});

test('performs nothing for a branch of a program that nobody waits for, once the output is there', async () => {
  const late = acting('sent');
  const seen: unknown[] = [];
  const { kernel } = await ran(async (context) => {
    const branch = async (): Promise<void> => {
      await context.perform(toolCall('tool/1/0'), acting('read').run);
      await context.perform(unsafeCall('tool/2/0'), late.run);
    };
    branch().catch((error: unknown) => seen.push(error));
    return outcome();
  });
  expect(late.count).toBe(0);
  expect(seen).toMatchObject([{ code: 'operation/suspended' }]);
  expect(await kernel.readGoal(scope, 'goal')).toMatchObject({ state: 'completed' });
});

test.each([
  ['that has an effect', unsafeCall('tool/1/0')],
  ['that only reads', toolCall('tool/1/0')],
  ['that costs something', modelTurn(1, { key: 'tool/1/0' })],
])('gives the recorded outcome to whoever asks once more for an operation %s', async (_, one) => {
  const act = acting({ text: 'hi' });
  const outcomes: unknown[] = [];
  const { view } = await ran(async (context) => {
    outcomes.push(await context.perform(one, act.run), await context.perform(one, act.run));
    return outcome();
  });
  expect(view.state).toBe('completed');
  expect(act.count).toBe(1);
  expect(outcomes).toEqual([
    { kind: 'done', value: { text: 'hi' }, replayed: false },
    { kind: 'done', value: { text: 'hi' }, replayed: true },
  ]);
});

test('holds a program that asks for another operation under a key of its own', async () => {
  const act = acting('sent');
  const { view } = await ran(async (context) => {
    await context.perform(unsafeCall('tool/1/0'), act.run);
    await context.perform(unsafeCall('tool/1/0', { input: 'another' }), act.run);
    return outcome();
  });
  expect(view).toMatchObject({ state: 'held', holds: [{ reason: 'diverged' }] });
  expect(act.count).toBe(1);
});

test('refuses two operations at once under one key', async () => {
  const act = acting('sent');
  const { view } = await ran(async (context) => {
    const two = [0, 1].map(() => context.perform(unsafeCall('tool/1/0'), act.run));
    await Promise.all(two);
    return outcome();
  });
  expect(view.failure).toMatchObject({ code: 'kernel/operation-invalid' });
  expect(act.count).toBe(1);
});

const wrong: readonly (readonly [string, object | null])[] = [
  ['that is none', null],
  ['without a key', { key: undefined }],
  ['whose key ends in half a character', { key: 'tool/1/\ud83d' }],
  ['of an effect that nobody knows', { effect: 'harmless' }],
  ['without an effect', { effect: undefined }],
  ['of a repeat that nobody knows', { repeat: 'perhaps' }],
  ['of a kind that nobody knows', { kind: 'oracle' }],
  ['that is metered by a word', { metered: 'no' }],
  ['whose input holds a function', { input: { call: () => 1 } }],
  ['whose bound is below nothing', { usageBound: { input_tokens: -7 } }],
  ['whose key lives for no number of milliseconds', { keyTtlMs: Number.NaN }],
];

test.each(wrong)('refuses an operation %s, and the attempt fails', async (_, more) => {
  const act = acting('sent');
  const { view } = await ran(async (context) => {
    // A program without types can ask for anything.
    const operation = (more === null ? null : { ...unsafeCall('tool/1/0'), ...more }) as Operation;
    await context.perform(operation, act.run);
    return outcome();
  });
  expect(view).toMatchObject({ state: 'failed', failure: { code: 'kernel/operation-invalid' } });
  expect(act.count).toBe(0);
});

test.each([
  ['an output that throws when it is read', async () => evil('value'), 'output-invalid'],
  ['an error that throws when it is read', () => Promise.reject(evil('message')), 'adapter-threw'],
  ['nothing', async () => undefined, 'output-invalid'],
])('fails the attempt of a program that gives %s', async (_, program, code) => {
  const { view } = await ran(program);
  expect(view).toMatchObject({ state: 'failed', failure: { code } });
});

test('cuts a message that quotes a whole file, before it goes into rows and records', async () => {
  const { view, kernel } = await ran(() => Promise.reject(new Error('é'.repeat(1_000_000))));
  expect(view.failure?.message).toHaveLength(16_384);
  for await (const record of kernel.readTrail(scope, 'goal')) {
    expect(JSON.stringify(record).length).toBeLessThan(65_536);
  }
});

test('leaves out details of a failure that cannot be recorded', async () => {
  const cycle: { self?: object } = {};
  cycle.self = cycle;
  const { view } = await ran(async (context) => {
    const failed = await context.perform(toolCall('tool/1/0'), () =>
      Promise.reject(
        new MillforgeError('operation/failed', 'No.', {
          details: { code: 'no', data: cycle as JsonValue },
        }),
      ),
    );
    expect(failed).toEqual({
      kind: 'failed',
      error: { code: 'no', message: 'No.' },
      replayed: false,
    });
    return outcome();
  });
  expect(view.state).toBe('completed');
});

test.each([
  ['nothing', null],
  ['a kind that nobody knows', { kind: 'perhaps' }],
  ['an outcome that is no JSON', { kind: 'happened', value: () => 1 }],
  ['an outcome that is too large', { kind: 'happened', value: 'x'.repeat(1_048_576) }],
  ['an answer that throws when it is read', evil('kind')],
])('asks a person when looking gives %s', async (_, answer) => {
  const { view } = await ran(async (context) => {
    // A program without types can give anything.
    const call = unsafeCall('tool/1/0', { reconcile: async () => answer as Reconciliation });
    await context.perform(call, () =>
      Promise.reject(operationUncertain({ code: 'lost', message: 'Lost.' })),
    );
    return outcome();
  });
  expect(view).toMatchObject({ state: 'held', holds: [{ reason: 'ambiguous-operation' }] });
});

test('records an outcome whose usage no counter can have counted, without that usage', async () => {
  const { view } = await ran(async (context) => {
    await context.perform(modelTurn(1), async () => ({
      value: 'hi',
      usage: { input_tokens: 1e300, output_tokens: -5, cost_micros: Number.NaN, tool_calls: 2 },
    }));
    return outcome();
  });
  expect(view).toMatchObject({ state: 'completed', usage: { tool_calls: 2 } });
  expect(view.usage).not.toHaveProperty('input_tokens');
});

test.each([
  ['a text in place of bytes', 'text', { mediaType: 'text/plain', maxBytes: 9 }],
  [
    'a limit that is no number',
    Buffer.from('x'),
    { mediaType: 'text/plain', maxBytes: Number.NaN },
  ],
  ['no media type', Buffer.from('x'), { maxBytes: 9 }],
  ['half a character', Buffer.from('x'), { mediaType: 'text/\ud83d', maxBytes: 9 }],
])('saves no artifact that is given %s', async (_, bytes, options) => {
  const { view } = await ran(async (context) => {
    await context.saveArtifact(bytes as Buffer, options as { mediaType: string; maxBytes: number });
    return outcome();
  });
  expect(view.failure).toMatchObject({ code: 'artifact/invalid' });
});
