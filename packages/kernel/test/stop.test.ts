import type { Operation } from '@millforge/contracts';
import { expect, test } from 'vitest';
import {
  acting,
  adapter,
  contract,
  gate,
  modelTurn,
  open,
  outcome,
  scope,
  temporaryDirectory,
  toolCall,
} from './fixture.ts';

/** A program of one operation, whose act says that it began, and ends with its signal or with `answer`. */
function waiting(operation: Operation) {
  const begun = gate();
  const answered = gate();
  const program = adapter(async (context) => {
    await context.perform(operation, async ({ signal }) => {
      begun.open();
      await Promise.race([
        answered.opened,
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
      ]);
      return { value: 'answered' };
    });
    return outcome();
  });
  return { program, begun: begun.opened, answer: () => answered.open() };
}

test('a stop does not wait for the answer of a model, which is asked again when the goal goes on', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  const { program, begun } = waiting(modelTurn(1));
  const run = kernel.runGoal(scope, 'goal-1', { adapters: [program] });
  await begun;
  run.stop();
  expect(await run.done).toMatchObject({
    state: 'running',
    interruption: { reason: 'stopped' },
    tasks: [{ attempt: { state: 'suspended' } }],
  });
  const asked = acting('hi');
  const again = adapter(async (context) => {
    await context.perform(modelTurn(1), asked.run);
    return outcome();
  });
  const { state } = await kernel.runGoal(scope, 'goal-1', { adapters: [again] }).done;
  expect([state, asked.count]).toEqual(['completed', 1]);
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});

test.each(['read', 'write', 'external'] as const)(
  'a stop waits for a call of effect %s, and records how it came out',
  async (effect) => {
    const kernel = await open(temporaryDirectory());
    await kernel.admitGoal(scope, contract('goal-1'));
    const { program, begun, answer } = waiting(toolCall('tool/1/0', { effect }));
    const run = kernel.runGoal(scope, 'goal-1', { adapters: [program] });
    await begun;
    run.stop();
    answer();
    expect(await run.done).toMatchObject({ tasks: [{ attempt: { state: 'suspended' } }] });
    const { outcome: recorded } = await kernel.readOperation(scope, 'goal-1', { key: 'tool/1/0' });
    expect(recorded).toEqual({ kind: 'done', value: 'answered' });
  },
);
