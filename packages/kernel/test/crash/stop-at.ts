import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Clock, type JsonObject, type JsonValue, MillforgeError } from '@millforge/contracts';
import { type GoalView, type Kernel, openKernel } from '@millforge/kernel';
import { crashClock, crashIds, crashScope, finishGoal, repeatFaults } from './finish-goal.ts';
import { hasHappened, linesOf, type Scenario, type Traces, tracesIn } from './scenario.ts';
import { LEASE_MS, shortLeases } from './short-leases.ts';

/** What came of a process that was stopped, superseded and woken up. */
export interface Stopped {
  /** The failpoint at which it stood; null when it ended before it came to that many. */
  readonly at: string | null;
  /** Whether another process took something over from it meanwhile. */
  readonly isTakenOver: boolean;
  /** What it was told when it went on. */
  readonly ended: string;
  /** What does not hold. */
  readonly faults: readonly string[];
}

/**
 * Stops a process at its n-th failpoint, lets another one wait for its leases, take over and go on as far as it can,
 * wakes the first up, and looks at what that one still does.
 */
export async function stopAt(
  moment: number,
  options: { readonly child: string; readonly scenario: Scenario; readonly root: string },
): Promise<Stopped> {
  const scenario = shortLeases(options.scenario);
  const directory = join(options.root, `${scenario.name}-stopped-${moment}`);
  mkdirSync(directory, { recursive: true });
  const first = startFirst([options.child, scenario.name, directory, String(moment)]);
  try {
    const { stoppedAt = null, ended = '' } = await first.line();
    if (stoppedAt === null) return { at: null, isTakenOver: false, ended, faults: [] };
    return await supersede(first, { scenario, directory, stoppedAt });
  } finally {
    first.process.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What the first process says of itself. */
interface Said {
  readonly stoppedAt?: string;
  readonly ended?: string;
  readonly entered?: readonly string[];
}

interface First {
  readonly process: ChildProcess;
  line(): Promise<Said>;
}

function startFirst(args: readonly string[]): First {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    // One that nobody wakes up any more must not stay.
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    async line() {
      const { value } = await lines.next();
      if (typeof value !== 'string') throw new Error('The process ended without a word.');
      return JSON.parse(value);
    },
  };
}

/** Lets a process go on; it said that it stops just before it does, so it may have to be told again. */
async function wakeUp(first: First): Promise<Said> {
  const tell = (): boolean => first.process.kill('SIGCONT');
  const telling = setInterval(tell, 20);
  try {
    tell();
    return await first.line();
  } finally {
    clearInterval(telling);
  }
}

async function supersede(
  first: First,
  {
    scenario,
    directory,
    stoppedAt,
  }: { readonly scenario: Scenario; readonly directory: string; readonly stoppedAt: string },
): Promise<Stopped> {
  const traces = tracesIn(directory);
  const acknowledged = new Set(linesOf(traces.acknowledged));
  const actsBefore = linesOf(traces.acts).length;
  const second = await openKernel({
    path: join(directory, 'trail.db'),
    clock: hurriedClock(),
    ids: crashIds,
  });
  try {
    const goal = { kernel: second, scenario, traces };
    await second.admitGoal(crashScope, scenario.contract);
    const before = await goOn(goal);
    const superseded = await supersededTasks(second, before);
    const repeated = repeatFaults(acknowledged, linesOf(traces.acts).slice(actsBefore));
    const said = await wakeUp(first);
    const wrote = await tasksChangedAfter(second, before);
    const { holds } = await goOn(goal);
    const open = holds.filter(({ state }) => state === 'open');
    return {
      at: stoppedAt,
      isTakenOver: superseded.size > 0,
      ended: said.ended ?? '',
      faults: [
        ...lossFaults(superseded, { ...said, wrote }),
        ...repeated,
        ...open.map(({ message }) => `still asked: ${message}`),
        ...(await finishGoal(directory, scenario)).faults,
      ],
    };
  } finally {
    await second[Symbol.asyncDispose]();
  }
}

/** Whoever was superseded enters nothing more of what it lost, changes nothing of it, and is told. */
function lossFaults(
  superseded: ReadonlySet<string>,
  { ended = '', entered = [], wrote }: Said & { readonly wrote: readonly string[] },
): readonly string[] {
  if (superseded.size === 0) return [];
  return [
    ...entered.filter((id) => superseded.has(id)).map((id) => `entered a callback of ${id}`),
    ...wrote.filter((id) => superseded.has(id)).map((id) => `changed ${id}`),
    ...(ended === 'kernel/lease-lost' ? [] : [`was told ${ended}`]),
  ];
}

interface Goal {
  readonly kernel: Kernel;
  readonly scenario: Scenario;
  readonly traces: Traces;
}

/** Runs the goal as far as it goes: what is held is decided by looking, unless its process may still act. */
async function goOn({ kernel, scenario, traces }: Goal): Promise<GoalView> {
  const goalId = scenario.contract.goal_id;
  const adapters = scenario.adapters(traces, () => undefined);
  for (;;) {
    const view = await kernel.runGoal(crashScope, goalId, { adapters }).done;
    let hasDecided = false;
    for (const hold of view.holds) {
      if (hold.state !== 'open') continue;
      const key = hold.operation_key ?? hold.task_id;
      const happened = hasHappened(traces, key);
      try {
        await kernel.decide(crashScope, goalId, {
          holdId: hold.hold_id,
          version: hold.version,
          decision: happened ? 'accept' : 'retry',
          reason: 'I looked.',
          ...(happened ? { outcome: scenario.attested(key) } : {}),
        });
        hasDecided = true;
      } catch (error) {
        if (!MillforgeError.is(error, 'kernel/former-owner-alive')) throw error;
      }
    }
    if (!hasDecided) return view;
  }
}

/** The tasks of which another process took an attempt over. */
async function supersededTasks(
  kernel: Kernel,
  { goal_id }: GoalView,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const { type, data } of kernel.readTrail(crashScope, goal_id)) {
    if (type === 'attempt-taken-over' || type === 'attempt-doubted') {
      for (const id of tasksIn(data)) found.add(id);
    }
  }
  return found;
}

/** The tasks that records changed after the goal was looked at; a refused result changes none. */
async function tasksChangedAfter(
  kernel: Kernel,
  { goal_id, head }: GoalView,
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { data } of kernel.readTrail(crashScope, goal_id, { from: head.seq + 1 })) {
    found.push(...tasksIn(data));
  }
  return found;
}

/** The tasks whose rows a record changes. */
function tasksIn(data: JsonValue): readonly string[] {
  const tables = isObject(data) ? Object.values(data).filter((value) => Array.isArray(value)) : [];
  return tables
    .flat()
    .flatMap((row) =>
      isObject(row) && typeof row['task_id'] === 'string' ? [row['task_id']] : [],
    );
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A clock on which the silence of another process is soon long enough. */
function hurriedClock(): Clock {
  let skippedMs = 0;
  return {
    now: () => crashClock.now(),
    monotonicMs: () => performance.now() + skippedMs,
    async delay(ms, signal) {
      // Only a wait for a silent owner is shortened.
      if (ms > LEASE_MS / 4) return crashClock.delay(ms, signal);
      skippedMs += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
