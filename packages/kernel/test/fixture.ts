import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Ids, JsonValue, Operation, TrailRecord } from '@millforge/contracts';
import {
  ALL_PERMISSIONS,
  type GoalContract,
  type Kernel,
  type OpenKernelOptions,
  openKernel,
  type Scope,
  type TaskContext,
  type WorkAdapter,
} from '@millforge/kernel';
import { onTestFinished } from 'vitest';

/** The real clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  delay: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
};

/** Names that no other process has. */
export const randomIds: Ids = {
  newId: (prefix) => `${prefix}_${randomBytes(8).toString('hex')}`,
};

/** Who works in the tests. */
export const scope: Scope = {
  tenant: 'local',
  resource: 'tests',
  actor: 'ann@host',
  permissions: ALL_PERMISSIONS,
};

/** A directory of its own for one test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'millforge-kernel-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A contract of one model task; the outcome of `outcome()` passes its check. */
export function contract(
  goalId: string,
  more: Partial<GoalContract> & { readonly task?: Partial<GoalContract['tasks'][number]> } = {},
): GoalContract {
  const { task, ...goal } = more;
  return {
    kind: 'goal_contract',
    schema_version: '1.0',
    goal_id: goalId,
    objective: 'Mend the failing test.',
    inputs: { text: 'hello' },
    required_checks: ['terminal-outcome'],
    legal_terminal_results: ['TASK_DONE'],
    tasks: [
      {
        task_id: 'run',
        adapter: {
          kind: 'model',
          name: 'harness',
          version: '1',
          parameters: { plan: 'a'.repeat(64) },
        },
        doubt: 'operation',
        effect: 'external',
        ...task,
      },
    ],
    ...goal,
  };
}

/** An adapter that fits `contract()`. */
export function adapter(
  run: (context: TaskContext) => Promise<JsonValue>,
  more: Partial<WorkAdapter> = {},
): WorkAdapter {
  return {
    kind: 'model',
    name: 'harness',
    version: '1',
    parameters: { plan: 'a'.repeat(64) },
    run,
    ...more,
  };
}

/** The output of a run that reached its terminal. */
export function outcome(more: { readonly [name: string]: JsonValue } = {}): JsonValue {
  return {
    kind: 'run_outcome',
    schema_version: '1.0',
    status: 'success',
    terminal_result: 'TASK_DONE',
    ...more,
  };
}

/** Opens a kernel that is closed at the end of the test. */
export async function open(
  directory: string,
  more: Partial<OpenKernelOptions> = {},
): Promise<Kernel> {
  const kernel = await openKernel({
    path: join(directory, 'trail.db'),
    clock: systemClock,
    ids: randomIds,
    ...more,
  });
  onTestFinished(() => kernel[Symbol.asyncDispose]());
  return kernel;
}

/** A model turn. */
export function modelTurn(step: number, more: Partial<Operation> = {}): Operation {
  return {
    key: `model/${step}`,
    step,
    kind: 'model',
    effect: 'none',
    repeat: 'safe',
    metered: true,
    input: { turn: step },
    describe: `model turn ${step}`,
    ...more,
  };
}

/** A tool call that only reads, unless `more` says otherwise. */
export function toolCall(key: string, more: Partial<Operation> = {}): Operation {
  return {
    key,
    step: Number(key.split('/')[1]),
    kind: 'tool',
    effect: 'read',
    repeat: 'safe',
    metered: false,
    input: { path: key },
    describe: `call ${key}`,
    ...more,
  };
}

/** An unsafe call with an effect outside. */
export function unsafeCall(key: string, more: Partial<Operation> = {}): Operation {
  return toolCall(key, { effect: 'external', repeat: 'unsafe', ...more });
}

/** An act that counts its calls and answers with what it is given. */
export function acting(value: JsonValue): {
  count: number;
  readonly run: () => Promise<{ value: JsonValue }>;
} {
  const act = {
    count: 0,
    run: async () => {
      act.count += 1;
      return { value };
    },
  };
  return act;
}

/** Types of the records of a goal. */
export async function recordTypes(kernel: Kernel, goalId: string): Promise<readonly string[]> {
  return (await records(kernel, goalId)).map(({ type }) => type);
}

/** All records of a goal. */
export async function records(kernel: Kernel, goalId: string): Promise<readonly TrailRecord[]> {
  const found: TrailRecord[] = [];
  for await (const record of kernel.readTrail(scope, goalId)) found.push(record);
  return found;
}

/** A moment that one part of a test waits for and another one brings about. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const opening = new AbortController();
  const opened = new Promise<void>((resolve) => {
    opening.signal.addEventListener('abort', () => resolve());
  });
  return { opened, open: () => opening.abort() };
}
