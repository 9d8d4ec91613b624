import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ALL_PERMISSIONS, openKernel } from '../packages/kernel/dist/index.js';
import { timed } from './measure.mjs';

export const scope = {
  tenant: 'bench',
  resource: 'bench',
  actor: 'bench',
  permissions: ALL_PERMISSIONS,
};
const clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  delay: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
};
let names = 0;
const ids = { newId: (prefix) => `${prefix}_${process.pid}_${(names += 1)}` };

/** A kernel on a folder of its own. */
export function openBenchKernel(folder) {
  return openKernel({ path: join(folder, 'trail.db'), clock, ids });
}

/** Runs one goal of some operations, and gives the microseconds that each of them took. */
export async function operations(kernel, effect, count) {
  const goalId = ids.newId('goal');
  let took = 0;
  const adapter = {
    kind: 'model',
    name: 'bench',
    version: '1',
    parameters: null,
    async run(context) {
      took = await timed(async () => {
        for (let step = 1; step <= count; step += 1) {
          await context.perform(
            {
              key: `tool/${step}/0`,
              step,
              kind: 'tool',
              effect,
              repeat: 'safe',
              metered: false,
              input: { n: step },
              describe: 'bench',
            },
            async () => ({ value: { ok: true } }),
          );
        }
      }, count);
      return { kind: 'bench' };
    },
  };
  await kernel.admitGoal(scope, {
    kind: 'goal_contract',
    schema_version: '1.0',
    goal_id: goalId,
    objective: 'bench',
    unchecked: true,
    tasks: [
      {
        task_id: 'run',
        adapter: { kind: 'model', name: 'bench', version: '1', parameters: null },
        doubt: 'operation',
        effect: 'write',
      },
    ],
  });
  const goal = await kernel.runGoal(scope, goalId, { adapters: [adapter] }).done;
  if (goal.state !== 'completed') throw new Error(`the bench goal is ${goal.state}`);
  return took;
}
