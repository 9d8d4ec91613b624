import {
  MillforgeError,
  type Operation,
  type OperationLog,
  operationSuspended,
  type PreparedTool,
  type ToolResult,
  type ToolRunContext,
  type Usage,
} from '@millforge/contracts';
import { manualClock, sequentialIds } from '@millforge/contracts/testing';
import { memoryOperationLog, runPlan } from '@millforge/runtime';
import { expect, test } from 'vitest';
import { buildPlan, schemaOf } from '../support/builder-plan.ts';
import { resultsOf, runOptions, runScript, scriptedClient } from '../support/scripted-run.ts';

const END = { id: 'submit', terminal: 'COMPLETE' };
const SUBMIT = [['submit', { summary: 'Done.' }]] as const;
const WRITE = [['write', { path: 'a' }]] as const;

interface Counts {
  prepared: number;
  ran: number;
  freed: number;
}

/** A plan with one writing tool whose stages are counted. */
function writing(options: {
  readonly run?: (context: ToolRunContext, counts: Counts) => Promise<ToolResult>;
  readonly prepare?: () => Promise<
    PreparedTool | { kind: 'refused'; code: 'conflict'; message: string }
  >;
  readonly reconcile?: () => Promise<{ kind: 'happened'; result: ToolResult }>;
}) {
  const counts: Counts = { prepared: 0, ran: 0, freed: 0 };
  const built = buildPlan([
    {
      id: 'write',
      input: schemaOf({ path: 'string' }),
      tool: {
        sideEffect: 'workspace_write',
        idempotency: 'non_idempotent',
        capabilities: ['workspace.write'],
        ...(options.reconcile === undefined ? {} : { reconcile: options.reconcile }),
        prepare:
          options.prepare ??
          (async () => {
            counts.prepared += 1;
            return {
              kind: 'prepared',
              before: { sha256: 'old' },
              run: async (context) => {
                counts.ran += 1;
                return (await options.run?.(context, counts)) ?? { kind: 'done', text: 'written' };
              },
              dispose: async () => {
                counts.freed += 1;
              },
            };
          }),
      },
    },
    END,
  ]);
  return { built, counts };
}

/** A log that notes the operations that it is asked for. */
function noting(log: OperationLog): OperationLog & { readonly operations: Operation[] } {
  const operations: Operation[] = [];
  return {
    operations,
    signal: log.signal,
    newId: (key) => log.newId(key),
    perform: (operation, act) => {
      operations.push(operation);
      return log.perform(operation, act);
    },
  };
}

test('a call is one operation that says what it does', async () => {
  const { built, counts } = writing({});
  const log = noting(memoryOperationLog({ clock: manualClock(), ids: sequentialIds() }));
  const { outcome } = await runScript(built, [WRITE, SUBMIT], { operations: log });
  expect(outcome.status).toBe('success');
  expect(counts).toEqual({ prepared: 1, ran: 1, freed: 1 });
  expect(log.operations.map((operation) => operation.key)).toEqual([
    'model/1',
    'tool/1/0',
    'model/2',
    'tool/2/0',
  ]);
  expect(log.operations[1]).toMatchObject({
    step: 1,
    kind: 'tool',
    effect: 'write',
    repeat: 'unsafe',
    metered: false,
    describe: 'write a',
    input: { tool: 'write', binding: { tool_id: 'test.write' }, arguments: { path: 'a' } },
  });
});

test('a turn asks with what is new only, and continues the turn before', async () => {
  const { built } = writing({});
  const log = noting(memoryOperationLog({ clock: manualClock(), ids: sequentialIds() }));
  await runScript(built, ['text', WRITE, SUBMIT], { operations: log });
  const turns = log.operations.filter((operation) => operation.kind === 'model');
  expect(turns.map((turn) => turn.extends)).toEqual([undefined, 'model/1', 'model/2']);
  expect(turns.map((turn) => Object.keys(Object(turn.input)))).toEqual([
    ['model_profile', 'tools', 'messages'],
    ['messages'],
    ['messages'],
  ]);
  expect(turns[2]?.input).toMatchObject({
    messages: [
      { role: 'assistant', tool_calls: [{ id: 'call_2_0', name: 'write' }] },
      { role: 'tool', tool_call_id: 'call_2_0', content: 'written' },
    ],
  });
  expect(turns[0]).toMatchObject({ effect: 'none', repeat: 'safe', metered: true });
});

