import type { Kernel, Permission, Scope } from '@millforge/kernel';
import { ALL_PERMISSIONS } from '@millforge/kernel';
import { assert, asyncProperty, constantFrom, subarray } from 'fast-check';
import { expect, test } from 'vitest';
import { adapter, contract, open, outcome, scope, temporaryDirectory } from './fixture.ts';

/** Every call that names a goal, with the permission that it needs. */
const CALLS: readonly (readonly [
  name: string,
  permission: Permission,
  call: (kernel: Kernel, as: Scope, goalId: string) => Promise<unknown>,
])[] = [
  ['readGoal', 'goal.read', (kernel, as, goalId) => kernel.readGoal(as, goalId)],
  [
    'runGoal',
    'goal.admit',
    (kernel, as, goalId) => kernel.runGoal(as, goalId, { adapters: [] }).done,
  ],
  [
    'decide',
    'goal.decide',
    (kernel, as, goalId) =>
      kernel.decide(as, goalId, { holdId: 'hold-1', version: 1, decision: 'retry', reason: 'x' }),
  ],
  [
    'cancelGoal',
    'goal.cancel',
    (kernel, as, goalId) => kernel.cancelGoal(as, goalId, { version: -1, reason: 'x' }),
  ],
  [
    'readTrail',
    'goal.read',
    async (kernel, as, goalId) => {
      for await (const record of kernel.readTrail(as, goalId)) return record;
      return null;
    },
  ],
  [
    'exportTrail',
    'trail.export',
    async (kernel, as, goalId) => {
      for await (const line of kernel.exportTrail(as, goalId)) return line;
      return null;
    },
  ],
  ['verifyTrail', 'goal.read', (kernel, as, goalId) => kernel.verifyTrail(as, goalId)],
  [
    'readOperation',
    'goal.read',
    (kernel, as, goalId) => kernel.readOperation(as, goalId, { key: 'model/1' }),
  ],
];

const calls = constantFrom(...CALLS);

async function opened(): Promise<Kernel> {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  return kernel;
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => ({ value }),
    (error: { readonly code: string; readonly message: string }) => ({
      code: error.code,
      message: error.message,
    }),
  );
}

test('tells another tenant the same of a goal that exists as of one that does not', async () => {
  const kernel = await opened();
  await assert(
    asyncProperty(
      calls,
      subarray([...ALL_PERMISSIONS]),
      constantFrom('other', 'local ', 'LOCAL', 'x'),
      async ([, , call], permissions, tenant) => {
        const as = { ...scope, tenant, permissions };
        const exists = await failureOf(call(kernel, as, 'goal-1'));
        expect(exists).toMatchObject({ code: 'kernel/not-found' });
        expect(await failureOf(call(kernel, as, 'goal-2'))).toEqual(exists);
      },
    ),
    { numRuns: 60 },
  );
  const other = { ...scope, tenant: 'other' };
  expect(await kernel.listGoals(other)).toEqual([]);
  expect(await kernel.verifyTrail(other)).toEqual({ ok: true, goals: 0, records: 0 });
});

test.each(CALLS)('refuses %s on a visible goal without %s', async (_name, permission, call) => {
  const kernel = await opened();
  const as = { ...scope, permissions: ALL_PERMISSIONS.filter((one) => one !== permission) };
  expect(await failureOf(call(kernel, as, 'goal-1'))).toEqual({
    code: 'kernel/not-permitted',
    message: `ann@host lacks the permission ${permission}; ask whoever gives permissions here.`,
  });
  expect(await failureOf(call(kernel, as, 'goal-2'))).toMatchObject({ code: 'kernel/not-found' });
});

test('refuses to admit, list and store without permission', async () => {
  const kernel = await opened();
  const as: Scope = { ...scope, permissions: [] };
  const refused = { code: 'kernel/not-permitted' };
  await expect(kernel.admitGoal(as, contract('goal-3'))).rejects.toMatchObject(refused);
  await expect(kernel.listGoals(as)).rejects.toMatchObject(refused);
  const store = kernel.artifacts(as);
  const options = { mediaType: 'text/plain', maxBytes: 10 };
  await expect(store.put(Buffer.from('x'), options)).rejects.toMatchObject(refused);
  expect(await kernel.listGoals(scope)).toHaveLength(1);
});

test('refuses a scope that says something which nobody knows', async () => {
  const kernel = await opened();
  // A host without types can say anything.
  const as = { ...scope, permissions: ['goal.everything'] } as unknown as Scope;
  await expect(kernel.readGoal(as, 'goal-1')).rejects.toMatchObject({
    code: 'kernel/scope-invalid',
  });
});

test('shows a run of one tenant nothing of another with the same names', async () => {
  const kernel = await opened();
  const other = { ...scope, tenant: 'other' };
  await kernel.admitGoal(other, contract('goal-1', { inputs: { text: 'theirs' } }));
  const seen: unknown[] = [];
  const run = adapter(async ({ inputs }) => {
    seen.push(inputs);
    return outcome();
  });
  await kernel.runGoal(scope, 'goal-1', { adapters: [run] }).done;
  expect(seen).toEqual([{ text: 'hello' }]);
  expect((await kernel.readGoal(other, 'goal-1')).state).toBe('ready');
});
