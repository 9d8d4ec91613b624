import { join } from 'node:path';
import { openKernel } from '@millforge/kernel';
import { crashClock, crashIds, crashScope } from '../crash/finish-goal.ts';
import { tracesIn } from '../crash/scenario.ts';
import { loadAdapters, loadContracts } from './load-goals.ts';

// node load-child.mjs DIRECTORY GOALS   works on what is there until it is killed, or told to end by its input

const [directory = '', goals = '0'] = process.argv.slice(2);
const kernel = await openKernel({
  path: join(directory, 'trail.db'),
  clock: crashClock,
  ids: crashIds,
  lockTimeoutMs: 20_000,
});
for (const contract of loadContracts(Number(goals))) await kernel.admitGoal(crashScope, contract);
const ending = new AbortController();
process.stdin.on('end', () => ending.abort()).resume();
const worker = kernel.runWorker({
  concurrency: 4,
  signal: ending.signal,
  adapters: loadAdapters(tracesIn(directory)),
});
await worker.done;
await kernel[Symbol.asyncDispose]();
