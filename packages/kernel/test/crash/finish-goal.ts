import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Ids } from '@millforge/contracts';
import {
  ALL_PERMISSIONS,
  type GoalView,
  type HoldView,
  type Kernel,
  openKernel,
  type Scope,
} from '@millforge/kernel';
import { hasHappened, linesOf, type Scenario, type Traces, tracesIn } from './scenario.ts';

export const crashClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  delay: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
};
export const crashIds: Ids = { newId: (prefix) => `${prefix}_${randomBytes(8).toString('hex')}` };
export const crashScope: Scope = {
  tenant: 'local',
  resource: 'crash',
  actor: 'ann@host',
  permissions: ALL_PERMISSIONS,
};

/** Opens what crashed, lets a person decide, runs to the end; gives everything that does not hold. */
export async function finishGoal(directory: string, scenario: Scenario): Promise<Finished> {
  const traces = tracesIn(directory);
  const actsBefore = linesOf(traces.acts).length;
  const acknowledged = new Set(linesOf(traces.acknowledged));
  const kernel = await openKernel({
    path: join(directory, 'trail.db'),
    clock: crashClock,
    ids: crashIds,
  });
  try {
    const goalId = scenario.contract.goal_id;
    await kernel.admitGoal(crashScope, scenario.contract);
    const inFlight = await unknowable(kernel, scenario);
    const adapters = scenario.adapters(traces, () => undefined);
    const views: GoalView[] = [];
    const held: string[] = [];
    for (;;) {
      const view = await kernel.runGoal(crashScope, goalId, { adapters }).done;
      views.push(view);
      const open = view.holds.filter(({ state }) => state === 'open');
      if (open.length === 0) break;
      for (const hold of open) held.push(await decide(kernel, { scenario, hold, traces }));
    }
    const actsAfter = linesOf(traces.acts).slice(actsBefore);
    return {
      asked: held,
      faults: [
        ...endFaults(views, scenario),
        ...budgetFaults(views),
        ...(await lossFaults(kernel, { scenario, acknowledged })),
        ...repeatFaults(acknowledged, actsAfter),
        ...effectFaults(linesOf(traces.effects), scenario),
        ...(held.toSorted().join() === inFlight.toSorted().join()
          ? []
          : [`asked about [${held.join()}] where [${inFlight.join()}] were in flight`]),
        ...((await kernel.verifyTrail(crashScope)).ok ? [] : ['the trail does not verify']),
      ],
    };
  } finally {
    await kernel[Symbol.asyncDispose]();
  }
}

/** What came of a crash. */
export interface Finished {
  /** What a person was asked about. */
  readonly asked: readonly string[];
  /** What does not hold. */
  readonly faults: readonly string[];
}

/** The effects that were begun, have no outcome, and that nobody can look for. */
async function unknowable(kernel: Kernel, scenario: Scenario): Promise<readonly string[]> {
  const goalId = scenario.contract.goal_id;
  const view = await kernel.readGoal(crashScope, goalId);
  const found: string[] = [];
  for (const key of scenario.asked) {
    const task = view.tasks.find(({ task_id }) => task_id === key);
    if (task !== undefined) {
      const state = task.attempt?.state;
      if (state === 'interrupted' || state === 'ambiguous') found.push(key);
      continue;
    }
    for (const { task_id } of view.tasks) {
      const operation = await kernel
        .readOperation(crashScope, goalId, { taskId: task_id, key })
        .catch(() => null);
      if (operation?.state === 'admitted' || operation?.state === 'uncertain') found.push(key);
    }
  }
  return found;
}

/** The person looks at the effect itself, which the kernel cannot. */
async function decide(
  kernel: Kernel,
  {
    scenario,
    hold,
    traces,
  }: { readonly scenario: Scenario; readonly hold: HoldView; readonly traces: Traces },
): Promise<string> {
  const key = hold.operation_key ?? hold.task_id;
  const happened = hasHappened(traces, key);
  await kernel.decide(crashScope, scenario.contract.goal_id, {
    holdId: hold.hold_id,
    version: hold.version,
    decision: happened ? 'accept' : 'retry',
    reason: 'I looked.',
    ...(happened ? { outcome: scenario.attested(key) } : {}),
  });
  return key;
}

function endFaults(views: readonly GoalView[], scenario: Scenario): readonly string[] {
  const last = views.at(-1);
  const wrong = (last?.tasks ?? []).filter(
    ({ task_id, state }) => state !== (scenario.failing.includes(task_id) ? 'failed' : 'completed'),
  );
  const running = views.flatMap((view) =>
    view.tasks.filter(
      ({ attempt }) => attempt?.state === 'running' || attempt?.state === 'admitted',
    ),
  );
  return [
    ...(last?.state === 'completed' ? [] : [`the goal is ${String(last?.state)}`]),
    ...wrong.map(({ task_id, state }) => `the task ${task_id} is ${state}`),
    ...running.map(({ task_id }) => `${task_id} counts as running although nobody runs it`),
  ];
}

function budgetFaults(views: readonly GoalView[]): readonly string[] {
  return views.flatMap(({ budget }) =>
    budget.reserved + budget.used <= budget.limit ? [] : ['more units than the goal has'],
  );
}

/** Results that somebody was given and that are not there any more. */
async function lossFaults(
  kernel: Kernel,
  {
    scenario,
    acknowledged,
  }: { readonly scenario: Scenario; readonly acknowledged: ReadonlySet<string> },
): Promise<readonly string[]> {
  const goalId = scenario.contract.goal_id;
  const view = await kernel.readGoal(crashScope, goalId);
  const faults: string[] = [];
  for (const line of acknowledged) {
    const key = line.slice(0, line.indexOf(' '));
    const values = new Set([
      JSON.stringify(view.tasks.find(({ task_id }) => task_id === key)?.output),
    ]);
    for (const { task_id } of view.tasks) {
      const operation = await kernel
        .readOperation(crashScope, goalId, { taskId: task_id, key })
        .catch(() => null);
      values.add(JSON.stringify(operation?.outcome?.value));
    }
    if (!values.has(line.slice(key.length + 1))) faults.push(`lost: ${line}`);
  }
  return faults;
}

/** What was acknowledged and is performed again all the same. */
export function repeatFaults(
  acknowledged: ReadonlySet<string>,
  actsAfter: readonly string[],
): readonly string[] {
  const known = new Set([...acknowledged].map((line) => line.slice(0, line.indexOf(' '))));
  return actsAfter.filter((key) => known.has(key)).map((key) => `performed again: ${key}`);
}

function effectFaults(effects: readonly string[], scenario: Scenario): readonly string[] {
  return Object.entries(scenario.effects).flatMap(([key, rule]) => {
    const lines = effects.filter((line) => line.startsWith(`${key} `));
    if (lines.length === 0) return [`the effect ${key} is missing`];
    if (rule === 'any') return [];
    // A receiver that honours the key sees one effect.
    const count = rule === 'keyed' ? new Set(lines).size : lines.length;
    return count === 1 ? [] : [`the effect ${key} happened ${count} times`];
  });
}
