import { type JsonValue, operationFailed, operationUncertain } from '@millforge/contracts';
import type { WorkAdapter } from '@millforge/kernel';
import { expect, test } from 'vitest';
import {
  adapter,
  contract,
  gate,
  open,
  outcome,
  scope,
  temporaryDirectory,
  unsafeCall,
} from './fixture.ts';

const clean = operationFailed({ code: 'unreachable', message: 'Nothing was sent.' });
const lost = operationUncertain({ code: 'timeout', message: 'The answer was lost.' });

/** The keys under which a keyed call is made whose performances end so; two attempts are allowed. */
async function keysOfCalls(ends: readonly ('clean' | 'lost')[]): Promise<readonly string[]> {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1', { task: { max_attempts: 2 } }));
  const keys: string[] = [];
  const program = adapter(async (context) => {
    const call = await context.perform<JsonValue>(
      unsafeCall('tool/1/0', { repeat: 'keyed' }),
      async ({ idempotencyKey }) => {
        const end = ends[keys.length];
        keys.push(idempotencyKey);
        if (end === 'clean') throw clean;
        if (end === 'lost') throw lost;
        return { value: 'sent' };
      },
    );
    if (call.kind === 'failed') throw operationFailed(call.error);
    return outcome();
  });
  const view = await kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done;
  expect(view.state).toBe('completed');
  return keys;
}

test('performs a call anew under a new key after a clean failure', async () => {
  const [first, second] = await keysOfCalls(['clean']);
  expect(second).not.toBe(first);
});

test('keeps the key of a call whose first performance nobody knows the end of, also after a clean failure of the next', async () => {
  const [first, second, third] = await keysOfCalls(['lost', 'clean']);
  expect(second).toBe(first);
  expect(third).toBe(first);
});

test('keeps the key of an attempt that was entered before, also after a clean failure of its repeat', async () => {
  const kernel = await open(temporaryDirectory(), { graceMs: 1 });
  const send = { kind: 'tool', name: 'send', version: '1', parameters: null } as const;
  await kernel.admitGoal(scope, {
    ...contract('goal-1'),
    required_checks: [],
    unchecked: true,
    limits: { units: 2 },
    tasks: [
      { task_id: 'send', adapter: send, effect: 'external', repeat: 'keyed', max_attempts: 2 },
    ],
  });
  const entered = gate();
  const keys: string[] = [];
  const adapters: readonly WorkAdapter[] = [
    {
      ...send,
      async run({ idempotencyKey }) {
        keys.push(idempotencyKey);
        if (keys.length === 1) {
          entered.open();
          await new Promise(() => undefined);
        }
        if (keys.length === 2) throw clean;
        return 'sent';
      },
    },
  ];
  const run = kernel.runGoal(scope, 'goal-1', { adapters });
  await entered.opened;
  run.stop({ now: true });
  expect(await run.done).toMatchObject({ tasks: [{ attempt: { state: 'suspended' } }] });
  const view = await kernel.runGoal(scope, 'goal-1', { adapters }).done;
  expect(view).toMatchObject({ state: 'completed', tasks: [{ attempt: { number: 2 } }] });
  expect(keys.length).toBe(3);
  expect(new Set(keys).size).toBe(1);
});
