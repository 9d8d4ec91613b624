import { getEventListeners } from 'node:events';
import {
  digest,
  type PreparedTool,
  type ToolDefinition,
  type ToolResult,
} from '@millforge/contracts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { admit, DONE, executorWorld, prepareCall, runCall, toolOf } from './executor-world.ts';

const EFFECTFUL: Partial<ToolDefinition> = {
  sideEffect: 'network_write',
  idempotency: 'unknown',
  capabilities: ['shop.use'],
};

test('runs a call and records real times (B-25)', async () => {
  const world = executorWorld([
    toolOf({
      run: async () => {
        world.clock.advance(1500);
        return { ...DONE, after: { seen: 1 } };
      },
    }),
  ]);
  world.clock.advance(10_000);
  const { outcome, trace, after } = await runCall(world);
  expect(outcome).toEqual({
    status: 'success',
    error_code: null,
    text: 'found it',
    data: {},
    certainty: 'confirmed_complete',
    truncated: false,
    artifact_ids: [],
  });
  expect(after).toEqual({ seen: 1 });
  expect(trace).toEqual({
    schema_version: '1.0',
    kind: 'tool_trace',
    run_id: 'run-1',
    turn: 1,
    call_id: 'call-1',
    tool_name: 'lookup',
    node_id: 'lookup',
    resolution: 'resolved',
    binding: admit(world).binding,
    origin: 'custom',
    input_sha256: digest({ key: 'a' }),
    prerequisite_decisions: [],
    capability_decisions: [],
    approval: null,
    status: 'success',
    error_code: null,
    side_effect_class: 'read_only',
    idempotency: 'idempotent',
    certainty: 'confirmed_complete',
    output_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    truncated_paths: [],
    summary: 'found it',
    started_at: '2026-01-01T00:00:10.000Z',
    duration_ms: 1500,
  });
  expect(admit(world).inputSha256).toBe(trace.input_sha256);
});

test('hands the tool its context, its clock and the key', async () => {
  let seen: unknown;
  const world = executorWorld([
    toolOf({
      run: async (input, { signal, clock, ...rest }) => {
        seen = { input, ...rest, isAborted: signal.aborted, isClock: clock === world.clock };
        return DONE;
      },
    }),
  ]);
  await runCall(world);
  expect(seen).toEqual({
    input: { key: 'a' },
    runId: 'run-1',
    callId: 'call-1',
    workspace: '/srv/site',
    idempotencyKey: 'key-1',
    isAborted: false,
    isClock: true,
  });
});

