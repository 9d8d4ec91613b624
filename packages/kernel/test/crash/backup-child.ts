import { openKernelOn } from '../../src/open-kernel.ts';
import { crashClock, crashIds } from './finish-goal.ts';
import { journalDriver } from './journal-driver.ts';

// node child.mjs DATA TARGET COUNT       copies, and is killed at that moment of what it does beside the target
// node child.mjs DATA TARGET COUNT hang  says so there instead, and waits to be killed

const [data = '', target = '', count = '0', hang] = process.argv.slice(2);

let isCopying = false;
let moments = 0;
const driver = journalDriver(() => {
  if (!isCopying) return;
  moments += 1;
  if (moments !== Number(count)) return;
  if (hang === undefined) process.kill(process.pid, 'SIGKILL');
  process.stdout.write('copying\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
const kernel = await openKernelOn(driver, {
  path: `${data}/trail.db`,
  clock: crashClock,
  ids: crashIds,
});
isCopying = true;
await kernel.backup(target);
isCopying = false;
await kernel[Symbol.asyncDispose]();
