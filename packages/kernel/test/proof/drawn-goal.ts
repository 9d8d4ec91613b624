import type { JsonValue, Operation } from '@millforge/contracts';
import { operationFailed, operationUncertain } from '@millforge/contracts';
import type { Adapter, GoalContract, TaskContext, TaskContract } from '@millforge/kernel';
import type { Random } from './virtual-time.ts';

/** What the outside does when it is asked. */
export interface Outside {
  /** Performs one act: waits, has its effect, waits, answers. */
  act(what: {
    readonly name: string;
    readonly effect: Operation['effect'];
    readonly repeat: Operation['repeat'];
    readonly goalId: string;
    readonly taskId: string;
    readonly idempotencyKey: string;
    readonly signal: AbortSignal;
  }): Promise<{
    readonly value: JsonValue;
    readonly end: 'done' | 'failed' | 'uncertain' | 'threw';
  }>;
  /** Whether an effect was seen. */
  happened(name: string): boolean;
  /** Notes what a program was given. */
  given(name: string, value: JsonValue): void;
}

/** A goal of drawn tasks: operations and whole attempts of every effect and repeat, with and without ways to look. */
export function drawGoal(goalId: string, random: Random): GoalContract {
  const count = 1 + Math.floor(random() * 4);
  const tasks: TaskContract[] = [];
  for (let place = 0; place < count; place += 1) {
    const isWhole = random() < 0.5;
    const effect = pick(random, ['none', 'read', 'write', 'external', 'external'] as const);
    const earlier = tasks.map(({ task_id }) => task_id);
    tasks.push({
      task_id: `t${place}`,
      adapter: {
        kind: 'tool',
        // Adapters are found by their name, and each of them does something else.
        name: `${isWhole ? 'whole' : 'steps'} ${goalId} t${place}`,
        version: '1',
        parameters: isWhole
          ? { looks: random() < 0.4 }
          : { operations: drawOperations(random, effect) },
      },
      doubt: isWhole ? 'attempt' : 'operation',
      effect,
      repeat: pick(random, ['safe', 'keyed', 'unsafe', 'unsafe'] as const),
      depends_on: earlier.filter(() => random() < 0.5),
      max_attempts: 1 + Math.floor(random() * 2),
      optional: random() < 0.2,
      lease_ms: 1000,
      timeout_ms: 20_000,
    });
  }
  return {
    kind: 'goal_contract',
    schema_version: '1.0',
    goal_id: goalId,
    objective: 'Drawn.',
    unchecked: true,
    limits: { units: 40 },
    on_ambiguous: random() < 0.1 ? 'retry' : 'hold',
    tasks,
  };
}

function drawOperations(random: Random, most: Operation['effect']): JsonValue {
  const effects = ['none', 'read', 'write', 'external'] as const;
  return Array.from({ length: 1 + Math.floor(random() * 4) }, (_, place) => ({
    key: `o${place}`,
    step: 1 + Math.floor(place / 2),
    effect: pick(random, effects.slice(0, effects.indexOf(most) + 1)),
    repeat: pick(random, ['safe', 'keyed', 'unsafe', 'unsafe'] as const),
    metered: random() < 0.3,
    looks: random() < 0.4,
  }));
}

interface DrawnOperation {
  readonly key: string;
  readonly step: number;
  readonly effect: Operation['effect'];
  readonly repeat: Operation['repeat'];
  readonly metered: boolean;
  readonly looks: boolean;
}

/** The host's code of one process; the adapters say what the contract of a goal drew. */
export function drawnAdapters(contract: GoalContract, outside: Outside): readonly Adapter[] {
  const known = new Map<string, Adapter>();
  for (const { adapter, task_id, effect, repeat = 'unsafe' } of contract.tasks) {
    const parameters = adapter.parameters;
    if (adapter.name.startsWith('whole')) {
      known.set(`${task_id} whole`, {
        ...adapter,
        kind: 'tool',
        run: (context: TaskContext) => runWhole(context, { effect, repeat, outside }),
        ...(isLooking(parameters)
          ? {
              reconcile: async ({ goalId, taskId }: { goalId: string; taskId: string }) =>
                outside.happened(`${goalId}/${taskId}`)
                  ? { kind: 'happened' as const, value: `${goalId}/${taskId}` }
                  : { kind: 'not-happened' as const },
            }
          : {}),
      });
    } else {
      known.set(`${task_id} steps`, {
        ...adapter,
        kind: 'tool',
        run: (context: TaskContext) => runSteps(context, operationsOf(parameters), outside),
      });
    }
  }
  return [...known.values()];
}

async function runWhole(
  { goalId, taskId, idempotencyKey, signal }: TaskContext,
  {
    effect,
    repeat,
    outside,
  }: {
    readonly effect: Operation['effect'];
    readonly repeat: Operation['repeat'];
    readonly outside: Outside;
  },
): Promise<JsonValue> {
  const name = `${goalId}/${taskId}`;
  const { value, end } = await outside.act({
    name,
    effect,
    repeat,
    goalId,
    taskId,
    idempotencyKey,
    signal,
  });
  if (end === 'failed') throw operationFailed({ code: 'drawn', message: 'Drawn.' });
  if (end !== 'done') throw new Error('Drawn.');
  return value;
}

async function runSteps(
  context: TaskContext,
  operations: readonly DrawnOperation[],
  outside: Outside,
): Promise<JsonValue> {
  const { goalId, taskId } = context;
  for (let step = 1; step <= 2; step += 1) {
    await Promise.all(
      operations
        .filter((one) => one.step === step)
        .map(async (drawn) => {
          const { key, effect, repeat, metered } = drawn;
          const name = `${goalId}/${taskId}/${key}`;
          const outcome = await context.perform<JsonValue>(
            {
              key,
              step,
              kind: 'tool',
              effect,
              repeat,
              metered,
              input: name,
              describe: name,
              ...(drawn.looks
                ? {
                    reconcile: async () =>
                      outside.happened(name)
                        ? { kind: 'happened' as const, value: name }
                        : { kind: 'not-happened' as const },
                  }
                : {}),
            },
            async ({ idempotencyKey, signal }) => {
              const { value, end } = await outside.act({
                name,
                effect,
                repeat,
                goalId,
                taskId,
                idempotencyKey,
                signal,
              });
              if (end === 'failed') throw operationFailed({ code: 'drawn', message: 'Drawn.' });
              if (end === 'uncertain') {
                throw operationUncertain({ code: 'drawn', message: 'Drawn.' });
              }
              if (end === 'threw') throw new Error('Drawn.');
              return { value };
            },
          );
          if (outcome.kind === 'done') outside.given(name, outcome.value);
        }),
    );
  }
  return `${goalId}/${taskId}`;
}

function isLooking(parameters: JsonValue): boolean {
  return (
    typeof parameters === 'object' &&
    parameters !== null &&
    Reflect.get(parameters, 'looks') === true
  );
}

function operationsOf(parameters: JsonValue): readonly DrawnOperation[] {
  const given: unknown =
    typeof parameters === 'object' && parameters !== null
      ? Reflect.get(parameters, 'operations')
      : [];
  return Array.isArray(given) ? given : [];
}

/** One of some. */
export function pick<Word>(random: Random, words: readonly Word[]): Word {
  const word = words[Math.floor(random() * words.length)];
  if (word === undefined) throw new Error('There is nothing to pick from.');
  return word;
}