test('what prepare refuses is told to the model and replayed without looking again', async () => {
  let looked = 0;
  const { built } = writing({
    prepare: async () => {
      looked += 1;
      return { kind: 'refused', code: 'conflict', message: 'The file has changed.' };
    },
  });
  const first = await runScript(built, [WRITE, SUBMIT]);
  expect(first.outcome).toMatchObject({ status: 'success', usage: { tool_calls: 1 } });
  expect(resultsOf(first.model).get('call_1_0')).toBe('[conflict] The file has changed.');
  const again = await runScript(built, [], { log: first.log.resume() });
  expect(again.outcome).toEqual(first.outcome);
  expect(again.trail.entries).toEqual(first.trail.entries);
  expect(looked).toBe(1);
});

const UNKNOWN: ToolResult = {
  kind: 'failed',
  code: 'timeout',
  text: 'No answer.',
  certainty: 'completion_unknown',
};

test('a write whose end is unknown is held, with what it prepared freed', async () => {
  const { built, counts } = writing({ run: async () => UNKNOWN });
  await expect(runScript(built, [WRITE, SUBMIT])).rejects.toMatchObject({
    code: 'operation/suspended',
    details: { reason: 'held', failure: { code: 'timeout', message: 'No answer.' } },
  });
  expect(counts).toEqual({ prepared: 1, ran: 1, freed: 1 });
});

test('a write whose end is unknown goes on with what reconcile finds', async () => {
  const { built } = writing({
    run: async () => UNKNOWN,
    reconcile: async () => ({ kind: 'happened', result: { kind: 'done', text: 'It is there.' } }),
  });
  const { outcome, model } = await runScript(built, [WRITE, SUBMIT]);
  expect(outcome.status).toBe('success');
  expect(resultsOf(model).get('call_1_0')).toBe('It is there.');
});

test('a stop while a call looks at the world leaves no refusal for the resumed run to repeat', async () => {
  const clock = manualClock();
  const stop = new AbortController();
  const log = memoryOperationLog({ clock, ids: sequentialIds(), signal: stop.signal });
  let looked = 0;
  const { built, counts } = writing({
    prepare: async () => {
      looked += 1;
      if (looked === 1) {
        stop.abort();
        throw new Error('broken off');
      }
      return {
        kind: 'prepared',
        before: null,
        run: async () => {
          counts.ran += 1;
          return { kind: 'done', text: 'written' };
        },
      };
    },
  });
  const stopped = runScript(built, [WRITE, SUBMIT], { log });
  await expect(stopped).rejects.toMatchObject({ details: { reason: 'stopped' } });
  const { outcome } = await runScript(built, [[], SUBMIT], { log: log.resume() });
  expect(outcome).toMatchObject({ status: 'success', usage: { tool_calls: 2 } });
  expect(counts.ran).toBe(1);
});

test('what was prepared is freed when the log never acts', async () => {
  const { built, counts } = writing({});
  const inner = memoryOperationLog({ clock: manualClock(), ids: sequentialIds() });
  const holding: OperationLog = {
    signal: inner.signal,
    newId: (key) => inner.newId(key),
    perform: async (operation, act) => {
      if (operation.kind === 'model') return inner.perform(operation, act);
      await operation.before?.(inner.signal);
      throw operationSuspended('held');
    },
  };
  const held = runScript(built, [WRITE, SUBMIT], { operations: holding });
  await expect(held).rejects.toMatchObject({ code: 'operation/suspended' });
  expect(counts).toEqual({ prepared: 1, ran: 0, freed: 1 });
});

