import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MillforgeError, sha256 } from '@millforge/contracts';
import {
  ALL_PERMISSIONS,
  type GoalContract,
  type GoalView,
  type Kernel,
  type Scope,
} from '@millforge/kernel';
import Database from 'better-sqlite3';
import { openKernelOn } from '../../src/open-kernel.ts';
import { drawGoal, drawnAdapters, type Outside, pick } from './drawn-goal.ts';
import { faultyDriver } from './faulty-driver.ts';
import { type Random, randomOf, type VirtualProcess, virtualTime } from './virtual-time.ts';

/** What one seed came to. */
export interface Simulated {
  /** What does not hold; empty when everything does. */
  readonly broken: readonly string[];
  /** Digest over the heads of all trails: the same for the same seed. */
  readonly digest: string;
  /** What struck, and how often. */
  readonly counts: ReadonlyMap<string, number>;
  /** What happened outside, in its order, for whoever looks into a seed. */
  readonly story: readonly string[];
  /** Records of all trails, likewise; empty when everything holds. */
  readonly records: readonly string[];
}

const scope: Scope = {
  tenant: 'local',
  resource: 'simulation',
  actor: 'ann@host',
  permissions: ALL_PERMISSIONS,
};

/** One process of the simulation. */
interface Process extends VirtualProcess {
  kernel: Kernel | null;
  /** Name under which it holds leases, also while it closes. */
  ownerId: string;
  readonly ending: AbortController;
  readonly die: () => void;
}

/**
 * Runs drawn goals in several processes on one file, in virtual time: workers in any order, a lock and a disk that
 * fail, wall clocks that jump, processes that stop past their leases, die or close in the middle of an act, and a
 * person who decides by looking. Every step is drawn from the seed.
 */
export async function simulate(seed: number, root: string, template: string): Promise<Simulated> {
  const random = randomOf(seed);
  const directory = join(root, `seed-${seed}`);
  mkdirSync(directory, { recursive: true });
  copyFileSync(template, join(directory, 'trail.db'));
  const world = createWorld({ seed, random, directory });
  try {
    await world.run();
    return await world.result();
  } finally {
    await world.end();
    rmSync(directory, { recursive: true, force: true });
  }
}

interface World {
  run(): Promise<void>;
  result(): Promise<Simulated>;
  end(): Promise<void>;
}

