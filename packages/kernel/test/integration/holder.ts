import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ALL_PERMISSIONS, type GoalContract, openKernel, type Scope } from '@millforge/kernel';

// node holder.mjs hold DIRECTORY          begins an unsafe call that ends when a line comes in
// node holder.mjs write DIRECTORY GOAL N  runs a goal of N operations and says how long the slowest write took

const scope: Scope = {
  tenant: 'local',
  resource: 'tests',
  actor: 'child@host',
  permissions: ALL_PERMISSIONS,
};
const [mode, directory = '', goalId = 'goal-1', count = '0'] = process.argv.slice(2);

const kernel = await openKernel({
  path: join(directory, 'trail.db'),
  clock: {
    now: () => Date.now(),
    monotonicMs: () => performance.now(),
    delay: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
  },
  ids: { newId: (prefix) => `${prefix}_${randomBytes(8).toString('hex')}` },
});
const contract: GoalContract = {
  kind: 'goal_contract',
  schema_version: '1.0',
  goal_id: goalId,
  objective: 'Hold a lease.',
  unchecked: true,
  tasks: [
    {
      task_id: 'run',
      adapter: { kind: 'model', name: 'holder', version: '1', parameters: null },
      doubt: 'operation',
      effect: 'external',
      lease_ms: 2000,
    },
  ],
};
await kernel.admitGoal(scope, contract);

const steps = mode === 'hold' ? 1 : Number(count);
let slowest = 0;
const { done } = kernel.runGoal(scope, goalId, {
  adapters: [
    {
      kind: 'model',
      name: 'holder',
      version: '1',
      parameters: null,
      async run(context) {
        for (let step = 1; step <= steps; step++) {
          const start = performance.now();
          await context.perform(
            {
              key: `tool/${step}/0`,
              step,
              kind: 'tool',
              effect: 'external',
              repeat: 'unsafe',
              metered: false,
              input: step,
              describe: 'a call',
            },
            async () => {
              appendFileSync(join(directory, 'effects.txt'), `child ${goalId} ${step}\n`);
              if (mode === 'hold') {
                process.stdout.write('acting\n');
                await new Promise((resolve) => process.stdin.once('data', resolve));
              }
              return { value: 'child' };
            },
          );
          slowest = Math.max(slowest, performance.now() - start);
        }
        return null;
      },
    },
  ],
});
try {
  const { state } = await done;
  process.stdout.write(`${JSON.stringify({ state, slowest })}\n`);
} catch (error) {
  process.stdout.write(`${JSON.stringify(error)}\n`);
}
await kernel[Symbol.asyncDispose]();
process.stdin.destroy();
