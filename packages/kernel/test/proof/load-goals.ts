import { setTimeout as delay } from 'node:timers/promises';
import type { Adapter, GoalContract, TaskContext } from '@millforge/kernel';
import { acknowledge, act, hasHappened, type Traces } from '../crash/scenario.ts';

const STEPS = 6;
const binding = (name: string) => ({ kind: 'tool', name, version: '1', parameters: null }) as const;

/** Goals whose effects nobody can look for, may look for, or may repeat: each with two tasks at a time. */
export function loadContracts(count: number): readonly GoalContract[] {
  return Array.from({ length: count }, (_, place) => ({
    kind: 'goal_contract' as const,
    schema_version: '1.0' as const,
    goal_id: `load-${place}`,
    objective: 'Load.',
    unchecked: true,
    limits: { units: 500 },
    tasks: [
      {
        task_id: 'steps',
        adapter: binding('steps'),
        doubt: 'operation',
        effect: 'external',
        max_resumes: 100_000,
      },
      { task_id: 'whole', adapter: binding('whole'), effect: 'external', max_resumes: 100_000 },
      {
        task_id: 'after',
        adapter: binding('whole'),
        effect: 'external',
        depends_on: ['steps', 'whole'],
        max_resumes: 100_000,
      },
    ],
  }));
}

/** Acts that take a moment, so that a kill finds them in their middle. */
export function loadAdapters(traces: Traces): readonly Adapter[] {
  const once = async (name: string, idempotencyKey: string): Promise<{ readonly did: string }> => {
    await delay(Math.random() * 4);
    const value = act(traces, () => undefined, { key: name, idempotencyKey, hasEffect: true });
    await delay(Math.random() * 4);
    return value;
  };
  return [
    {
      ...binding('whole'),
      run: ({ goalId, taskId, idempotencyKey, outputs }: TaskContext) => {
        for (const [id, output] of Object.entries(outputs)) {
          acknowledge(traces, `${goalId}/${id}`, output);
        }
        return once(`${goalId}/${taskId}`, idempotencyKey);
      },
    },
    {
      ...binding('steps'),
      async run(context: TaskContext) {
        for (let step = 1; step <= STEPS; step += 1) {
          const name = `${context.goalId}/${context.taskId}/o${step}`;
          const outcome = await context.perform(
            {
              key: `o${step}`,
              step,
              kind: 'tool',
              effect: 'external',
              repeat: 'unsafe',
              metered: false,
              input: name,
              describe: name,
              ...(step % 2 === 0
                ? {
                    reconcile: async () =>
                      hasHappened(traces, name)
                        ? { kind: 'happened' as const, value: { did: name } }
                        : { kind: 'not-happened' as const },
                  }
                : {}),
            },
            async ({ idempotencyKey }) => ({ value: await once(name, idempotencyKey) }),
          );
          if (outcome.kind !== 'done') throw new Error(`${name} is ${outcome.kind}`);
          acknowledge(traces, name, outcome.value);
        }
        return { did: `${context.goalId}/${context.taskId}` };
      },
    },
  ];
}
