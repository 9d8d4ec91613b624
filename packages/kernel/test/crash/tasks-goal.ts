import type { JsonValue } from '@millforge/contracts';
import { operationFailed } from '@millforge/contracts';
import type {
  Adapter,
  GoalContract,
  TaskContext,
  TaskContract,
  VerifyContext,
  WorkAdapter,
} from '@millforge/kernel';
import { acknowledge, act, hasHappened, type Scenario, type Traces } from './scenario.ts';

const binding = <Kind extends 'model' | 'tool' | 'verify'>(kind: Kind, name: string) => ({
  kind,
  name,
  version: '1',
  parameters: null,
});

const task = (taskId: string, more: Partial<TaskContract>): TaskContract => ({
  task_id: taskId,
  adapter: binding('tool', 'work'),
  effect: 'read',
  ...more,
});

/** One task of every kind of doubt, some of them at the same time, and a check over all of them. */
const contract: GoalContract = {
  kind: 'goal_contract',
  schema_version: '1.0',
  goal_id: 'tasks',
  objective: 'Every kind of task.',
  required_checks: ['tests'],
  limits: { units: 20 },
  tasks: [
    task('look', {}),
    task('send', { effect: 'external', depends_on: ['look'] }),
    task('post', { effect: 'external', repeat: 'keyed', depends_on: ['look'] }),
    task('mark', { adapter: binding('tool', 'mark'), effect: 'write', depends_on: ['look'] }),
    task('talk', {
      adapter: binding('model', 'talk'),
      doubt: 'operation',
      effect: 'external',
      depends_on: ['look'],
    }),
    task('extra', { adapter: binding('tool', 'broken'), optional: true }),
    task('tests', {
      adapter: binding('verify', 'tests'),
      depends_on: ['send', 'post', 'mark', 'talk'],
    }),
  ],
};

function adapters(traces: Traces, reach: (moment: string) => void): readonly Adapter[] {
  const work = async ({ taskId, idempotencyKey, outputs }: TaskContext): Promise<JsonValue> => {
    acknowledgeAll(traces, outputs);
    return act(traces, reach, { key: taskId, idempotencyKey, hasEffect: taskId !== 'look' });
  };
  const mark: WorkAdapter = {
    ...binding('tool', 'mark'),
    run: work,
    reconcile: async ({ taskId }) =>
      hasHappened(traces, taskId)
        ? { kind: 'happened', value: { did: taskId }, evidence: { found: true } }
        : { kind: 'not-happened', evidence: { found: false } },
  };
  const talk: WorkAdapter = {
    ...binding('model', 'talk'),
    async run(context) {
      acknowledgeAll(traces, context.outputs);
      const operations = [
        { key: 'model/1', step: 1, effect: 'none', repeat: 'safe' },
        { key: 'tool/1/0', step: 1, effect: 'external', repeat: 'unsafe' },
      ] as const;
      for (const operation of operations) {
        const outcome = await context.perform(
          {
            ...operation,
            kind: 'tool',
            metered: false,
            input: null,
            describe: operation.key,
          },
          async ({ idempotencyKey }) => ({
            value: act(traces, reach, {
              key: operation.key,
              idempotencyKey,
              hasEffect: operation.effect === 'external',
            }),
          }),
        );
        if (outcome.kind !== 'done') throw new Error(`${operation.key} is ${outcome.kind}`);
        acknowledge(traces, operation.key, outcome.value);
      }
      return { did: 'talk' };
    },
  };
  return [
    { ...binding('tool', 'work'), run: work },
    mark,
    talk,
    {
      ...binding('tool', 'broken'),
      run: () => Promise.reject(operationFailed({ code: 'broken', message: 'It is broken.' })),
    },
    {
      ...binding('verify', 'tests'),
      async run({ verdict, outputs }: VerifyContext) {
        acknowledgeAll(traces, outputs);
        return verdict('pass', { evidence: outputs });
      },
    },
  ];
}

/** Whoever is given an output may rely on it. */
function acknowledgeAll(traces: Traces, outputs: { readonly [taskId: string]: JsonValue }): void {
  for (const [taskId, output] of Object.entries(outputs)) acknowledge(traces, taskId, output);
}

/** A goal of many tasks. */
export const tasksGoal: Scenario = {
  name: 'tasks',
  contract,
  adapters,
  effects: { send: 'once', post: 'keyed', mark: 'once', 'tool/1/0': 'once' },
  asked: ['send', 'tool/1/0'],
  attested: (key) => ({ did: key }),
  failing: ['extra'],
};
