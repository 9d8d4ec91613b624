import { setImmediate as turn } from 'node:timers/promises';
import type { GoalContract, GoalView, HoldView, Kernel, WorkAdapter } from '@millforge/kernel';
import { expect, test } from 'vitest';
import {
  contract,
  gate,
  open,
  records,
  scope,
  systemClock,
  temporaryDirectory,
} from './fixture.ts';

const SEND = { kind: 'tool', name: 'send', version: '1', parameters: null } as const;

function sending(more: Partial<GoalContract['tasks'][number]> = {}): GoalContract {
  return {
    ...contract('goal-1'),
    required_checks: [],
    unchecked: true,
    limits: { units: 2 },
    tasks: [{ task_id: 'send', adapter: SEND, effect: 'external', ...more }],
  };
}

function send(run: WorkAdapter['run'], more: Partial<WorkAdapter> = {}): WorkAdapter {
  return { ...SEND, run, ...more };
}

async function throwing(given: GoalContract, more: Partial<WorkAdapter> = {}) {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, given);
  const keys: string[] = [];
  const adapter = send(async ({ idempotencyKey }) => {
    keys.push(idempotencyKey);
    throw new Error('The line broke.');
  }, more);
  const view = await kernel.runGoal(scope, 'goal-1', { adapters: [adapter] }).done;
  return { kernel, view, keys };
}

function openHold(view: GoalView): HoldView {
  const hold = view.holds.find(({ state }) => state === 'open');
  if (hold === undefined) throw new Error('No hold is open.');
  return hold;
}

async function decide(kernel: Kernel, more: object): Promise<GoalView> {
  const { hold_id, version } = openHold(await kernel.readGoal(scope, 'goal-1'));
  const decision = { holdId: hold_id, version, decision: 'retry', reason: 'I looked.' } as const;
  return kernel.decide(scope, 'goal-1', { ...decision, ...more });
}

test('holds an attempt whose effect nobody can know, with its units', async () => {
  const { view } = await throwing(sending());
  expect(view.state).toBe('held');
  expect(view.tasks[0]).toMatchObject({ state: 'held', attempt: { state: 'ambiguous' } });
  expect(view.budget).toMatchObject({ reserved: 1, used: 0 });
  expect(openHold(view)).toMatchObject({
    reason: 'ambiguous-attempt',
    decisions: ['retry', 'accept', 'cancel'],
    attempt: 1,
    facts: {
      effect: 'external',
      failure: { code: 'adapter-threw', message: 'The line broke.' },
      former_owner: { alive: false, act_settled: true },
    },
  });
});

test('takes the output that a person attests, and says so', async () => {
  const { kernel } = await throwing(sending());
  const view = await decide(kernel, { decision: 'accept', outcome: { sent: true } });
  expect(view.state).toBe('checking');
  expect(view.tasks[0]).toMatchObject({ state: 'completed', output: { sent: true } });
  const ended = await kernel.runGoal(scope, 'goal-1', { adapters: [] }).done;
  expect(ended.state).toBe('completed');
  const attested = (await records(kernel, 'goal-1')).find(
    ({ type }) => type === 'attempt-attested',
  );
  expect(attested?.data).toMatchObject({ attempts: [{ attested_by: 'ann@host' }] });
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});

test('makes another attempt on retry under the first key, and counts the units of the one in doubt', async () => {
  const { kernel, keys } = await throwing(sending());
  await decide(kernel, {});
  let key = '';
  const view = await kernel.runGoal(scope, 'goal-1', {
    adapters: [
      send(async (context) => {
        key = context.idempotencyKey;
        return 'sent';
      }),
    ],
  }).done;
  expect(view).toMatchObject({ state: 'completed', budget: { limit: 2, reserved: 0, used: 2 } });
  expect(view.tasks[0]?.attempt).toMatchObject({ number: 2, state: 'recorded' });
  expect(key).toBe(keys[0]);
});

test('gives a retry a new key when a person says so', async () => {
  const { kernel, keys } = await throwing(sending());
  await decide(kernel, { newKey: true });
  let key = keys[0];
  await kernel.runGoal(scope, 'goal-1', {
    adapters: [
      send(async (context) => {
        key = context.idempotencyKey;
        return null;
      }),
    ],
  }).done;
  expect(key).not.toBe(keys[0]);
});

