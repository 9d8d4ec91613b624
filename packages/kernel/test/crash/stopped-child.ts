import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, MillforgeError } from '@millforge/contracts';
import { type Adapter, openKernel } from '@millforge/kernel';
import { crashClock, crashIds, crashScope } from './finish-goal.ts';
import { type Traces, tracesIn } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';
import { LEASE_MS, shortLeases } from './short-leases.ts';
import { watchCallbacks } from './watch-callbacks.ts';

// node stopped-child.mjs SCENARIO DIRECTORY COUNT   stops at the COUNT-th failpoint until it is told to go on, then
//                                                   goes on and says what it entered since, and how it ended

const [name = '', directory = '', count = '0'] = process.argv.slice(2);
const found = SCENARIOS[name];
if (found === undefined) throw new Error(`There is no scenario ${name}.`);
const scenario = shortLeases(found);

let left = Number(count);
let lateMs = 0;
const entered: string[] = [];

/** Stops here as a laptop that is closed does; the other process waits on its own clock meanwhile. */
const reach = (moment: string): void => {
  left -= 1;
  if (left !== 0) return;
  writeSync(1, `${JSON.stringify({ stoppedAt: moment })}\n`);
  process.kill(process.pid, 'SIGSTOP');
  lateMs = 2 * LEASE_MS;
};
const clock: Clock = { ...crashClock, monotonicMs: () => performance.now() + lateMs };

const adaptersOf = (traces: Traces): readonly Adapter[] =>
  scenario.adapters(traces, reach).map((adapter) =>
    watchCallbacks(adapter, (taskId) => {
      if (lateMs > 0) entered.push(taskId);
    }),
  );

const run = async (): Promise<string> => {
  const path = join(directory, 'trail.db');
  const kernel = await openKernel({ path, clock, ids: crashIds, failpoint: reach });
  try {
    const { goal_id: goalId } = await kernel.admitGoal(crashScope, scenario.contract);
    const adapters = adaptersOf(tracesIn(directory));
    return (await kernel.runGoal(crashScope, goalId, { adapters }).done).state;
  } finally {
    await kernel[Symbol.asyncDispose]();
  }
};

const ended = await run().catch((error: unknown) => {
  if (MillforgeError.is(error)) return error.code;
  throw error;
});
writeSync(1, `${JSON.stringify({ ended, entered })}\n`);
