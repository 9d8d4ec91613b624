import { digest, type JsonValue, operationHeld, operationUnavailable } from '@millforge/contracts';
import type { GoalView, Kernel } from '@millforge/kernel';
import { expect, test } from 'vitest';
import {
  adapter,
  contract,
  open,
  outcome,
  scope,
  temporaryDirectory,
  toolCall,
} from './fixture.ts';

const request = { tool: 'send', input: { to: 'Bob' } };
const question = toolCall('approval/1/0', {
  kind: 'read',
  effect: 'none',
  input: request,
  describe: 'approve send to Bob',
});

const held = () =>
  Promise.reject(
    operationHeld({
      code: 'approval-required',
      message: 'May this be done: send to Bob?',
      data: { for: 'tool/1/0', expires_after_seconds: 60 },
    }),
  );

async function asked() {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  const answers: JsonValue[] = [];
  let acts = 0;
  const run = adapter(async (context) => {
    const found = await context.perform<JsonValue>(question, () => {
      acts += 1;
      return held();
    });
    answers.push(found.kind === 'done' ? found.value : found.kind);
    return outcome();
  });
  const adapters = [run];
  const view = await kernel.runGoal(scope, 'goal-1', { adapters }).done;
  return { kernel, view, answers, adapters, acts: () => acts };
}

function answer(
  kernel: Kernel,
  decision: 'approve' | 'deny' | 'retry',
  version = 1,
): Promise<GoalView> {
  return kernel.decide(scope, 'goal-1', {
    holdId: 'hold-1',
    version,
    decision,
    reason: 'Fine.',
  });
}

test('asks a person before anything happens, and suspends the attempt', async () => {
  const { view, kernel } = await asked();
  expect(view).toMatchObject({
    state: 'held',
    tasks: [{ state: 'held', attempt: { state: 'suspended' } }],
    holds: [
      {
        reason: 'approval-required',
        decisions: ['approve', 'deny', 'cancel'],
        operation_key: 'approval/1/0',
        message: 'May this be done: send to Bob?',
        facts: {
          describe: 'approve send to Bob',
          input_sha256: digest(request),
          approval: { for: 'tool/1/0', expires_after_seconds: 60 },
        },
      },
    ],
  });
  expect(await kernel.readOperation(scope, 'goal-1', { key: 'approval/1/0' })).toMatchObject({
    state: 'proposed',
    tries: 0,
    input: [request],
  });
});

test.each([
  ['approve', 'approved'],
  ['deny', 'declined'],
] as const)(
  'makes the answer %s the outcome, bound to the request, for a time',
  async (decision, said) => {
    const { kernel, answers, adapters, acts } = await asked();
    await answer(kernel, decision);
    const view = await kernel.runGoal(scope, 'goal-1', { adapters }).done;
    expect(view.state).toBe('completed');
    expect(acts()).toBe(1);
    const [value] = answers;
    expect(value).toMatchObject({
      kind: 'approval_decision',
      request_sha256: digest(request),
      decision: said,
      decided_by: 'ann@host',
      reason: 'Fine.',
    });
    const times = new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
    const decidedAt = Date.parse(JSON.parse(JSON.stringify(times.get('decided_at'))));
    expect(Date.parse(JSON.parse(JSON.stringify(times.get('expires_at'))))).toBe(
      decidedAt + 60_000,
    );
    expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
  },
);

test('takes an approval back that nobody has used, and the run hears no', async () => {
  const { kernel, answers, adapters } = await asked();
  await answer(kernel, 'approve');
  const view = await answer(kernel, 'deny', 2);
  expect(view.holds[0]?.decision).toMatchObject({ decision: 'deny', reason: 'Fine.' });
  await kernel.runGoal(scope, 'goal-1', { adapters }).done;
  expect(answers).toEqual([expect.objectContaining({ decision: 'declined' })]);
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});

test('takes nothing back that was used, or that may be used at this moment', async () => {
  const { kernel } = await asked();
  await answer(kernel, 'approve');
  let refused: unknown = null;
  const use = adapter(async (context) => {
    await context.perform<JsonValue>(question, held);
    refused = await answer(kernel, 'deny', 2).catch((error: unknown) => error);
    await context.perform(toolCall('tool/1/0', { effect: 'external' }), async () => {
      throw operationUnavailable({ code: 'down', message: 'Down.' });
    });
    return outcome();
  });
  await kernel.runGoal(scope, 'goal-1', { adapters: [use] }).done;
  expect(refused).toMatchObject({ code: 'kernel/decision-not-allowed' });
  await expect(answer(kernel, 'deny', 2)).rejects.toMatchObject({ code: 'kernel/hold-decided' });
});

test('a denial stands', async () => {
  const { kernel } = await asked();
  await answer(kernel, 'deny');
  for (const decision of ['approve', 'deny'] as const) {
    await expect(answer(kernel, decision, 2)).rejects.toMatchObject({
      code: 'kernel/hold-decided',
    });
  }
});

test('takes no retry for an answer', async () => {
  const { kernel } = await asked();
  await expect(answer(kernel, 'retry')).rejects.toMatchObject({
    code: 'kernel/decision-not-allowed',
  });
});

test('counts a question that comes after an effect as a doubt about the effect', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  const run = adapter(async (context) => {
    await context.perform({ ...question, effect: 'external', repeat: 'unsafe' }, held);
    return outcome();
  });
  const view = await kernel.runGoal(scope, 'goal-1', { adapters: [run] }).done;
  expect(view.holds[0]?.reason).toBe('ambiguous-operation');
});