test('refuses a retry that has no units left', async () => {
  const { kernel } = await throwing({ ...sending(), limits: { units: 1 } });
  await expect(decide(kernel, {})).rejects.toMatchObject({
    code: 'kernel/decision-not-allowed',
    message: /needs 1 units and the goal has 0 left/,
  });
});

test('asks the adapter before a person: what happened is recorded', async () => {
  const { view } = await throwing(sending(), {
    reconcile: async () => ({ kind: 'happened', value: 'it was sent', evidence: { id: 7 } }),
  });
  expect(view.state).toBe('completed');
  expect(view.tasks[0]).toMatchObject({ output: 'it was sent', attempt: { state: 'recorded' } });
});

test('asks the adapter before a person: what did not happen is done again under a new key', async () => {
  const { view, keys } = await throwing(sending({ max_attempts: 2 }), {
    reconcile: async () => ({ kind: 'not-happened' }),
  });
  expect(keys.length).toBe(2);
  expect(new Set(keys).size).toBe(2);
  expect(view).toMatchObject({ state: 'failed', budget: { reserved: 0, used: 2 } });
});

test.each(['safe', 'keyed'] as const)(
  'repeats a %s attempt first, and asks only after the last one',
  async (repeat) => {
    const { view, keys } = await throwing(sending({ repeat, max_attempts: 2 }));
    expect(keys.length).toBe(2);
    expect(new Set(keys).size).toBe(1);
    expect(openHold(view).reason).toBe('ambiguous-attempt');
  },
);

test('repeats in the name of whoever admitted the goal where its contract says so', async () => {
  const { view, keys } = await throwing({ ...sending(), on_ambiguous: 'retry' });
  expect(keys.length).toBe(2);
  expect(view.holds.map(({ state }) => state)).toEqual(['decided', 'open']);
  expect(view.holds[0]?.decision).toMatchObject({ decision: 'retry', actor: 'ann@host' });
});

test('waits for an attempt that would be in doubt when it is stopped, and records it', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, sending());
  const finished = gate();
  const entered = gate();
  const run = kernel.runGoal(scope, 'goal-1', {
    adapters: [
      send(async ({ signal }) => {
        entered.open();
        await finished.opened;
        return { aborted: signal.aborted };
      }),
    ],
  });
  await entered.opened;
  run.stop();
  await turn();
  finished.open();
  await run.done;
  const view = await kernel.readGoal(scope, 'goal-1');
  expect(view.tasks[0]).toMatchObject({ state: 'completed', output: { aborted: false } });
});

test('holds an attempt that was told to end at once, refuses a retry while it runs, and keeps its late output', async () => {
  const kernel = await open(temporaryDirectory(), { graceMs: 1 });
  await kernel.admitGoal(scope, sending());
  const finished = gate();
  const entered = gate();
  const adapters = [
    send(async () => {
      entered.open();
      await finished.opened;
      return 'late';
    }),
  ];
  const run = kernel.runGoal(scope, 'goal-1', { adapters });
  await entered.opened;
  run.stop({ now: true });
  expect(await run.done).toMatchObject({ tasks: [{ attempt: { state: 'ambiguous' } }] });
  const held = await kernel.runGoal(scope, 'goal-1', { adapters }).done;
  expect(openHold(held).facts.former_owner).toMatchObject({ alive: true, act_settled: false });
  await expect(decide(kernel, {})).rejects.toMatchObject({ code: 'kernel/former-owner-alive' });
  finished.open();
  let late: number | undefined;
  while (late === undefined) {
    await systemClock.delay(2);
    late = (await records(kernel, 'goal-1')).find(({ type }) => type === 'result-refused')?.seq;
  }
  const view = await decide(kernel, { decision: 'accept', seq: late });
  expect(view.tasks[0]).toMatchObject({ state: 'completed', output: 'late' });
});

test('fails the attempt of an operation-wise task that throws, whatever its effect', async () => {
  const { view } = await throwing(sending({ doubt: 'operation' }));
  expect(view).toMatchObject({ state: 'failed', failure: { code: 'adapter-threw' } });
});
