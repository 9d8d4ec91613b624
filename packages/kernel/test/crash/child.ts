import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Ids } from '@millforge/contracts';
import { ALL_PERMISSIONS, type Kernel, openKernel, type Scope } from '@millforge/kernel';
import { contract, GOAL, linesOf, script, tracesIn, UNSAFE } from './scripted-goal.ts';

// node child.mjs crash DIRECTORY MOMENT COUNT   dies at the COUNT-th MOMENT
// node child.mjs moments DIRECTORY              runs to the end and prints the moments in their order
// node child.mjs finish DIRECTORY…              opens what crashed, lets a person decide, runs to the end, reports

const clock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  delay: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
};
const ids: Ids = { newId: (prefix) => `${prefix}_${randomBytes(8).toString('hex')}` };
const scope: Scope = {
  tenant: 'local',
  resource: 'crash',
  actor: 'ann@host',
  permissions: ALL_PERMISSIONS,
};

const [mode, ...rest] = process.argv.slice(2);
if (mode === 'crash') await crash(rest[0] ?? '', rest[1] ?? '', Number(rest[2]));
if (mode === 'moments') await moments(rest[0] ?? '');
if (mode === 'finish') for (const directory of rest) await finish(directory);

async function crash(directory: string, moment: string, count: number): Promise<void> {
  let left = count;
  await runTo(directory, (reached) => {
    if (reached !== moment) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  });
}

async function moments(directory: string): Promise<void> {
  const reached: string[] = [];
  await runTo(directory, (moment) => reached.push(moment));
  process.stdout.write(JSON.stringify(reached));
}

async function runTo(directory: string, reach: (moment: string) => void): Promise<void> {
  const kernel = await openKernel({
    path: join(directory, 'trail.db'),
    clock,
    ids,
    failpoint: reach,
  });
  await kernel.admitGoal(scope, contract);
  await kernel.runGoal(scope, GOAL, { adapters: [script(tracesIn(directory), reach)] }).done;
  await kernel[Symbol.asyncDispose]();
}

async function finish(directory: string): Promise<void> {
  const traces = tracesIn(directory);
  const acknowledged = linesOf(traces.acknowledged);
  const actsBefore = linesOf(traces.acts).length;
  const kernel = await openKernel({ path: join(directory, 'trail.db'), clock, ids });
  await kernel.admitGoal(scope, contract);
  const inFlight = await unsafeInFlight(kernel);
  const budgets = [];
  const held: string[] = [];
  for (;;) {
    const view = await kernel.runGoal(scope, GOAL, {
      adapters: [script(traces, () => undefined)],
    }).done;
    budgets.push(view.budget);
    const hold = view.holds.find(({ state }) => state === 'open');
    if (hold === undefined) break;
    const key = hold.operation_key ?? '';
    held.push(key);
    // The person looks at the effect itself, which the kernel cannot.
    const happened = linesOf(traces.effects).some((line) => line.startsWith(`${key} `));
    await kernel.decide(scope, GOAL, {
      holdId: hold.hold_id,
      version: hold.version,
      decision: happened ? 'accept' : 'retry',
      reason: 'I looked.',
      ...(happened ? { outcome: { did: key } } : {}),
    });
  }
  const view = await kernel.readGoal(scope, GOAL);
  const outcomes: { [key: string]: unknown } = {};
  for (const line of linesOf(traces.acknowledged)) {
    const key = line.slice(0, line.indexOf(' '));
    outcomes[key] = (await kernel.readOperation(scope, GOAL, { key })).outcome?.value;
  }
  const report = {
    directory,
    state: view.state,
    tasks: view.tasks.map(({ state }) => state),
    inFlight,
    held,
    budgets,
    acknowledged,
    outcomes,
    actsAfter: linesOf(traces.acts).slice(actsBefore),
    effects: linesOf(traces.effects),
    verdict: await kernel.verifyTrail(scope),
  };
  await kernel[Symbol.asyncDispose]();
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

/** The calls that were admitted and have no outcome. */
async function unsafeInFlight(kernel: Kernel): Promise<readonly string[]> {
  const keys = [];
  for (const key of UNSAFE) {
    const operation = await kernel.readOperation(scope, GOAL, { key }).catch(() => null);
    if (operation?.state === 'admitted') keys.push(key);
  }
  return keys;
}
