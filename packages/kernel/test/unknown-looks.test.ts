import type { Clock, JsonValue, Operation, Reconciliation } from '@millforge/contracts';
import { operationUncertain } from '@millforge/contracts';
import type { GoalContract, WorkAdapter } from '@millforge/kernel';
import { expect, test } from 'vitest';
import {
  acting,
  adapter,
  contract,
  gate,
  open,
  outcome,
  scope,
  systemClock,
  temporaryDirectory,
  unsafeCall,
} from './fixture.ts';

/** A clock by which the longest time that a look may take is over at once. */
const impatient: Clock = {
  ...systemClock,
  delay: (ms, signal) => systemClock.delay(ms === 30_000 ? 0 : ms, signal),
};

const threw = async (): Promise<Reconciliation> => {
  throw new Error('The inbox does not answer.');
};
const silent = (): Promise<Reconciliation> => new Promise(() => {});

test.each([
  ['throws', threw, 'threw'],
  ['does not come back', silent, 'too-slow'],
])(
  'asks a person where the look that %s tells nothing, and performs nothing again',
  async (_, reconcile, error) => {
    const kernel = await open(temporaryDirectory(), { clock: impatient });
    await kernel.admitGoal(scope, contract('goal-1'));
    let acts = 0;
    const program = adapter(async (context) => {
      await context.perform(unsafeCall('tool/1/0', { reconcile }), async () => {
        acts += 1;
        throw operationUncertain({ code: 'timeout', message: 'The answer was lost.' });
      });
      return outcome();
    });
    const view = await kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done;
    expect([view.state, acts]).toEqual(['held', 1]);
    expect(view.holds).toMatchObject([
      {
        reason: 'ambiguous-operation',
        facts: { reconciliation: { kind: 'unknown', evidence: { error } } },
      },
    ]);
  },
);

test('takes no look for an answer while the act that it is about may still come, in the process that began it', async () => {
  const kernel = await open(temporaryDirectory(), { graceMs: 5 });
  await kernel.admitGoal(scope, contract('goal-1'));
  const begun = gate();
  const ended = gate();
  let looks = 0;
  const call: Operation = unsafeCall('tool/1/0', {
    reconcile: async () => {
      looks += 1;
      return { kind: 'not-happened' };
    },
  });
  const program = (act: () => Promise<{ value: JsonValue }>) =>
    adapter(async (context) => {
      await context.perform(call, act);
      return outcome();
    });
  const deaf = program(async () => {
    begun.open();
    await ended.opened;
    return { value: 'late' };
  });
  const first = kernel.runGoal(scope, 'goal-1', { adapters: [deaf] });
  await begun.opened;
  first.stop({ now: true });
  expect(await first.done).toMatchObject({ interruption: { reason: 'stopped' } });

  const again = acting('again');
  const adapters = [program(again.run)];
  const view = await kernel.runGoal(scope, 'goal-1', { adapters }).done;
  expect([view.state, looks, again.count]).toEqual(['held', 0, 0]);
  expect(view.holds).toMatchObject([
    { reason: 'ambiguous-operation', facts: { former_owner: { alive: true } } },
  ]);
  ended.open();
});

const SEND = { kind: 'tool', name: 'send', version: '1', parameters: null } as const;

/** A goal of one task that is in doubt as a whole. */
const sending: GoalContract = {
  ...contract('goal-1'),
  required_checks: [],
  unchecked: true,
  limits: { units: 2 },
  tasks: [{ task_id: 'send', adapter: SEND, effect: 'external', max_attempts: 2 }],
};

test.each([
  ['throws', threw, 'threw'],
  ['does not come back', silent, 'too-slow'],
])('asks a person where the look at a whole attempt %s', async (_, reconcile, error) => {
  const kernel = await open(temporaryDirectory(), { clock: impatient });
  await kernel.admitGoal(scope, sending);
  let attempts = 0;
  const run = async (): Promise<never> => {
    attempts += 1;
    throw new Error('The line broke.');
  };
  const view = await kernel.runGoal(scope, 'goal-1', { adapters: [{ ...SEND, run, reconcile }] })
    .done;
  expect([view.state, attempts]).toEqual(['held', 1]);
  expect(view.holds).toMatchObject([
    {
      reason: 'ambiguous-attempt',
      facts: { reconciliation: { kind: 'unknown', evidence: { error } } },
    },
  ]);
});

test('does not look for a whole attempt that still goes on in this process', async () => {
  const kernel = await open(temporaryDirectory(), { graceMs: 5 });
  await kernel.admitGoal(scope, sending);
  const begun = gate();
  const ended = gate();
  let looks = 0;
  let attempts = 0;
  const send: WorkAdapter = {
    ...SEND,
    async run() {
      attempts += 1;
      begun.open();
      await ended.opened;
      return 'late';
    },
    async reconcile() {
      looks += 1;
      return { kind: 'not-happened' };
    },
  };
  const first = kernel.runGoal(scope, 'goal-1', { adapters: [send] });
  await begun.opened;
  first.stop({ now: true });
  await first.done;
  const view = await kernel.runGoal(scope, 'goal-1', { adapters: [send] }).done;
  expect([view.state, looks, attempts]).toEqual(['held', 0, 1]);
  ended.open();
});
