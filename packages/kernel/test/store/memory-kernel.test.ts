import { type Clock, type Ids, operationUncertain } from '@millforge/contracts';
import { operationLogConformance, sequentialIds } from '@millforge/contracts/testing';
import type { Kernel } from '@millforge/kernel';
import { type KernelStore, openKernelOnStore } from '@millforge/kernel/store';
import { createMemoryStore } from '@millforge/kernel/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  acting,
  adapter,
  contract,
  gate,
  modelTurn,
  outcome,
  randomIds,
  scope,
  systemClock,
  temporaryDirectory,
  unsafeCall,
} from '../fixture.ts';
import { logSubject } from '../log-subject.ts';

async function openOn(
  store: KernelStore,
  { clock = systemClock, ids = randomIds }: { readonly clock?: Clock; readonly ids?: Ids } = {},
): Promise<Kernel> {
  return openKernelOnStore({ store, artifacts: temporaryDirectory(), clock, ids, graceMs: 50 });
}

describe('on a store in memory', () => {
  operationLogConformance({
    test,
    createLog: (options) =>
      logSubject(
        (clock) => openOn(createMemoryStore({ clock }).store, { clock, ids: sequentialIds() }),
        options,
      ),
  });
});

test('runs a goal on a store of its own, stops it, and goes on in another process where it was', async () => {
  const { store, another } = createMemoryStore({ clock: systemClock });
  const first = await openOn(store);
  await first.admitGoal(scope, contract('goal-1'));
  const [one, two] = [acting('one'), acting('two')];
  const entered = gate();
  const stopping = first.runGoal(scope, 'goal-1', {
    adapters: [
      adapter(async (context) => {
        await context.perform(modelTurn(1), one.run);
        entered.open();
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        return null;
      }),
    ],
  });
  await entered.opened;
  stopping.stop();
  expect(await stopping.done).toMatchObject({ interruption: { reason: 'stopped' } });
  await first[Symbol.asyncDispose]();

  const second = await openOn(another());
  onTestFinished(() => second[Symbol.asyncDispose]());
  const again = await second.runGoal(scope, 'goal-1', {
    adapters: [
      adapter(async (context) => {
        await context.perform(modelTurn(1), one.run);
        await context.perform(modelTurn(2), two.run);
        return outcome();
      }),
    ],
  }).done;
  expect(again).toMatchObject({
    state: 'completed',
    tasks: [{ attempt: { number: 1, fence: 2 } }],
  });
  expect([one.count, two.count]).toEqual([1, 1]);
  expect(await second.verifyTrail(scope)).toMatchObject({ ok: true, goals: 1 });
});

test('holds what nobody knows on a store of its own, and takes the answer of a person', async () => {
  const { store } = createMemoryStore({ clock: systemClock });
  const kernel = await openOn(store);
  onTestFinished(() => kernel[Symbol.asyncDispose]());
  await kernel.admitGoal(scope, contract('goal-1'));
  const program = adapter(async (context) => {
    const sent = await context.perform(unsafeCall('tool/1/0'), async () => {
      throw operationUncertain({ code: 'timeout', message: 'The answer was lost.' });
    });
    return outcome({ sent: sent.kind === 'done' ? sent.value : null });
  });
  const held = await kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done;
  const [hold] = held.holds;
  await kernel.decide(scope, 'goal-1', {
    holdId: hold?.hold_id ?? '',
    version: hold?.version ?? 0,
    decision: 'accept',
    outcome: 'it arrived',
    reason: 'I looked.',
  });
  const ended = await kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done;
  expect(ended).toMatchObject({ state: 'completed', tasks: [{ output: { sent: 'it arrived' } }] });
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});

test('takes goals up with workers on one store, and gives each to one of them', async () => {
  const { store, another } = createMemoryStore({ clock: systemClock });
  const kernels = [await openOn(store), await openOn(another())];
  const [kernel] = kernels;
  const names = Array.from({ length: 12 }, (_, place) => `goal-${place}`);
  for (const name of names) await kernel?.admitGoal(scope, contract(name));
  const acts = new Map<string, number>();
  const ending = new AbortController();
  const over = gate();
  const workers = kernels.map((one) =>
    one.runWorker({
      signal: ending.signal,
      adapters: [
        adapter(async (context) => {
          const { goalId } = context;
          await context.perform(unsafeCall('tool/1/0'), async () => {
            acts.set(goalId, (acts.get(goalId) ?? 0) + 1);
            if (acts.size === names.length) over.open();
            return { value: null };
          });
          return outcome();
        }),
      ],
    }),
  );
  await over.opened;
  ending.abort();
  await Promise.all(workers.map(({ done }) => done));
  expect([...acts.values()]).toEqual(names.map(() => 1));
  const verdict = await kernel?.verifyTrail(scope);
  expect(verdict).toMatchObject({ ok: true, goals: 12 });
  for (const one of kernels) await one[Symbol.asyncDispose]();
});

test('says that a store of its own has no file to be copied or examined', async () => {
  const kernel = await openOn(createMemoryStore({ clock: systemClock }).store);
  onTestFinished(() => kernel[Symbol.asyncDispose]());
  for (const work of [
    () => kernel.backup('/nowhere'),
    () => kernel.examine(),
    () => kernel.collectArtifacts(),
  ]) {
    await expect(work()).rejects.toMatchObject({ code: 'kernel/no-file' });
  }
});
