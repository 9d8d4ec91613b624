import type { JsonValue } from '@millforge/contracts';
import type { GoalContract, TaskContract, VerifyAdapter, WorkAdapter } from '@millforge/kernel';
import { expect, test } from 'vitest';
import { contract, open, scope, temporaryDirectory } from './fixture.ts';

const WORK = { kind: 'tool', name: 'work', version: '1', parameters: null } as const;
const TESTS = { kind: 'verify', name: 'tests', version: '1', parameters: null } as const;

const build: TaskContract = { task_id: 'build', adapter: WORK, effect: 'read' };
const check: TaskContract = {
  task_id: 'tests',
  adapter: TESTS,
  effect: 'read',
  depends_on: ['build'],
};

function goal(tasks: readonly TaskContract[], checks: readonly string[]): GoalContract {
  return { ...contract('goal-1'), required_checks: checks, tasks };
}

const work: WorkAdapter = { ...WORK, run: async ({ taskId }) => ({ built: taskId }) };

function tests(run: VerifyAdapter['run']): VerifyAdapter {
  return { ...TESTS, run };
}

async function runWith(verify: VerifyAdapter, given = goal([build, check], ['tests'])) {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, given);
  const view = await kernel.runGoal(scope, 'goal-1', { adapters: [work, verify] }).done;
  return { kernel, view };
}

test('completes a goal whose check passes, and binds the verdict to goal, contract and input', async () => {
  const { view } = await runWith(
    tests(async ({ verdict, outputs }) => verdict('pass', { evidence: outputs })),
  );
  expect(view.state).toBe('completed');
  expect(view.tasks[1]?.output).toMatchObject({
    kind: 'verified_result',
    check: 'tests',
    verdict: 'pass',
    goal_uid: view.goal_uid,
    contract_sha256: view.contract_sha256,
    input_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    evidence: { build: { built: 'build' } },
  });
});

test('fails a goal whose check fails, although its task completed', async () => {
  const { view } = await runWith(
    tests(async ({ verdict }) => verdict('fail', { evidence: { failing: 3 } })),
  );
  expect(view).toMatchObject({ state: 'failed', failure: { code: 'check-failed' } });
  expect(view.tasks[1]?.state).toBe('completed');
});

const forgeries: readonly (readonly [string, (real: object) => unknown])[] = [
  ['a copy of a real verdict', (real) => ({ ...real })],
  ['a real verdict that went through JSON', (real) => JSON.parse(JSON.stringify(real))],
  ['a heir of a real verdict', (real) => Object.create(real)],
  ['the word pass', () => 'pass'],
  ['nothing', () => undefined],
];

test.each(forgeries)('takes %s for no verdict and asks a person', async (_what, forge) => {
  const { view } = await runWith(
    tests(async ({ verdict }) => {
      const real = verdict('pass', { evidence: null });
      // A program without types can return anything.
      return forge(real) as typeof real;
    }),
  );
  expect(view.state).toBe('held');
  expect(view.holds[0]).toMatchObject({
    reason: 'check-unknown',
    task_id: 'tests',
    facts: { failure: { code: expect.stringMatching(/-invalid$/) } },
  });
});

test('takes a verdict of another attempt for no verdict', async () => {
  const kept: unknown[] = [];
  const adapter = tests(async ({ verdict }) => {
    const real = verdict('pass', { evidence: null });
    kept.push(real);
    return kept[0] as typeof real; // The first one is as real, but not of this goal.
  });
  await runWith(adapter);
  const { view } = await runWith(adapter);
  expect(view.state).toBe('held');
});

test('gives a model or a tool no way to make a verdict', async () => {
  const seen: string[] = [];
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, { ...goal([build], []), unchecked: true });
  const nosy: WorkAdapter = {
    ...work,
    run: async (context) => {
      seen.push(...Object.keys(context));
      return null;
    },
  };
  await kernel.runGoal(scope, 'goal-1', { adapters: [nosy] }).done;
  expect(seen.toSorted()).toEqual([
    'attempt',
    'deadline',
    'goalId',
    'idempotencyKey',
    'inputs',
    'isRecorded',
    'log',
    'newId',
    'objective',
    'outputs',
    'perform',
    'saveArtifact',
    'signal',
    'taskId',
  ]);
});