describe('a call that is told to stop', () => {
  test('is refused before the tool looks at anything when it comes too late', async () => {
    let looked = 0;
    const world = executorWorld([toolOf({ prepare: () => looking(() => looked++) })]);
    for (const [reason, code] of [
      [new Error('stop'), 'cancelled'],
      [new DOMException('late', 'TimeoutError'), 'timeout'],
    ] as const) {
      const refused = await admit(world).prepare({ signal: AbortSignal.abort(reason) });
      expect(refused).toMatchObject({
        kind: 'refused',
        outcome: { status: 'not_executed', error_code: code, certainty: 'not_attempted' },
        trace: { started_at: null, duration_ms: null },
      });
    }
    expect(looked).toBe(0);
  });

  test('is not begun when the signal comes between prepare and run', async () => {
    let runs = 0;
    const world = executorWorld([toolOf({ run: async () => ({ ...DONE, text: `${++runs}` }) })]);
    const call = await prepareCall(admit(world));
    const { outcome } = await call.run({ signal: AbortSignal.abort(), idempotencyKey: 'k' });
    expect(outcome).toMatchObject({ status: 'not_executed', error_code: 'cancelled' });
    expect(runs).toBe(0);
  });

  test('settles as timed out after the grace although the tool never returns (B-07)', async () => {
    const world = executorWorld([
      toolOf({ ...EFFECTFUL, timeoutSeconds: 60, graceSeconds: 5, run: never }),
    ]);
    const running = runCall(world);
    await ticks();
    world.clock.advance(60_000);
    await ticks();
    world.clock.advance(5000);
    const { outcome, trace } = await running;
    expect(outcome).toMatchObject({
      status: 'timed_out',
      error_code: 'timeout',
      certainty: 'completion_unknown',
    });
    expect(trace.duration_ms).toBe(65_000);
    expect(world.clock.pendingDelays).toBe(0);
  });

  test('sets no timer for a tool that waits for nothing', async () => {
    const world = executorWorld([toolOf()]);
    const delays: number[] = [];
    world.clock.delay = (ms) => {
      delays.push(ms);
      return Promise.resolve();
    };
    expect((await runCall(world)).outcome.status).toBe('success');
    expect(delays).toEqual([]);
  });

  test('leaves no timer behind a tool that waited', async () => {
    const answers: ((result: ToolResult) => void)[] = [];
    const world = executorWorld([
      toolOf({
        run: () =>
          new Promise((resolve) => {
            answers.push(resolve);
          }),
      }),
    ]);
    const running = runCall(world);
    await ticks();
    expect(world.clock.pendingDelays).toBe(1);
    answers[0]?.(DONE);
    await running;
    expect(world.clock.pendingDelays).toBe(0);
  });

  test('leaves no listener on the signal of the run, however often it is called', async () => {
    const world = executorWorld([toolOf()]);
    const stop = new AbortController();
    for (let calls = 0; calls < 3; calls++) {
      const call = await admit(world).prepare({ signal: stop.signal });
      if (call.kind === 'refused') throw new Error('refused');
      await call.run({ signal: stop.signal, idempotencyKey: 'k' });
    }
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  test('settles as cancelled after the grace although the tool never returns (B-07)', async () => {
    const world = executorWorld([toolOf({ graceSeconds: 5, run: never })]);
    const stop = new AbortController();
    const running = runCall(world, { key: 'a' }, stop.signal);
    await ticks();
    stop.abort();
    await ticks();
    world.clock.advance(5000);
    expect((await running).outcome).toMatchObject({
      status: 'cancelled',
      error_code: 'cancelled',
      certainty: 'confirmed_absent',
    });
  });

  test('keeps what the tool knows when it settles within the grace', async () => {
    const failed: ToolResult = {
      kind: 'failed',
      code: 'timeout',
      text: 'Stopped after 3 rows.',
      certainty: 'rolled_back',
    };
    const tool = toolOf({ ...EFFECTFUL, run: (_input, { signal }) => whenAborted(signal, failed) });
    const world = executorWorld([tool]);
    const running = runCall(world);
    await ticks();
    world.clock.advance(60_000);
    expect((await running).outcome).toMatchObject({
      status: 'timed_out',
      text: 'Stopped after 3 rows.',
      certainty: 'rolled_back',
    });
  });

  test('counts as timed out when the tool throws what the signal gave it', async () => {
    const world = executorWorld([
      toolOf({
        ...EFFECTFUL,
        run: async (_input, { signal }) => {
          await whenAborted(signal, null);
          throw signal.reason;
        },
      }),
    ]);
    const running = runCall(world);
    await ticks();
    world.clock.advance(60_000);
    expect((await running).outcome).toMatchObject({
      status: 'timed_out',
      certainty: 'completion_unknown',
    });
  });

  test('frees what a prepare takes that comes too late', async () => {
    let disposed = 0;
    const settlers: ((tool: PreparedTool) => void)[] = [];
    const late = new Promise<PreparedTool>((settle) => settlers.push(settle));
    const world = executorWorld([toolOf({ prepare: () => late })]);
    const preparing = admit(world).prepare({ signal: new AbortController().signal });
    await ticks();
    world.clock.advance(60_000);
    await ticks();
    world.clock.advance(5000);
    expect(await preparing).toMatchObject({ kind: 'refused', outcome: { error_code: 'timeout' } });
    settlers[0]?.(prepared({ dispose: async () => void disposed++ }));
    await ticks();
    expect(disposed).toBe(1);
  });
});

test.each([
  ['read_only', 'confirmed_absent'],
  ['workspace_write', 'completion_unknown'],
  ['network_read', 'completion_unknown'],
] as const)('turns a throw of a %s tool into %s', async (sideEffect, certainty) => {
  const tool = toolOf({
    sideEffect,
    capabilities: ['shop.use'],
    run: async () => {
      throw new Error('ENOENT: /root/secret/x and /srv/site/a.txt, key hunter2-hunter2');
    },
  });
  const { outcome, trace } = await runCall(executorWorld([tool]));
  expect(outcome).toMatchObject({
    status: 'hard_failure',
    error_code: 'implementation_error',
    text: 'lookup failed: ENOENT: [path] and a.txt, key **redacted**',
    certainty,
  });
  expect(trace.output_sha256).toBeNull();
});

test('refuses with a record when prepare throws', async () => {
  const tool = toolOf({ prepare: () => Promise.reject(new Error('no')) });
  expect(await admit(executorWorld([tool])).prepare(LIVE)).toMatchObject({
    kind: 'refused',
    outcome: { status: 'hard_failure', certainty: 'not_attempted' },
    correctable: false,
  });
});

test('passes a refusal of prepare on, without times, as something to correct', async () => {
  const refusal = { kind: 'refused', code: 'not_found', message: 'No such file: a' } as const;
  const tool = toolOf({ prepare: async () => refusal });
  expect(await admit(executorWorld([tool])).prepare(LIVE)).toMatchObject({
    kind: 'refused',
    outcome: { status: 'not_executed', error_code: 'not_found', text: 'No such file: a' },
    trace: { started_at: null, duration_ms: null },
    correctable: true,
  });
});

test('shows whoever watches what there is so far, without secrets, and outlives a listener that throws', async () => {
  const tool = toolOf({
    run: async (_input, { onUpdate }) => {
      const password = 'the password is hunter2-hunter2';
      for (const text of [password.slice(0, -3), password, 'bad', 'late']) onUpdate?.(text);
      return DONE;
    },
  });
  const call = await prepareCall(admit(executorWorld([tool])));
  const seen: string[] = [];
  const onUpdate = (text: string) => {
    seen.push(text);
    if (text === 'bad') throw new Error('the listener is broken');
  };
  const { outcome } = await call.run({ signal: LIVE.signal, idempotencyKey: 'k', onUpdate });
  expect(outcome.status).toBe('success');
  expect(seen).toEqual(['the password is ', 'the password is **redacted**', 'bad']);
});

test('runs once and is disposed of once', async () => {
  let disposed = 0;
  const tool = toolOf({ prepare: async () => prepared({ dispose: async () => void disposed++ }) });
  const call = await prepareCall(admit(executorWorld([tool])));
  await call.run({ signal: LIVE.signal, idempotencyKey: 'k' });
  await expect(call.run({ signal: LIVE.signal, idempotencyKey: 'k' })).rejects.toMatchObject({
    code: 'registry/call-spent',
  });
  await call[Symbol.asyncDispose]();
  await call[Symbol.asyncDispose]();
  expect(disposed).toBe(1);
});

test('keeps what a call took that was given up, until its code has ended', async () => {
  let disposed = 0;
  const ending = new AbortController();
  const acting = new Promise<typeof DONE>((resolve) => {
    ending.signal.addEventListener('abort', () => resolve(DONE));
  });
  const tool = toolOf({
    timeoutSeconds: 1,
    graceSeconds: 1,
    prepare: async () => prepared({ run: () => acting, dispose: async () => void disposed++ }),
  });
  const world = executorWorld([tool]);
  const call = await prepareCall(admit(world));
  const running = call.run({ signal: LIVE.signal, idempotencyKey: 'k' });
  await ticks();
  world.clock.advance(1000);
  await ticks();
  world.clock.advance(1000);
  expect((await running).outcome.status).toBe('timed_out');
  await call[Symbol.asyncDispose]();
  expect(disposed).toBe(0);
  ending.abort();
  await ticks();
  expect(disposed).toBe(1);
});

test('is not held by a tool that never frees what it took', async () => {
  const world = executorWorld([
    toolOf({ prepare: async () => prepared({ dispose: () => new Promise(() => undefined) }) }),
  ]);
  const call = await prepareCall(admit(world));
  await call.run({ signal: LIVE.signal, idempotencyKey: 'k' });
  const disposed = call[Symbol.asyncDispose]();
  while (world.clock.pendingDelays === 0) await Promise.resolve();
  world.clock.advance(3_600_000);
  await disposed;
  expect(world.clock.pendingDelays).toBe(0);
});

test('is not harmed by a tool that throws while it frees what it took', async () => {
  const tool = toolOf({ prepare: async () => prepared({ dispose: failingDispose }) });
  const call = await prepareCall(admit(executorWorld([tool])));
  await call[Symbol.asyncDispose]();
});

test('does not run what was disposed of', async () => {
  const call = await prepareCall(admit(executorWorld([toolOf()])));
  await call[Symbol.asyncDispose]();
  await expect(call.run({ signal: LIVE.signal, idempotencyKey: 'k' })).rejects.toMatchObject({
    code: 'registry/call-spent',
  });
});

test('ignores what a tool says about its own identity (B-24)', async () => {
  const boast = { ...DONE, callId: 'x', side_effect_class: 'read_only', idempotency: 'idempotent' };
  const { outcome, trace } = await runCall(
    executorWorld([toolOf({ ...EFFECTFUL, run: async () => boast })]),
  );
  expect(Object.keys(outcome)).toHaveLength(7);
  expect(trace).toMatchObject({
    call_id: 'call-1',
    side_effect_class: 'network_write',
    idempotency: 'unknown',
  });
});

test('gives one outcome and one record for every answer of a tool (B-22)', async () => {
  const answers = fc.oneof(
    fc.anything({ withBigInt: true, withDate: true, withMap: true }),
    fc.record({ kind: fc.constantFrom('done', 'failed', 'x'), text: fc.anything() }),
    fc.record({
      kind: fc.constantFrom('done', 'failed'),
      text: fc.string(),
      code: fc.constantFrom('conflict', 'nonsense', 'constructor'),
      data: fc.anything(),
      certainty: fc.anything(),
      artifactIds: fc.anything(),
    }),
  );
  await fc.assert(
    fc.asyncProperty(answers, async (answer) => {
      claimResult(answer);
      const run = async (): Promise<ToolResult> => answer;
      const { outcome, trace } = await runCall(executorWorld([toolOf({ ...EFFECTFUL, run })]));
      expect(outcome.error_code === null).toBe(outcome.status === 'success');
      expect(outcome.text.trim()).not.toBe('');
      expect(trace).toMatchObject({ status: outcome.status, certainty: outcome.certainty });
      expect(JSON.parse(JSON.stringify({ outcome, trace }))).toEqual({ outcome, trace });
    }),
    { numRuns: 300 },
  );
});

describe('finding out what happened', () => {
  const ASKED = {
    idempotencyKey: 'key-1',
    before: { was: 1 },
    signal: new AbortController().signal,
  };

  test('hands the evidence over and brings the answer into the form of a record', async () => {
    let seen: unknown;
    const tool = toolOf({
      ...EFFECTFUL,
      reconcile: async (input, { before, idempotencyKey }) => {
        seen = { input, before, idempotencyKey };
        return { kind: 'happened', result: DONE };
      },
    });
    const answer = await admit(executorWorld([tool])).reconcile?.(ASKED);
    expect(seen).toEqual({ input: { key: 'a' }, before: { was: 1 }, idempotencyKey: 'key-1' });
    expect(answer).toMatchObject({
      kind: 'happened',
      value: {
        outcome: { status: 'success', text: 'found it' },
        trace: { status: 'success', started_at: null, duration_ms: null },
      },
    });
  });

  test('passes the other answers on with their evidence', async () => {
    for (const kind of ['not-happened', 'unknown'] as const) {
      const tool = toolOf({ reconcile: async () => ({ kind, evidence: { found: null } }) });
      const answer = await admit(executorWorld([tool])).reconcile?.(ASKED);
      expect(answer).toEqual({ kind, evidence: { found: null } });
    }
  });

  test('does not know when the tool throws, hangs or says something else', async () => {
    const throwing = toolOf({ reconcile: () => Promise.reject(new Error('no')) });
    expect(await admit(executorWorld([throwing])).reconcile?.(ASKED)).toMatchObject({
      kind: 'unknown',
    });
    const silent = toolOf({ reconcile: async () => Object.assign({}) });
    expect(await admit(executorWorld([silent])).reconcile?.(ASKED)).toMatchObject({
      kind: 'unknown',
    });
    const world = executorWorld([toolOf({ reconcile: never })]);
    const asking = admit(world).reconcile?.(ASKED);
    await ticks();
    world.clock.advance(60_000);
    await ticks();
    world.clock.advance(5000);
    expect(await asking).toEqual({ kind: 'unknown', evidence: { stopped: 'timeout' } });
  });
});

/** Code in plain JavaScript may answer anything. */
function claimResult(_answer: unknown): asserts _answer is ToolResult {}

const LIVE = { signal: new AbortController().signal };

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function whenAborted<T>(signal: AbortSignal, value: T): Promise<T> {
  return new Promise((settle) => {
    signal.addEventListener('abort', () => settle(value), { once: true });
  });
}

/** Lets pending promises settle; no time passes. */
async function ticks(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

function prepared(parts: Partial<PreparedTool> = {}): PreparedTool {
  return { kind: 'prepared', before: null, run: async () => DONE, ...parts };
}

async function looking(look: () => void): Promise<PreparedTool> {
  look();
  return prepared();
}

function failingDispose(): Promise<void> {
  throw new Error('no');
}