test('what a turn and a call used goes with their records', async () => {
  const { built } = writing({});
  const inner = memoryOperationLog({ clock: manualClock(), ids: sequentialIds() });
  const used: (readonly [key: string, usage: Usage | undefined])[] = [];
  const metering: OperationLog = {
    signal: inner.signal,
    newId: (key) => inner.newId(key),
    perform: (operation, act) =>
      inner.perform(operation, async (context) => {
        const result = await act(context);
        used.push([operation.key, result.usage]);
        return result;
      }),
  };
  const usage = { input_tokens: 10, output_tokens: 2 };
  const call = { id: 'a', name: 'write', arguments: '{"path":"a"}' };
  const script = [{ tool_calls: [call], usage }, SUBMIT];
  const { outcome } = await runScript(built, script, { operations: metering });
  expect(outcome.usage).toEqual({ ...usage, tool_calls: 2 });
  expect(used).toEqual([
    ['model/1', usage],
    ['tool/1/0', { tool_calls: 1 }],
    ['model/2', undefined],
    ['tool/2/0', { tool_calls: 1 }],
  ]);
});

test('a replayed call took no time that could be told', async () => {
  const { built } = writing({});
  const first = await runScript(built, [WRITE, SUBMIT]);
  const again = await runScript(built, [], { log: first.log.resume() });
  const elapsed = (events: typeof first.events) =>
    events.flatMap((event) => ('elapsedMs' in event ? [event.elapsedMs] : []));
  expect(elapsed(first.events)).toEqual([0, 0, 0, 0]);
  expect(elapsed(again.events)).toEqual([null, null, null, null]);
});

test('a write that a stop kept from happening is performed by the resumed run', async () => {
  const clock = manualClock();
  const stop = new AbortController();
  const log = memoryOperationLog({ clock, ids: sequentialIds(), signal: stop.signal });
  const { built, counts } = writing({
    run: async (_context, { ran }) => {
      if (ran > 1) return { kind: 'done', text: 'written' };
      stop.abort();
      return { kind: 'failed', code: 'cancelled', text: 'Stopped before the write.' };
    },
  });
  const model = scriptedClient([WRITE, SUBMIT]);
  const stopped = runPlan(built.reference, runOptions(built, { clock, model, operations: log }));
  await expect(stopped).rejects.toMatchObject({ details: { reason: 'stopped' } });
  expect(counts).toEqual({ prepared: 1, ran: 1, freed: 1 });
  const { outcome } = await runScript(built, [[], SUBMIT], { log: log.resume() });
  expect(outcome.status).toBe('success');
  expect(counts).toEqual({ prepared: 2, ran: 2, freed: 2 });
});

test('a deadline during a call ends the run and keeps what is known of the call (D-08)', async () => {
  const clock = manualClock();
  const log = memoryOperationLog({ clock, ids: sequentialIds(), deadlineMs: 1000 });
  const { built } = writing({
    run: async () => {
      clock.advance(1000);
      await Promise.resolve();
      return { kind: 'failed', code: 'cancelled', text: 'Stopped before the write.' };
    },
  });
  const { outcome, events } = await runScript(built, [WRITE, SUBMIT], { log });
  expect(outcome).toMatchObject({ status: 'deadline', turns: 1, usage: { tool_calls: 1 } });
  expect(events).toContainEqual(
    expect.objectContaining({ kind: 'call-ended', status: 'cancelled', replayed: false }),
  );
});

