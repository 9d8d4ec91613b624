import { rmSync } from 'node:fs';
import {
  operationFailed,
  operationUnavailable,
  operationUncertain,
  unreachable,
} from '@millforge/contracts';
import type { Adapter, GoalView, Kernel } from '@millforge/kernel';
import { type Arbitrary, array, assert, asyncProperty, constantFrom, oneof } from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { volatileFolder } from '../crash/moments.ts';
import { adapter, contract, modelTurn, outcome, scope, toolCall } from '../fixture.ts';
import { type Hosts, type Loss, openHosts } from './hosts.ts';
import {
  type Behaviour,
  cancelModel,
  decideModel,
  freshModel,
  type Kind,
  type Model,
  PROGRAM,
  runModel,
} from './reference-model.ts';

/** What the outside does and remembers, apart from the kernel. */
interface World {
  readonly goalId: string;
  readonly acts: number[];
  readonly happened: boolean[];
  queue: Behaviour[];
  stop: () => void;
  /** Takes the process away in the middle of an act. */
  lose: (how: Loss) => void;
}

type Command =
  | { readonly type: 'run'; readonly behaviours: readonly Behaviour[] }
  | { readonly type: 'decide'; readonly decision: 'retry' | 'accept' | 'cancel' }
  | { readonly type: 'cancel' }
  | { readonly type: 'reopen' }
  | { readonly type: 'crash' };

const behaviour = constantFrom<Behaviour[]>(
  'done',
  'failed',
  'uncertain',
  'unavailable',
  'stopping',
);
const losing = constantFrom<Behaviour[]>('dying', 'freezing');
const behaving = oneof({ weight: 12, arbitrary: behaviour }, { weight: 1, arbitrary: losing });
const running: Arbitrary<Command> = array(behaving, { maxLength: 6 }).map((behaviours) => ({
  type: 'run',
  behaviours,
}));
const deciding: Arbitrary<Command> = constantFrom<Command[]>(
  { type: 'decide', decision: 'retry' },
  { type: 'decide', decision: 'accept' },
);
const rare: Arbitrary<Command> = constantFrom<Command[]>(
  { type: 'decide', decision: 'cancel' },
  { type: 'cancel' },
  { type: 'reopen' },
  { type: 'crash' },
);
const commands = oneof(
  { weight: 6, arbitrary: running },
  { weight: 4, arbitrary: deciding },
  { weight: 3, arbitrary: rare },
);

const RUNS = Number(process.env['MILLFORGE_MODEL_RUNS'] ?? 500);

test('agrees with the model after every command', {
  tags: ['slow'],
  timeout: Math.max(300_000, RUNS * 200),
}, async () => {
  // One store for all sequences, each with a goal of its own: opening costs more than most of them.
  const directory = volatileFolder('millforge-model-');
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const hosts = await openHosts(directory);
  let goals = 0;
  await assert(
    asyncProperty(array(commands, { minLength: 1, maxLength: 12 }), async (sequence) => {
      goals += 1;
      const goalId = `goal-${goals}`;
      const model = freshModel();
      const world: World = {
        goalId,
        acts: PROGRAM.map(() => 0),
        happened: PROGRAM.map(() => false),
        queue: [],
        stop: () => undefined,
        lose: () => undefined,
      };
      await hosts.kernel.admitGoal(scope, contract(goalId, { task: { lease_ms: 1000 } }));
      for (const next of sequence) {
        await apply(hosts, world, next);
        applyToModel(model, next);
        await compare(hosts.kernel, world, model);
      }
      expect(await hosts.kernel.verifyTrail(scope, goalId)).toMatchObject({ ok: true });
      hosts.buryFrozen();
    }),
    {
      numRuns: RUNS,
      examples: [[REPEATED_READ], [LOST_TWICE], [SILENT_AND_LOOKED_FOR]],
    },
  );
  await hosts.close();
});

/** A read that a person lets be repeated, and that nobody answers then: ten thousand sequences found it. */
const REPEATED_READ: Command[] = [
  { type: 'run', behaviours: ['done', 'done', 'done', 'uncertain', 'uncertain', 'uncertain'] },
  { type: 'decide', decision: 'retry' },
  { type: 'run', behaviours: ['unavailable'] },
  { type: 'run', behaviours: ['uncertain', 'uncertain', 'uncertain'] },
];

/** Each operation in doubt once by a death and once by silence. */
const LOST_TWICE: Command[] = [
  { type: 'run', behaviours: ['dying'] },
  { type: 'run', behaviours: ['freezing'] },
  { type: 'crash' },
  { type: 'run', behaviours: ['done', 'freezing'] },
  { type: 'run', behaviours: [] },
  { type: 'decide', decision: 'retry' },
  { type: 'run', behaviours: ['done', 'dying'] },
  { type: 'run', behaviours: ['freezing'] },
  { type: 'run', behaviours: ['done', 'dying'] },
  { type: 'run', behaviours: ['done', 'dying'] },
  { type: 'run', behaviours: ['dying'] },
];