test('asks after the last attempt of a check that throws, and tries again after retry', async () => {
  let isUp = false;
  const adapter = tests(async ({ verdict }) => {
    if (!isUp) throw new Error('The runner is down.');
    return verdict('pass', { evidence: null });
  });
  const { kernel, view } = await runWith(adapter, {
    ...goal([build, { ...check, max_attempts: 2 }], ['tests']),
    limits: { units: 4 },
  });
  expect(view.holds[0]).toMatchObject({ reason: 'check-unknown', attempt: 2 });
  isUp = true;
  await kernel.decide(scope, 'goal-1', {
    holdId: 'hold-1',
    version: 1,
    decision: 'retry',
    reason: 'It is up.',
  });
  const again = await kernel.runGoal(scope, 'goal-1', { adapters: [work, adapter] }).done;
  expect(again).toMatchObject({ state: 'completed', budget: { used: 4 } });
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});

test('counts a required check that never ran as unknown', async () => {
  const { view } = await runWith(
    tests(async ({ verdict }) => verdict('pass', { evidence: null })),
    goal(
      [
        { ...build, task_id: 'broken', adapter: { ...WORK, name: 'broken' }, optional: true },
        { ...build },
        { ...check, depends_on: ['broken'] },
      ],
      ['tests'],
    ),
  ).catch((error: unknown) => ({ view: error }));
  expect(view).toMatchObject({ code: 'kernel/adapter-missing' });
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(
    scope,
    goal(
      [
        { ...build, optional: true },
        { ...check, depends_on: ['build'] },
      ],
      ['tests'],
    ),
  );
  const held = await kernel.runGoal(scope, 'goal-1', {
    adapters: [
      { ...work, run: () => Promise.reject(new Error('No.')) },
      tests(async ({ verdict }) => verdict('pass', { evidence: null })),
    ],
  }).done;
  expect(held).toMatchObject({
    state: 'held',
    holds: [{ reason: 'check-unknown', attempt: null }],
  });
});

/** Two declared rounds: the second is for when the first fails. */
const rounds = goal(
  [
    build,
    { ...check, check: 'good' },
    {
      ...build,
      task_id: 'build-2',
      depends_on: ['tests'],
      only_after: { task: 'tests', verdict: 'fail' },
    },
    { ...check, task_id: 'tests-2', check: 'good', depends_on: ['build-2'] },
  ],
  ['good'],
);

test('skips a declared round that is not needed', async () => {
  const { view } = await runWith(
    tests(async ({ verdict }) => verdict('pass', { evidence: null })),
    rounds,
  );
  expect(view.state).toBe('completed');
  expect(view.tasks.map(({ state }) => state)).toEqual([
    'completed',
    'completed',
    'skipped',
    'skipped',
  ]);
});

test('runs the next declared round after a failed check, with its evidence, and lets the last verdict count', async () => {
  const seen: JsonValue[] = [];
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, rounds);
  const watching: WorkAdapter = {
    ...work,
    run: async ({ outputs }) => {
      seen.push(outputs);
      return null;
    },
  };
  const view = await kernel.runGoal(scope, 'goal-1', {
    adapters: [
      watching,
      tests(async ({ verdict, taskId }) =>
        taskId === 'tests'
          ? verdict('fail', { evidence: { failing: 'sum' } })
          : verdict('pass', { evidence: null }),
      ),
    ],
  }).done;
  expect(view.state).toBe('completed');
  expect(seen[1]).toMatchObject({ tests: { verdict: 'fail', evidence: { failing: 'sum' } } });
});

test('refuses evidence that is too large or no JSON', async () => {
  const { view } = await runWith(
    tests(async ({ verdict }) => verdict('pass', { evidence: 'x'.repeat(262_145) })),
  );
  expect(view.holds[0]?.facts.failure?.code).toBe('kernel/operation-invalid');
});
