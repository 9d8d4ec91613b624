import type { Clock } from '@millforge/contracts';
import { expect, test } from 'vitest';
import {
  adapter,
  contract,
  gate,
  open,
  outcome,
  records,
  scope,
  systemClock,
  temporaryDirectory,
  toolCall,
} from './fixture.ts';

const LEASE_MS = 1000;

/** The clock of a process that was stopped: its heart beats no more, and it finds itself late when it wakes up. */
function stoppedClock(): Clock & { wakeUp(): void } {
  let lateMs = 0;
  return {
    now: () => systemClock.now(),
    monotonicMs: () => systemClock.monotonicMs() + lateMs,
    delay: (ms, signal) =>
      systemClock.delay(ms < LEASE_MS / 4 ? ms : 1_000_000, signal ?? new AbortController().signal),
    wakeUp: () => {
      lateMs = 2 * LEASE_MS;
    },
  };
}

/** A clock on which the silence of another process is soon long enough. */
function hurriedClock(): Clock {
  let skippedMs = 0;
  return {
    now: () => systemClock.now(),
    monotonicMs: () => systemClock.monotonicMs() + skippedMs,
    async delay(ms, signal) {
      if (ms > LEASE_MS / 4) return systemClock.delay(ms, signal);
      skippedMs += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test.each(['read', 'external'] as const)(
  'lets whoever lost its lease while it was stopped enter no further act of effect %s',
  async (effect) => {
    const directory = temporaryDirectory();
    const clock = stoppedClock();
    const first = await open(directory, { clock });
    const second = await open(directory, { clock: hurriedClock() });
    const isEntered = gate();
    const isTaken = gate();
    const entered: string[] = [];
    const program = (who: string, between: () => Promise<void>) =>
      adapter(async (context) => {
        for (const step of [1, 2, 3]) {
          await context
            .perform(toolCall(`tool/${step}/0`, { effect }), async () => {
              entered.push(`${who} ${step}`);
              return { value: step };
            })
            // Whatever it was told, a program may go on.
            .catch(() => undefined);
          if (step === 1) await between();
        }
        return outcome();
      });
    await first.admitGoal(scope, contract('goal-1', { task: { lease_ms: LEASE_MS } }));
    const slow = program('first', async () => {
      isEntered.open();
      await isTaken.opened;
    });
    const losing = first.runGoal(scope, 'goal-1', { adapters: [slow] }).done;
    await isEntered.opened;
    const quick = program('second', async () => {
      clock.wakeUp();
      isTaken.open();
      await expect(losing).rejects.toMatchObject({ code: 'kernel/lease-lost' });
    });
    const view = await second.runGoal(scope, 'goal-1', { adapters: [quick] }).done;
    expect(view).toMatchObject({ state: 'completed', tasks: [{ attempt: { fence: 2 } }] });
    expect(entered).toEqual(['first 1', 'second 2', 'second 3']);
    const told = (await records(second, 'goal-1')).map(({ type }) => type);
    // What its program gave in the end is kept as evidence.
    expect(told.filter((type) => type === 'result-refused')).toHaveLength(1);
    expect(await second.verifyTrail(scope)).toMatchObject({ ok: true });
  },
);

test('does not look for a whole attempt that another living process may still finish', async () => {
  const directory = temporaryDirectory();
  const first = await open(directory, { clock: stoppedClock(), graceMs: 5 });
  const second = await open(directory, { clock: hurriedClock() });
  const send = { kind: 'tool', name: 'send', version: '1', parameters: null } as const;
  await first.admitGoal(scope, {
    ...contract('goal-1'),
    required_checks: [],
    unchecked: true,
    tasks: [{ task_id: 'send', adapter: send, effect: 'external', lease_ms: LEASE_MS }],
  });
  const isEntered = gate();
  const isSent = gate();
  const slow = first.runGoal(scope, 'goal-1', {
    adapters: [
      {
        ...send,
        async run() {
          isEntered.open();
          await isSent.opened;
          return 'sent';
        },
      },
    ],
  });
  await isEntered.opened;
  const entered: string[] = [];
  const quick = {
    ...send,
    async run() {
      entered.push('run');
      return 'sent again';
    },
    async reconcile() {
      entered.push('reconcile');
      return { kind: 'not-happened' } as const;
    },
  };
  const view = await second.runGoal(scope, 'goal-1', { adapters: [quick] }).done;
  expect([view.state, entered]).toEqual(['held', []]);
  expect(view.holds).toMatchObject([
    {
      reason: 'ambiguous-attempt',
      facts: { former_owner: { alive: true, act_settled: false } },
    },
  ]);
  isSent.open();
  await expect(slow.done).rejects.toMatchObject({ code: 'kernel/lease-lost' });
});

// Without a heartbeat it would be told as well, but only some seconds later.
test('tells an act at the next heartbeat that another process cancelled its goal', {
  timeout: 3000,
}, async () => {
  const directory = temporaryDirectory();
  // Its heart beats at once.
  const clock: Clock = {
    ...systemClock,
    delay: (ms, signal) => systemClock.delay(ms / 100, signal),
  };
  const first = await open(directory, { clock });
  const second = await open(directory);
  await first.admitGoal(scope, contract('goal-1', { task: { lease_ms: LEASE_MS } }));
  const isEntered = gate();
  const told: string[] = [];
  const running = first.runGoal(scope, 'goal-1', {
    adapters: [
      adapter(async (context) => {
        await context.perform(toolCall('tool/1/0', { effect: 'external' }), async ({ signal }) => {
          isEntered.open();
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          told.push('cancelled');
          return { value: 'stopped half way' };
        });
        told.push('went on');
        return outcome();
      }),
    ],
  });
  await isEntered.opened;
  const { version } = await second.readGoal(scope, 'goal-1');
  await second.cancelGoal(scope, 'goal-1', { version, reason: 'No.' });
  expect((await running.done).state).toBe('cancelled');
  expect(told).toEqual(['cancelled']);
  const types = (await records(second, 'goal-1')).map(({ type }) => type);
  expect(types.at(-1)).toBe('result-refused');
  expect(await second.verifyTrail(scope)).toMatchObject({ ok: true });
});
