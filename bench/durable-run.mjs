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

const ADAPTER = { kind: 'model', name: 'bench', version: '1', parameters: null };

/** A kernel on a folder of its own. */
export function openBenchKernel(folder) {
  return openKernel({ path: join(folder, 'trail.db'), clock, ids });
}

/** Runs one goal of some operations, and gives the microseconds that each of them took. */
export async function operations(kernel, effect, count) {
  const goalId = ids.newId('goal');
  let took = 0;
  const adapter = {
    ...ADAPTER,
    async run(context) {
      took = await timed(async () => {
        for (let step = 1; step <= count; step += 1) {
          await context.perform(operation(step, effect), async () => ({ value: { ok: true } }));
        }
      }, count);
      return { kind: 'bench' };
    },
  };
  await admit(kernel, goalId);
  const goal = await kernel.runGoal(scope, goalId, { adapters: [adapter] }).done;
  if (goal.state !== 'completed') throw new Error(`the bench goal is ${goal.state}`);
  return took;
}

/** Milliseconds from the order to resume a run of some recorded operations to its first live act. */
export async function resume(kernel, count) {
  const goalId = ids.newId('goal');
  let enter = null;
  const adapter = {
    ...ADAPTER,
    async run({ perform }) {
      for (let step = 1; step <= count; step += 1) {
        await perform(operation(step, 'write'), async () => ({ value: { ok: true } }));
      }
      await perform(operation(count + 1, 'write'), async ({ signal }) => {
        enter?.();
        // It goes on until the run is stopped.
        await new Promise((_, reject) => signal.addEventListener('abort', reject, { once: true }));
      });
      return { kind: 'bench' };
    },
  };
  await admit(kernel, goalId);
  const runOnce = async () => {
    const entered = new Promise((resolve) => {
      enter = resolve;
    });
    const start = performance.now();
    const run = kernel.runGoal(scope, goalId, { adapters: [adapter] });
    await entered;
    const took = performance.now() - start;
    run.stop({ now: true });
    await run.done.catch(() => undefined);
    return took;
  };
  await runOnce();
  return runOnce();
}

/** Admits a goal, and gives the milliseconds until it is durable. */
export async function admitOne(kernel) {
  const start = performance.now();
  await admit(kernel, ids.newId('goal'));
  return performance.now() - start;
}

function admit(kernel, goalId) {
  return kernel.admitGoal(scope, {
    kind: 'goal_contract',
    schema_version: '1.0',
    goal_id: goalId,
    objective: 'bench',
    unchecked: true,
    tasks: [{ task_id: 'run', adapter: ADAPTER, doubt: 'operation', effect: 'write' }],
  });
}

function operation(step, effect) {
  return {
    key: `tool/${step}/0`,
    step,
    kind: 'tool',
    effect,
    repeat: 'safe',
    metered: false,
    input: { n: step },
    describe: 'bench',
  };
}
