import { join } from 'node:path';
import { openKernelOn } from '../../src/open-kernel.ts';
import { crashClock, crashIds, crashScope, finishGoal } from './finish-goal.ts';
import { journalDriver } from './journal-driver.ts';
import { tracesIn } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

// node child.mjs crash SCENARIO DIRECTORY COUNT   dies at the COUNT-th moment
// node child.mjs finish SCENARIO DIRECTORY…       finishes what crashed, one line for each

const [mode, name = '', ...rest] = process.argv.slice(2);
const scenario = SCENARIOS[name];
if (scenario === undefined) throw new Error(`There is no scenario ${name}.`);

if (mode === 'crash') {
  const [directory = '', count = '0'] = rest;
  let left = Number(count);
  const reach = (): void => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
  const kernel = await openKernelOn(journalDriver(reach), {
    path: join(directory, 'trail.db'),
    clock: crashClock,
    ids: crashIds,
    failpoint: reach,
  });
  await kernel.admitGoal(crashScope, scenario.contract);
  const adapters = scenario.adapters(tracesIn(directory), reach);
  await kernel.runGoal(crashScope, scenario.contract.goal_id, { adapters }).done;
  await kernel[Symbol.asyncDispose]();
}

if (mode === 'finish') {
  for (const directory of rest) {
    process.stdout.write(`${JSON.stringify(await finishGoal(directory, scenario))}\n`);
  }
}
