import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MillforgeError } from '@millforge/contracts';
import { type Kernel, openKernel } from '@millforge/kernel';
import { crashClock, crashIds, crashScope } from '../crash/finish-goal.ts';
import { hasHappened, linesOf, tracesIn } from '../crash/scenario.ts';
import { loadContracts } from './load-goals.ts';
import { type Random, randomOf } from './virtual-time.ts';

/** What kills at random moments came to. */
export interface LoadFigures {
  kills: number;
  decided: number;
  effects: number;
  readonly broken: string[];
}

/**
 * Lets two to four processes work on one file, kills one of them at a drawn moment again and again, decides what is
 * held by looking, and counts at the end what happened twice, was lost or never came.
 */
export async function killUnderLoad(options: {
  readonly child: string;
  readonly root: string;
  readonly kills: number;
  readonly seed: number;
  readonly onKill?: () => void;
}): Promise<LoadFigures> {
  const figures: LoadFigures = { kills: 0, decided: 0, effects: 0, broken: [] };
  const random = randomOf(options.seed);
  for (let round = 0; figures.kills < options.kills; round += 1) {
    const directory = join(options.root, `load-${round}`);
    mkdirSync(directory, { recursive: true });
    await oneRound({ ...options, random, directory, figures });
  }
  return figures;
}

const GOALS = 12;

async function oneRound({
  child,
  kills,
  random,
  directory,
  figures,
  onKill,
}: {
  readonly child: string;
  readonly kills: number;
  readonly random: Random;
  readonly directory: string;
  readonly figures: LoadFigures;
  readonly onKill?: () => void;
}): Promise<void> {
  const start = (): ChildProcess =>
    spawn(process.execPath, [child, directory, String(GOALS)], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
  let children = Array.from({ length: 2 + Math.floor(random() * 3) }, start);
  const mine = await openKernel({
    path: join(directory, 'trail.db'),
    clock: crashClock,
    ids: crashIds,
    lockTimeoutMs: 20_000,
  });
  try {
    for (const contract of loadContracts(GOALS)) await mine.admitGoal(crashScope, contract);
    while (figures.kills < kills && !(await isOver(mine))) {
      await delay(20 + random() * 120);
      await decideAll(mine, directory, figures);
      const victim = children[Math.floor(random() * children.length)];
      if (victim === undefined || victim.exitCode !== null) continue;
      const gone = new Promise((resolve) => victim.once('exit', resolve));
      victim.kill('SIGKILL');
      await gone;
      figures.kills += 1;
      onKill?.();
      children = [...children.filter((one) => one !== victim), start()];
    }
    while (!(await isOver(mine))) {
      await decideAll(mine, directory, figures);
      await delay(20);
    }
  } finally {
    await Promise.all(children.map(endChild));
    await mine[Symbol.asyncDispose]();
  }
  figures.broken.push(...(await faultsOf(directory, figures)));
}

async function endChild(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  if (child.exitCode === null && child.signalCode === null) await gone;
}

async function isOver(kernel: Kernel): Promise<boolean> {
  const goals = await kernel.listGoals(crashScope, { limit: GOALS });
  return goals.length === GOALS && goals.every(({ state }) => state === 'completed');
}

/** The person looks at the effect itself; whoever may still act is waited for. */
async function decideAll(kernel: Kernel, directory: string, figures: LoadFigures): Promise<void> {
  const traces = tracesIn(directory);
  for (const { goal_id, state } of await kernel.listGoals(crashScope, { limit: GOALS })) {
    if (state !== 'held') continue;
    const { holds } = await kernel.readGoal(crashScope, goal_id);
    for (const hold of holds) {
      if (hold.state !== 'open') continue;
      const name = [goal_id, hold.task_id, hold.operation_key].filter(Boolean).join('/');
      const happened = hasHappened(traces, name);
      try {
        await kernel.decide(crashScope, goal_id, {
          holdId: hold.hold_id,
          version: hold.version,
          decision: happened ? 'accept' : 'retry',
          reason: 'I looked.',
          ...(happened ? { outcome: { did: name } } : {}),
        });
        figures.decided += 1;
      } catch (error) {
        if (!MillforgeError.is(error, 'kernel/former-owner-alive')) throw error;
      }
    }
  }
}

/** What was seen outside against what the file says. */
async function faultsOf(directory: string, figures: LoadFigures): Promise<readonly string[]> {
  const traces = tracesIn(directory);
  const kernel = await openKernel({
    path: join(directory, 'trail.db'),
    clock: crashClock,
    ids: crashIds,
  });
  try {
    const found: string[] = [];
    const effects = linesOf(traces.effects).map((line) => line.slice(0, line.indexOf(' ')));
    figures.effects += effects.length;
    const seen = new Set<string>();
    for (const name of effects) {
      if (seen.has(name)) found.push(`${name} happened twice`);
      seen.add(name);
    }
    for (const { goal_id, tasks } of loadContracts(GOALS)) {
      const view = await kernel.readGoal(crashScope, goal_id);
      for (const { task_id } of tasks) {
        if (task_id !== 'steps' && !seen.has(`${goal_id}/${task_id}`)) {
          found.push(`${goal_id}/${task_id} never happened`);
        }
      }
      for (const { task_id, attempt } of view.tasks) {
        if (attempt?.state !== 'recorded') found.push(`${goal_id}/${task_id} is not recorded`);
      }
      if (view.budget.reserved !== 0) found.push(`${goal_id} keeps units reserved`);
    }
    found.push(...(await lost(kernel, linesOf(traces.acknowledged))));
    const { trails, intact } = await kernel.examine();
    if (!intact || trails?.ok !== true) found.push('the trail does not hold');
    return found;
  } finally {
    await kernel[Symbol.asyncDispose]();
  }
}

/** Results that a program was given and that the file does not have. */
async function lost(kernel: Kernel, acknowledged: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const line of new Set(acknowledged)) {
    const name = line.slice(0, line.indexOf(' '));
    const [goalId = '', taskId = '', key] = name.split('/');
    const value =
      key === undefined
        ? (await kernel.readGoal(crashScope, goalId)).tasks.find(
            ({ task_id }) => task_id === taskId,
          )?.output
        : (await kernel.readOperation(crashScope, goalId, { taskId, key })).outcome?.value;
    if (JSON.stringify(value) !== line.slice(name.length + 1)) found.push(`lost: ${line}`);
  }
  return found;
}