function createWorld({
  seed,
  random,
  directory,
}: {
  readonly seed: number;
  readonly random: Random;
  readonly directory: string;
}): World {
  const path = join(directory, 'trail.db');
  const time = virtualTime(random);
  const broken: string[] = [];
  const counts = new Map<string, number>();
  const effects = new Map<string, string[]>();
  const given = new Map<string, string>();
  const contracts = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, place) =>
    drawGoal(`goal-${place}`, random),
  );
  const faults =
    random() < 0.7 ? { busy: 0.03, full: 0.002, io: 0.0008 } : { busy: 0, full: 0, io: 0 };
  const processes: Process[] = [];
  let names = 0;
  const story: string[] = [];
  const tell = (what: string): void => void story.push(`${Math.round(time.now())} ${what}`);
  const note = (kind: string): void => void counts.set(kind, (counts.get(kind) ?? 0) + 1);
  // Leases are looked at from outside, without a kernel in between.
  const watcher = new Database(path, { readonly: true });
  const leaseOf = watcher.prepare<[string, string], { owner_id: string }>(
    'SELECT leases.owner_id FROM leases JOIN goals USING (goal) WHERE goals.goal_id = ? AND leases.task_id = ?',
  );

  /** Waits for a call while time goes on; one whose process died or stopped is not waited for. */
  const during = async <T>(work: Promise<T>): Promise<T | null> => {
    let result: { readonly value: T } | null = null;
    let hasEnded = false;
    work.then(
      (value) => {
        result = { value };
        hasEnded = true;
      },
      (error: unknown) => {
        expected(error);
        hasEnded = true;
      },
    );
    for (let step = 0; step < 200; step += 1) {
      await settle();
      // The compiler does not see that the callbacks above change it.
      if (hasEnded as boolean) return (result as { readonly value: T } | null)?.value ?? null;
      time.step();
    }
    note('abandoned');
    return null;
  };

  const outsideOf = (process: Process): Outside => ({
    happened: (name) => effects.has(name),
    given(name, value) {
      const text = JSON.stringify(value);
      const before = given.get(name);
      if (before !== undefined && before !== text)
        broken.push(`${name} was ${before}, then ${text}`);
      given.set(name, text);
    },
    async act({ name, effect, repeat, goalId, taskId, idempotencyKey, signal }) {
      note('act');
      // Whoever lost its lease enters no further callback.
      const holder = leaseOf.get(goalId, taskId)?.owner_id;
      // A person who cancels in another process is noticed at the next write or heartbeat: looking does no harm till then.
      const isHarmless = holder === undefined && (effect === 'none' || effect === 'read');
      if (holder !== process.ownerId && !isHarmless)
        broken.push(`${name} (${effect}) was begun although ${holder ?? 'nobody'} has the lease`);
      if (given.has(name)) broken.push(`${name} was performed again after it was given out`);
      // A receiver that honours keys answers a known one as it did the first time.
      const isKnown = repeat === 'keyed' && effects.get(name)?.includes(idempotencyKey) === true;
      const end = isKnown ? 'done' : pick(random, ENDS);
      const isDone = end === 'done' || ((end === 'uncertain' || end === 'threw') && random() < 0.5);
      const listens = random() < 0.5;
      tell(`${process.ownerId} begins ${name}, which ends ${end}`);
      await time.wait(process, waitMs(random));
      if (process.isDead) return never();
      if (listens && signal.aborted) return { value: null, end: 'threw' };
      if (isDone && (effect === 'write' || effect === 'external')) {
        effects.set(name, [...(effects.get(name) ?? []), idempotencyKey]);
        tell(`${process.ownerId} has the effect ${name}`);
        const seen = effects.get(name) ?? [];
        const contract = contracts.find(({ goal_id }) => goal_id === goalId);
        const count = repeat === 'keyed' ? new Set(seen).size : seen.length;
        if (repeat !== 'safe' && count > 1 && contract?.on_ambiguous !== 'retry') {
          broken.push(`${name} (${repeat}) happened ${count} times`);
        }
      }
      await time.wait(process, waitMs(random));
      if (process.isDead) return never();
      return { value: name, end };
    },
  });

  const start = async (): Promise<void> => {
    const state: VirtualProcess = { isStopped: false, isDead: false, wallOffsetMs: 0 };
    const { driver, die } = faultyDriver(state, { random, rates: faults, onFault: note });
    const process: Process = Object.assign(state, {
      kernel: null,
      ownerId: '',
      ending: new AbortController(),
      die,
    });
    processes.push(process);
    const kernel = await during(
      openKernelOn(driver, {
        path,
        clock: time.clock(process),
        ids: { newId: (prefix) => `${prefix}_${seed}_${(names += 1)}` },
        graceMs: 200,
        lockTimeoutMs: 2000,
      }),
    );
    if (kernel === null) {
      process.isDead = true;
      die();
      return;
    }
    process.kernel = kernel;
    process.ownerId = kernel.ownerId;
    for (const contract of contracts) await during(kernel.admitGoal(scope, contract));
    const outside = outsideOf(process);
    const worker = kernel.runWorker({
      concurrency: 1 + Math.floor(random() * 4),
      signal: process.ending.signal,
      adapters: contracts.flatMap((contract) => drawnAdapters(contract, outside)),
      onFault: (_goalId, error) => {
        if (!process.isDead) expected(error);
      },
    });
    worker.done.catch((error: unknown) => {
      if (!process.isDead) expected(error);
      end(process);
    });
  };

  /** What faults of the disk, lost leases and closed kernels may throw; everything else is a fault of ours. */
  const expected = (error: unknown): void => {
    const code = MillforgeError.is(error) ? error.code : 'no code';
    note(code);
    if (!EXPECTED.has(code)) broken.push(`threw ${code}: ${String(error)}`);
  };

  const end = (process: Process): void => {
    if (process.isDead) return;
    process.isDead = true;
    process.ending.abort();
    process.die();
  };

  const living = (): readonly Process[] =>
    processes.filter(({ isDead, kernel }) => !isDead && kernel !== null);

  /** A person looks at the effects themselves and decides what is open; one who is told no tries again later. */
  const decide = async (kernel: Kernel): Promise<void> => {
    for (const { goal_id } of contracts) {
      const view = await during(kernel.readGoal(scope, goal_id));
      for (const hold of view?.holds ?? []) {
        if (hold.state !== 'open') continue;
        note(`hold ${hold.reason}`);
        if (!DECIDABLE.has(hold.reason)) broken.push(`held for ${hold.reason}: ${hold.message}`);
        const name = [goal_id, hold.task_id, hold.operation_key].filter(Boolean).join('/');
        const happened = effects.has(name);
        tell(`a person looks at ${name} for ${hold.hold_id} and finds ${String(happened)}`);
        await during(
          kernel.decide(scope, goal_id, {
            holdId: hold.hold_id,
            version: hold.version,
            decision: happened ? 'accept' : random() < 0.9 ? 'retry' : 'cancel',
            reason: 'I looked.',
            ...(happened ? { outcome: name } : {}),
          }),
        );
      }
    }
  };

  const disturb = async (): Promise<void> => {
    const process = pick(random, processes);
    const drawn = random();
    if (drawn < 0.25) {
      note('killed');
      tell(`${process.ownerId} is killed`);
      end(process);
    } else if (drawn < 0.5) {
      note('stopped');
      tell(`${process.ownerId} is stopped`);
      process.isStopped = true;
    } else if (drawn < 0.75) {
      process.isStopped = false;
    } else if (drawn < 0.85) {
      note('clock jumped');
      process.wallOffsetMs += Math.floor((random() - 0.5) * 7_200_000);
    } else if (drawn < 0.92 && !process.isDead && !process.isStopped) {
      note('closed');
      tell(`${process.ownerId} is closed`);
      // Its acts may go on after it.
      const { kernel } = process;
      if (kernel !== null) Promise.resolve(kernel[Symbol.asyncDispose]()).catch(expected);
      process.kernel = null;
    } else if (living().length < 3) await start();
  };

  const isOver = async (kernel: Kernel): Promise<boolean> => {
    for (const { goal_id } of contracts) {
      const view = await readOrNull(kernel, goal_id);
      if (view === null || !ENDED.has(view.state)) return false;
    }
    return true;
  };

  const readOrNull = async (kernel: Kernel, goalId: string): Promise<GoalView | null> => {
    const view = await during(kernel.readGoal(scope, goalId));
    if (view === null) return null;
    const { limit, reserved, used } = view.budget;
    if (reserved + used > limit) broken.push(`${goalId} has ${reserved} and ${used} of ${limit}`);
    return view;
  };

  const run = async (): Promise<void> => {
    await start();
    await start();
    for (let step = 0; step < MAX_STEPS && broken.length === 0; step += 1) {
      await settle();
      const isCalm = step > CALM_AFTER;
      if (isCalm) for (const process of processes) process.isStopped = false;
      if (!isCalm && random() < 0.06) await disturb();
      if (isCalm) faults.busy = faults.full = faults.io = 0;
      if (living().length === 0) await start();
      if (step % 25 === 0) {
        const [kernel] = living().flatMap((one) =>
          one.isStopped || one.kernel === null ? [] : [one.kernel],
        );
        if (kernel !== undefined) {
          // Whoever decides while a process that may still act is stopped would wait for it for good.
          await decide(kernel);
          if (await isOver(kernel)) return;
        }
      }
      if (!time.step() && living().every(({ isStopped }) => isStopped)) {
        for (const process of processes) process.isStopped = false;
      }
    }
    if (broken.length === 0) broken.push(`did not end in ${MAX_STEPS} steps: ${standing(path)}`);
  };

  const close = async (): Promise<void> => {
    for (const process of processes) {
      process.isStopped = false;
      end(process);
    }
    await settle();
  };

  return {
    run,
    async result() {
      await close();
      const found = [...broken, ...(await verify(path, contracts))];
      const records = found.length === 0 ? [] : recordsOf(path);
      return { broken: found, digest: headsOf(path), counts, story, records };
    },
    async end() {
      await close();
      watcher.close();
    },
  };
}