test('a deadline while a call looks at the world refuses it', async () => {
  const clock = manualClock();
  const log = memoryOperationLog({ clock, ids: sequentialIds(), deadlineMs: 1000 });
  let isLooking = false;
  const { built, counts } = writing({
    prepare: async () => {
      isLooking = true;
      clock.advance(1000);
      await new Promise(() => {});
      throw new Error('never');
    },
  });
  // The boundary waits for its grace period by the same clock.
  const { executor } = runOptions(built, { clock, model: scriptedClient([]), operations: log });
  const running = runScript(built, [WRITE, SUBMIT], { log, executor });
  await expect.poll(() => isLooking && clock.pendingDelays > 0).toBe(true);
  clock.advance(60_000);
  const { outcome } = await running;
  expect(outcome).toMatchObject({ status: 'deadline', usage: { tool_calls: 0 } });
  expect(counts.ran).toBe(0);
});

test('a log that repeats an act gets a call that is prepared anew', async () => {
  const { built, counts } = writing({});
  const inner = memoryOperationLog({ clock: manualClock(), ids: sequentialIds() });
  const repeating: OperationLog = {
    signal: inner.signal,
    newId: (key) => inner.newId(key),
    perform: (operation, act) =>
      inner.perform(operation, async (context) => {
        if (operation.kind === 'tool') await act(context);
        return act(context);
      }),
  };
  const { outcome } = await runScript(built, [WRITE, SUBMIT], { operations: repeating });
  expect(outcome.status).toBe('success');
  expect(counts).toEqual({ prepared: 2, ran: 2, freed: 2 });
});

test('what a log denies is told to the model', async () => {
  const { built, counts } = writing({});
  const inner = memoryOperationLog({ clock: manualClock(), ids: sequentialIds() });
  const denying: OperationLog = {
    signal: inner.signal,
    newId: (key) => inner.newId(key),
    perform: async (operation, act) =>
      operation.key === 'tool/1/0'
        ? {
            kind: 'refused',
            reason: { code: 'denied', message: 'A person said no.' },
            replayed: false,
          }
        : inner.perform(operation, act),
  };
  const { outcome, model } = await runScript(built, [WRITE, SUBMIT], { operations: denying });
  expect(outcome.status).toBe('success');
  expect(resultsOf(model).get('call_1_0')).toBe('[policy_denied] A person said no.');
  expect(counts.ran).toBe(0);
});

test('what a log has no budget for ends the run', async () => {
  const { built } = writing({});
  const inner = memoryOperationLog({ clock: manualClock(), ids: sequentialIds() });
  const refusing: OperationLog = {
    signal: inner.signal,
    newId: (key) => inner.newId(key),
    perform: async (operation, act) =>
      operation.key === 'model/2'
        ? {
            kind: 'refused',
            reason: { code: 'budget-exhausted', message: 'All tokens are used.' },
            replayed: false,
          }
        : inner.perform(operation, act),
  };
  const { outcome } = await runScript(built, [WRITE, SUBMIT], { operations: refusing });
  expect(outcome).toMatchObject({
    status: 'budget_exhausted',
    failure_message: 'All tokens are used.',
    turns: 1,
  });
});

test('secrets are out of the trail, the events and the outcome', async () => {
  const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789';
  const { built } = writing({});
  const { trail, outcome, events } = await runScript(built, [
    `My key is ${secret}.`,
    [['write', `["${secret}"]`]],
    {
      reasoning: `The key is ${secret}.`,
      tool_calls: [{ id: 'a', name: 'write', arguments: JSON.stringify({ path: secret }) }],
    },
    [['submit', { summary: `The key is ${secret}.` }]],
  ]);
  expect(outcome.status).toBe('success');
  expect(JSON.stringify([trail.entries, outcome, events])).not.toContain(secret);
});

test('an executor that breaks its promise is our mistake and not an outcome', async () => {
  const { built } = writing({});
  const broken = runScript(built, [WRITE, SUBMIT], {
    executor: () => ({
      supportsTool: () => true,
      check: () => {
        throw new MillforgeError('internal/unreachable', 'broken');
      },
    }),
  });
  await expect(broken).rejects.toMatchObject({ code: 'internal/unreachable' });
});
