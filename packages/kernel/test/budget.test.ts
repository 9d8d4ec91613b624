import type { ActResult, JsonValue, Operation, OperationOutcome } from '@millforge/contracts';
import { operationUncertain } from '@millforge/contracts';
import type { GoalContract, GoalRun, TaskContext } from '@millforge/kernel';
import { expect, test } from 'vitest';
import {
  adapter,
  contract,
  modelTurn,
  open,
  outcome,
  scope,
  temporaryDirectory,
  toolCall,
} from './fixture.ts';

const limited = (limit: number, more: Partial<GoalContract> = {}): GoalContract =>
  contract('goal-1', { observed_limits: { input_tokens: limit }, ...more });

const using = (input_tokens: number) => async (): Promise<ActResult<JsonValue>> => ({
  value: null,
  usage: { input_tokens },
});

function told(found: OperationOutcome): string {
  return found.kind === 'refused' ? found.reason.code : found.kind;
}

/** Performs one operation after the other and tells how each came out. */
async function runAll(
  given: GoalContract,
  steps: readonly (readonly [Operation, number])[],
): Promise<readonly string[]> {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, given);
  const found: string[] = [];
  const run = adapter(async (context: TaskContext) => {
    for (const [operation, tokens] of steps) {
      found.push(told(await context.perform(operation, using(tokens))));
    }
    return outcome();
  });
  await kernel.runGoal(scope, 'goal-1', { adapters: [run] }).done;
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
  return found;
}

test('refuses an operation that could pass an observed limit, before it is performed', async () => {
  expect(
    await runAll(limited(100), [
      [modelTurn(1, { usageBound: { input_tokens: 60 } }), 50],
      [modelTurn(2, { usageBound: { input_tokens: 60 } }), 50],
      [modelTurn(3, { usageBound: { input_tokens: 50 } }), 50],
    ]),
  ).toEqual(['done', 'budget-exhausted', 'done']);
});

test('refuses what has no bound once a limit is reached, and lets what costs nothing pass', async () => {
  expect(
    await runAll(limited(100), [
      [modelTurn(1), 100],
      [modelTurn(2), 1],
      [toolCall('tool/2/0'), 0],
    ]),
  ).toEqual(['done', 'budget-exhausted', 'done']);
});

test('replays the refusal of a spent budget', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(directory);
  await kernel.admitGoal(scope, limited(10));
  const found: OperationOutcome[] = [];
  const runs: GoalRun[] = [];
  const run = adapter(async (context) => {
    await context.perform(modelTurn(1), using(10));
    found.push(await context.perform(modelTurn(2), using(1)));
    runs.at(-1)?.stop();
    await context.perform(toolCall('tool/3/0'), using(0));
    return outcome();
  });
  runs.push(kernel.runGoal(scope, 'goal-1', { adapters: [run] }));
  await runs[0]?.done;
  await kernel.runGoal(scope, 'goal-1', { adapters: [run] }).done;
  expect(found.map((one) => [told(one), one.replayed])).toEqual([
    ['budget-exhausted', false],
    ['budget-exhausted', true],
  ]);
});

test('sets the bounds of performances aside that nobody knows the end of', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, limited(100, { on_ambiguous: 'hold' }));
  const found: string[] = [];
  const run = adapter(async (context) => {
    const lost = toolCall('tool/1/0', {
      effect: 'external',
      repeat: 'unsafe',
      metered: true,
      usageBound: { input_tokens: 80 },
    });
    const other = modelTurn(1, { usageBound: { input_tokens: 30 } });
    const both = await Promise.allSettled([
      context.perform(lost, () =>
        Promise.reject(operationUncertain({ code: 'lost', message: 'Lost.' })),
      ),
      context.perform(other, using(30)).then((one) => found.push(told(one))),
    ]);
    const [first] = both;
    if (first.status === 'rejected') throw first.reason;
    return outcome();
  });
  const view = await kernel.runGoal(scope, 'goal-1', { adapters: [run] }).done;
  expect(view.state).toBe('held');
  expect(found).toEqual(['budget-exhausted']);
});

test('counts a repeat in doubt once', async () => {
  let tries = 0;
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, limited(100));
  const run = adapter(async (context) => {
    const turn = modelTurn(1, { usageBound: { input_tokens: 100 } });
    const found = await context.perform(turn, async () => {
      tries += 1;
      if (tries === 1) throw operationUncertain({ code: 'lost', message: 'Lost.' });
      return { value: null, usage: { input_tokens: 90 } };
    });
    expect(found.kind).toBe('done');
    return outcome();
  });
  const view = await kernel.runGoal(scope, 'goal-1', { adapters: [run] }).done;
  expect(view).toMatchObject({ state: 'completed', usage: { input_tokens: 90 } });
});

test('counts what two tasks use together', async () => {
  const kernel = await open(temporaryDirectory());
  const [task] = contract('goal-1').tasks;
  if (task === undefined) throw new Error('There is one.');
  await kernel.admitGoal(
    scope,
    limited(100, { tasks: [task, { ...task, task_id: 'next', depends_on: ['run'] }] }),
  );
  const found: string[] = [];
  const run = adapter(async (context) => {
    const turn = modelTurn(1, { usageBound: { input_tokens: 70 } });
    found.push(told(await context.perform(turn, using(70))));
    return outcome();
  });
  await kernel.runGoal(scope, 'goal-1', { adapters: [run] }).done;
  expect(found).toEqual(['done', 'budget-exhausted']);
});

test('shows how many performances used something that nobody saw', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  const run = adapter(async (context) => {
    await context.perform(
      toolCall('tool/1/0', { effect: 'external', repeat: 'unsafe', metered: true }),
      () => Promise.reject(operationUncertain({ code: 'lost', message: 'Lost.' })),
    );
    return outcome();
  });
  const view = await kernel.runGoal(scope, 'goal-1', { adapters: [run] }).done;
  expect(view.unknown_usage).toBe(1);
});