/** What a fresh process finds in the file when all others are gone. */
async function verify(
  path: string,
  contracts: readonly GoalContract[],
): Promise<readonly string[]> {
  const time = virtualTime(randomOf(1));
  const process: VirtualProcess = { isStopped: false, isDead: false, wallOffsetMs: 0 };
  const kernel = await openKernelOn((file, options) => new Database(file, options), {
    path,
    clock: time.clock(process),
    ids: { newId: (prefix) => `${prefix}_verify` },
  });
  try {
    const verdict = await kernel.verifyTrail(scope);
    const open: string[] = [];
    for (const { goal_id } of contracts) {
      const view = await kernel.readGoal(scope, goal_id);
      for (const { task_id, attempt } of view.tasks) {
        const isRunning = attempt?.state === 'running' || attempt?.state === 'admitted';
        if (isRunning && ENDED.has(view.state))
          open.push(`${goal_id}/${task_id} runs in an ended goal`);
      }
      if (ENDED.has(view.state) && view.budget.reserved !== 0) {
        open.push(`${goal_id} has ended with ${view.budget.reserved} units reserved`);
      }
    }
    return [...open, ...(verdict.ok ? [] : [`the trail does not hold: ${verdict.what}`])];
  } finally {
    await kernel[Symbol.asyncDispose]();
  }
}

