import type { Decision, Kernel, Scope } from '@millforge/kernel';
import { expect, test } from 'vitest';
import { contract, open, scope, temporaryDirectory } from './fixture.ts';

const decision = { holdId: 'hold-1', version: 1, decision: 'retry', reason: 'Because.' } as const;
const decide = (kernel: Kernel, more: object | null): Promise<unknown> =>
  // A program without types can give anything.
  kernel.decide(scope, 'goal', (more === null ? null : { ...decision, ...more }) as Decision);
const readFrom = async (kernel: Kernel, from: number): Promise<void> => {
  for await (const record of kernel.readTrail(scope, 'goal', { from })) void record;
};
const run = async (kernel: Kernel, concurrency: number): Promise<unknown> =>
  kernel.runGoal(scope, 'goal', { adapters: [], concurrency }).done;
const work = (kernel: Kernel, concurrency: number): Promise<unknown> =>
  kernel.runWorker({ adapters: [], concurrency, signal: AbortSignal.abort() }).done;

const wrong: readonly (readonly [string, (kernel: Kernel) => Promise<unknown>])[] = [
  ['a list of no number of goals', (kernel) => kernel.listGoals(scope, { limit: Number.NaN })],
  ['a list of half a goal', (kernel) => kernel.listGoals(scope, { limit: 1.5 })],
  ['a trail from no number', (kernel) => readFrom(kernel, Number.NaN)],
  ['a run of no attempts at once', (kernel) => run(kernel, 0)],
  ['a run of half an attempt at once', (kernel) => run(kernel, 1.5)],
  ['a worker of no attempts at once', (kernel) => work(kernel, 0)],
  ['no decision', (kernel) => decide(kernel, null)],
  ['a decision about nothing', (kernel) => decide(kernel, { holdId: undefined })],
  ['a decision without a reason', (kernel) => decide(kernel, { reason: undefined })],
  ['a decision whose reason is a book', (kernel) => decide(kernel, { reason: 'x'.repeat(4097) })],
  ['a word in place of a yes', (kernel) => decide(kernel, { evenIfRunning: 'no' })],
  ['an outcome that is no JSON', (kernel) => decide(kernel, { outcome: () => 1 })],
  ['an outcome that is too large', (kernel) => decide(kernel, { outcome: 'x'.repeat(1_048_576) })],
  [
    'a cancellation without a reason',
    (kernel) => kernel.cancelGoal(scope, 'goal', { version: 1, reason: undefined as never }),
  ],
];

test.each(wrong)('refuses %s in one sentence, before anything is done', async (_, call) => {
  const kernel = await open(temporaryDirectory());
  const admitted = await kernel.admitGoal(scope, contract('goal'));
  await expect(call(kernel)).rejects.toMatchObject({
    code: 'kernel/argument-invalid',
    message: expect.stringMatching(/^[^\n]+\.$/),
  });
  expect(await kernel.readGoal(scope, 'goal')).toEqual(admitted);
});

test('finds no goal under what is no name', async () => {
  const kernel = await open(temporaryDirectory());
  const name = { goal: 'goal' } as never; // As a program without types would.
  await expect(kernel.readGoal(scope, name)).rejects.toMatchObject({ code: 'kernel/not-found' });
  await expect(kernel.verifyTrail(scope, name)).rejects.toMatchObject({ code: 'kernel/not-found' });
});

test('refuses a scope that is not there', async () => {
  const kernel = await open(temporaryDirectory());
  const nobody = undefined as unknown as Scope; // As a program without types would.
  const admitting = kernel.admitGoal(nobody, contract('goal'));
  await expect(admitting).rejects.toMatchObject({ code: 'kernel/scope-invalid' });
});

test.each([
  ['/inputs/rate', { inputs: { rate: Number.NaN } }],
  ['/labels', { labels: undefined }],
  ['/inputs/list/1', { inputs: { list: [1, () => 1] } }],
])('says at %s that a contract holds what is no JSON', async (path, more) => {
  const kernel = await open(temporaryDirectory());
  // A program without types can give anything.
  const given = { ...contract('goal'), ...more } as ReturnType<typeof contract>;
  await expect(kernel.admitGoal(scope, given)).rejects.toMatchObject({
    code: 'kernel/contract-invalid',
    message: expect.stringMatching(`: ${path}: `),
  });
});
