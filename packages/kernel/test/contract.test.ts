import type { GoalContract } from '@millforge/kernel';
import { anything, assert, constantFrom, property } from 'fast-check';
import { expect, test } from 'vitest';
import { readGoalContract } from '../src/contract/read-goal-contract.ts';
import { contract, open, scope, temporaryDirectory } from './fixture.ts';

const good = contract('goal-1');
const [task] = good.tasks;

const wrong: readonly (readonly [string, unknown, readonly (readonly [string, string])[]])[] = [
  ['nothing at all', null, [['MF-K001', '/']]],
  ['no JSON', { ...good, inputs: { at: new Date(0) } }, [['MF-K001', '/inputs/at']]],
  ['an unknown field', { ...good, color: 'red' }, [['MF-K002', '/color']]],
  [
    'an unknown field of a task',
    { ...good, tasks: [{ ...task, color: 1 }] },
    [['MF-K002', '/tasks/0/color']],
  ],
  [
    'missing fields',
    { ...good, objective: undefined, goal_id: undefined },
    [['MF-K001', '/goal_id']],
  ],
  ['a missing kind', without(good, 'kind'), [['MF-K003', '/kind']]],
  ['another version', { ...good, schema_version: '2.0' }, [['MF-K004', '/schema_version']]],
  ['a goal id in capitals', { ...good, goal_id: 'Goal' }, [['MF-K006', '/goal_id']]],
  ['a goal id that is too long', { ...good, goal_id: 'a'.repeat(129) }, [['MF-K006', '/goal_id']]],
  [
    'an objective that is too long',
    { ...good, objective: 'é'.repeat(8193) },
    [['MF-K007', '/objective']],
  ],
  [
    'inputs that are too large',
    { ...good, inputs: { a: 'x'.repeat(1_048_576) } },
    [['MF-K007', '/inputs']],
  ],
  ['no task', { ...good, tasks: [] }, [['MF-K004', '/tasks']]],
  ['two tasks of one name', { ...good, tasks: [task, task] }, [['MF-K008', '/tasks/1/task_id']]],
  [
    'a later dependency',
    withTask({ depends_on: ['later'] }),
    [['MF-K009', '/tasks/0/depends_on/0']],
  ],
  ['a check of a model task', withTask({ check: 'tests' }), [['MF-K014', '/tasks/0/check']]],
  [
    'a verdict of a task that gives none',
    {
      ...good,
      tasks: [task, { ...task, task_id: 'more', only_after: { task: 'run', verdict: 'fail' } }],
    },
    [['MF-K015', '/tasks/1/only_after/task']],
  ],
  [
    'an observed limit of what nobody observes',
    { ...good, observed_limits: { luck: 1 } },
    [['MF-K002', '/observed_limits/luck']],
  ],
  ['an effect that nobody knows', withTask({ effect: 'magic' }), [['MF-K004', '/tasks/0/effect']]],
  ['seventeen attempts', withTask({ max_attempts: 17 }), [['MF-K005', '/tasks/0/max_attempts']]],
  ['half a unit', withTask({ units: 0.5 }), [['MF-K005', '/tasks/0/units']]],
  ['a lease below a second', withTask({ lease_ms: 999 }), [['MF-K005', '/tasks/0/lease_ms']]],
  [
    'units over the limit',
    { ...good, tasks: [{ ...task, units: 5 }], limits: { units: 4 } },
    [['MF-K013', '/limits/units']],
  ],
  [
    'an unknown check',
    { ...good, required_checks: ['tests'] },
    [['MF-K010', '/required_checks/0']],
  ],
  ['no check', { ...good, required_checks: [] }, [['MF-K011', '/required_checks']]],
  [
    'no terminals for its check',
    { ...good, legal_terminal_results: [] },
    [['MF-K012', '/legal_terminal_results']],
  ],
  ['a label that is no text', { ...good, labels: { a: 1 } }, [['MF-K004', '/labels/a']]],
  [
    'several mistakes at once',
    { ...good, goal_id: '', on_ambiguous: 'guess', tasks: [{ ...task, units: -1 }] },
    [
      ['MF-K006', '/goal_id'],
      ['MF-K004', '/on_ambiguous'],
      ['MF-K005', '/tasks/0/units'],
    ],
  ],
];

for (const [what, value, expected] of wrong) {
  test(`reports a contract with ${what}`, () => {
    const read = readGoalContract(value);
    const found = read.diagnostics.map(({ code, path }) => `${code} ${path}`);
    expect(found.toSorted()).toEqual(expected.map((pair) => pair.join(' ')).toSorted());
  });
}

test('admits nothing of a contract with mistakes, and gives them all', async () => {
  const kernel = await open(temporaryDirectory());
  await expect(
    kernel.admitGoal(scope, { ...good, goal_id: '', objective: '' }),
  ).rejects.toMatchObject({
    code: 'kernel/contract-invalid',
    details: { diagnostics: [{ code: 'MF-K006' }, { code: 'MF-K004' }] },
  });
  expect(await kernel.listGoals(scope)).toEqual([]);
});

test('reads a completed contract as itself', () => {
  const read = readGoalContract(good);
  expect(read.ok && readGoalContract(read.value)).toEqual(read);
});

test('never throws, whatever it is given', () => {
  assert(
    property(anything(), (value) => {
      expect(readGoalContract(value).ok).toBe(false);
    }),
  );
  assert(
    property(constantFrom(...Object.keys(good)), anything(), (field, value) => {
      readGoalContract({ ...good, [field]: value });
      readGoalContract(withTask({ [field]: value }));
    }),
  );
});

function without(value: GoalContract, field: keyof GoalContract): unknown {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== field));
}

function withTask(more: object): unknown {
  return { ...good, tasks: [{ ...task, ...more }] };
}