/** The operation that can be looked for, silent: what has not happened yet may happen after the look. */
const SILENT_AND_LOOKED_FOR: Command[] = [
  { type: 'run', behaviours: ['done', 'done', 'freezing'] },
  { type: 'run', behaviours: ['done', 'done', 'freezing'] },
  { type: 'run', behaviours: [] },
  { type: 'decide', decision: 'retry' },
  { type: 'run', behaviours: ['dying'] },
  { type: 'run', behaviours: ['freezing'] },
  { type: 'cancel' },
];

async function apply(hosts: Hosts, world: World, command: Command): Promise<void> {
  const { kernel } = hosts;
  const view = await kernel.readGoal(scope, world.goalId);
  const isEnded = view.state === 'completed' || view.state === 'cancelled';
  switch (command.type) {
    case 'run': {
      world.queue = [...command.behaviours];
      const lost = new Promise<Loss>((resolve) => {
        world.lose = resolve;
      });
      const run = kernel.runGoal(scope, world.goalId, {
        adapters: [program(world)],
        onWaiting: () => hosts.passTimeUntil(run.done),
      });
      world.stop = () => run.stop();
      const loss = await Promise.race([lost, run.done.then(() => null)]);
      if (loss !== null) await hosts.lose(loss);
      return;
    }
    case 'decide': {
      const hold = view.holds.find(({ state }) => state === 'open');
      if (hold === undefined) return;
      await kernel.decide(scope, world.goalId, {
        holdId: hold.hold_id,
        version: hold.version,
        decision: command.decision,
        reason: 'Because.',
        ...(command.decision === 'accept' ? { outcome: 'attested' } : {}),
        evenIfRunning: true,
      });
      return;
    }
    case 'cancel': {
      const cancelled = kernel.cancelGoal(scope, world.goalId, {
        version: view.version,
        reason: 'Because.',
      });
      if (isEnded) await expect(cancelled).rejects.toMatchObject({ code: 'kernel/goal-ended' });
      else await cancelled;
      return;
    }
    case 'reopen':
      await hosts.reopen();
      return;
    case 'crash':
      await hosts.lose('dying');
  }
}

function applyToModel(model: Model, command: Command): void {
  switch (command.type) {
    case 'run':
      runModel(model, command.behaviours);
      return;
    case 'decide':
      decideModel(model, command.decision);
      return;
    case 'cancel':
      cancelModel(model);
      return;
    case 'reopen':
    case 'crash':
  }
}

/** The same program as the model's, on the real log. */
function program(world: World): Adapter {
  return adapter(async (context) => {
    for (const [place, kind] of PROGRAM.entries()) {
      let doubts = 0;
      await context.perform(operationOf(world, place, kind), async () => {
        world.acts[place] = (world.acts[place] ?? 0) + 1;
        world.happened[place] = true;
        const next = world.queue.shift() ?? 'done';
        switch (next) {
          case 'failed':
            throw operationFailed({ code: 'down', message: 'It is down.' });
          case 'unavailable':
            world.happened[place] = false;
            throw operationUnavailable({ code: 'away', message: 'Nobody is there.' });
          case 'uncertain':
            doubts += 1;
            world.happened[place] = doubts % 2 === 1;
            throw operationUncertain({ code: 'lost', message: 'The answer was lost.' });
          case 'dying':
          case 'freezing':
            world.lose(next);
            return new Promise(() => undefined);
          case 'stopping':
            world.stop();
            return { value: place };
          case 'done':
            return { value: place };
          default:
            return unreachable(next);
        }
      });
    }
    return outcome();
  });
}

function operationOf(world: World, place: number, kind: Kind) {
  const step = place + 1;
  const key = `tool/${step}/0`;
  switch (kind) {
    case 'model':
      return modelTurn(step, { key });
    case 'read':
      return toolCall(key);
    case 'keyed':
      return toolCall(key, { effect: 'external', repeat: 'keyed' });
    case 'unsafe':
      return toolCall(key, { effect: 'external', repeat: 'unsafe' });
    case 'looked':
      return toolCall(key, {
        effect: 'write',
        repeat: 'unsafe',
        reconcile: async () =>
          world.happened[place] === true
            ? { kind: 'happened', value: place }
            : { kind: 'not-happened' },
      });
    default:
      return unreachable(kind);
  }
}

async function compare(kernel: Kernel, world: World, model: Model): Promise<void> {
  const view = await kernel.readGoal(scope, world.goalId);
  expect(summaryOf(view)).toEqual({
    state: model.state,
    attempt: model.attempt,
    holds: model.holds,
    open: model.held === null ? 0 : 1,
    reserved: model.reserved,
    used: model.used,
  });
  expect(view.budget.reserved + view.budget.used).toBeLessThanOrEqual(view.budget.limit);
  expect(world.acts).toEqual(model.operations.map(({ acts }) => acts));
  const states = await Promise.all(
    PROGRAM.map(async (_, place) => {
      const key = `tool/${place + 1}/0`;
      const operation = await kernel.readOperation(scope, world.goalId, { key }).catch(() => null);
      return operation === null ? 'none' : (operation.outcome?.kind ?? operation.state);
    }),
  );
  expect(states).toEqual(model.operations.map(({ state }) => state));
}

function summaryOf({ state, tasks, holds, open_holds, budget }: GoalView) {
  return {
    state,
    attempt: tasks[0]?.attempt?.state ?? 'none',
    holds: holds.length,
    open: open_holds,
    reserved: budget.reserved,
    used: budget.used,
  };
}
