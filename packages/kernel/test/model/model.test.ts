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
import { adapter, contract, modelTurn, open, outcome, scope, toolCall } from '../fixture.ts';
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
}

type Command =
  | { readonly type: 'run'; readonly behaviours: readonly Behaviour[] }
  | { readonly type: 'decide'; readonly decision: 'retry' | 'accept' | 'cancel' }
  | { readonly type: 'cancel' }
  | { readonly type: 'reopen' };

const behaviour = constantFrom<Behaviour[]>(
  'done',
  'failed',
  'uncertain',
  'unavailable',
  'stopping',
);
const running: Arbitrary<Command> = array(behaviour, { maxLength: 6 }).map((behaviours) => ({
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
  { type: 'reopen' },
);
const commands = oneof(
  { weight: 6, arbitrary: running },
  { weight: 4, arbitrary: deciding },
  { weight: 3, arbitrary: rare },
);

test('agrees with the model after every command', {
  tags: ['slow'],
  timeout: 300_000,
}, async () => {
  // One store for all sequences, each with a goal of its own: opening costs more than most of them.
  const directory = volatileFolder('millforge-model-');
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  let kernel = await open(directory);
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
      };
      await kernel.admitGoal(scope, contract(goalId));
      for (const next of sequence) {
        if (next.type === 'reopen') {
          await kernel[Symbol.asyncDispose]();
          kernel = await open(directory);
        } else {
          await apply(kernel, world, next);
        }
        applyToModel(model, next);
        await compare(kernel, world, model);
      }
      expect(await kernel.verifyTrail(scope, goalId)).toMatchObject({ ok: true });
    }),
    { numRuns: Number(process.env['MILLFORGE_MODEL_RUNS'] ?? 500), examples: [[REPEATED_READ]] },
  );
});

/** A read that a person lets be repeated, and that nobody answers then: ten thousand sequences found it. */
const REPEATED_READ: Command[] = [
  { type: 'run', behaviours: ['done', 'done', 'done', 'uncertain', 'uncertain', 'uncertain'] },
  { type: 'decide', decision: 'retry' },
  { type: 'run', behaviours: ['unavailable'] },
  { type: 'run', behaviours: ['uncertain', 'uncertain', 'uncertain'] },
];

async function apply(
  kernel: Kernel,
  world: World,
  command: Exclude<Command, { type: 'reopen' }>,
): Promise<void> {
  const view = await kernel.readGoal(scope, world.goalId);
  const isEnded = view.state === 'completed' || view.state === 'cancelled';
  switch (command.type) {
    case 'run': {
      world.queue = [...command.behaviours];
      const run = kernel.runGoal(scope, world.goalId, { adapters: [program(world)] });
      world.stop = () => run.stop();
      await run.done;
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
    }
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