/** What is left open, for whoever looks into a seed. */
function standing(path: string): string {
  const database = new Database(path, { readonly: true });
  const rows = database
    .prepare(
      `SELECT goals.goal_id, goals.state AS goal_state, tasks.task_id, tasks.state, attempts.number, attempts.state AS attempt,
              leases.owner_id FROM goals JOIN tasks USING (goal)
         LEFT JOIN attempts ON attempts.goal = goals.goal AND attempts.task_id = tasks.task_id
         LEFT JOIN leases ON leases.goal = goals.goal AND leases.task_id = tasks.task_id
        WHERE goals.state NOT IN ('completed', 'failed', 'cancelled')`,
    )
    .all();
  database.close();
  return JSON.stringify(rows);
}

function recordsOf(path: string): readonly string[] {
  const database = new Database(path, { readonly: true });
  const rows = database
    .prepare<[], { goal_id: string; seq: number; at: string; type: string; data: string }>(
      'SELECT goal_id, seq, at, type, data FROM trail JOIN goals USING (goal) ORDER BY trail.rowid',
    )
    .all();
  database.close();
  return rows.map(
    ({ goal_id, seq, at, type, data }) => `${goal_id} ${seq} ${at} ${type} ${data.slice(0, 400)}`,
  );
}

function headsOf(path: string): string {
  const database = new Database(path, { readonly: true });
  const heads = database
    .prepare(
      'SELECT record_sha256, max(seq) FROM trail JOIN goals USING (goal) GROUP BY goal ORDER BY goal_id',
    )
    .pluck()
    .all();
  database.close();
  return sha256(heads.join());
}

/** Lets everything happen that waits for no time. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function waitMs(random: Random): number {
  return random() < 0.05 ? 2000 + random() * 4000 : random() * 60;
}

const ENDS: readonly ('done' | 'failed' | 'uncertain' | 'threw')[] = [
  ...Array.from({ length: 9 }, () => 'done' as const),
  'failed',
  'uncertain',
  'threw',
];
const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);
const DECIDABLE: ReadonlySet<string> = new Set([
  'ambiguous-operation',
  'ambiguous-attempt',
  'resume-limit',
]);
const EXPECTED: ReadonlySet<string> = new Set([
  'kernel/busy',
  'kernel/closed',
  'kernel/commit-unknown',
  'kernel/decision-not-allowed',
  'kernel/disk-full',
  'kernel/former-owner-alive',
  'kernel/goal-ended',
  'kernel/hold-decided',
  'kernel/io',
  'kernel/lease-lost',
  'kernel/run-active',
  'kernel/stale-version',
  'kernel/not-found',
]);
const MAX_STEPS = 6000;
const CALM_AFTER = 1500;
