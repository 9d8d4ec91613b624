import { JsonFloat, type Tool, type ToolDefinition } from '@millforge/contracts';
import type { CheckedCall, RefusedCall } from '@millforge/registry';
import { expect, test } from 'vitest';
import {
  admit,
  DONE,
  executorWorld,
  prepareCall,
  refuse,
  runCall,
  toolOf,
} from './executor-world.ts';

const { signal } = new AbortController();

/** Something that code in plain JavaScript may answer, in a place where the types say otherwise. */
function answer(value: unknown): never {
  claim(value);
  return value;
}

function claim(_value: unknown): asserts _value is never {}

/** An object of which one field throws when it is read. */
function trap(name: string, fields: object = {}): object {
  return Object.defineProperty({ ...fields }, name, {
    enumerable: true,
    get: () => {
      throw new Error('hunter2-hunter2');
    },
  });
}

const revoked = Proxy.revocable({}, {});
revoked.revoke();
const ACT = { kind: 'prepared', before: null, run: async () => DONE };

test.each<[string, unknown]>([
  ['nothing', null],
  ['a number', 5],
  ['a proxy that was revoked', revoked.proxy],
  ['a name that throws', trap('name')],
  ['an id that throws', trap('callId', { name: 'lookup' })],
  ['arguments that throw', trap('arguments', { name: 'lookup', callId: 'c' })],
])('refuses a call that is %s with a record (B-22)', (_what, call) => {
  const world = executorWorld([toolOf()]);
  const open: { check(call: unknown, context: unknown): CheckedCall | RefusedCall } =
    world.executor;
  const refused = open.check(call, world.context);
  expect(refused).toMatchObject({ kind: 'refused', trace: { kind: 'tool_trace' } });
  expect(JSON.stringify(refused)).not.toContain('hunter2');
});

test.each<[string, unknown]>([
  ['a kind that throws', trap('kind')],
  ['an act that throws when it is looked at', trap('run', { kind: 'prepared', before: null })],
  ['evidence that is no number', { ...ACT, before: new JsonFloat(Number.NaN) }],
  ['a refusal that cannot be read', trap('code', { kind: 'refused' })],
  ['a refusal without a text', { kind: 'refused', code: 'not_found', message: 5 }],
])('refuses a call whose prepare answers %s (B-22)', async (_what, given) => {
  const tool = toolOf({ prepare: async () => answer(given) });
  const refused = await admit(executorWorld([tool])).prepare({ signal });
  expect(refused).toMatchObject({
    kind: 'refused',
    outcome: { error_code: 'implementation_error', certainty: 'not_attempted' },
  });
});

test('runs a call whose way to free itself cannot be read', async () => {
  const tool = toolOf({ prepare: async () => answer(trap('dispose', ACT)) });
  expect((await runCall(executorWorld([tool]))).outcome.status).toBe('success');
});

test('survives a prepare that comes too late with something unreadable', async () => {
  const late: ((value: unknown) => void)[] = [];
  const tool = toolOf({
    timeoutSeconds: 1,
    graceSeconds: 1,
    prepare: () => new Promise((resolve) => late.push((value) => resolve(answer(value)))),
  });
  const world = executorWorld([tool]);
  const failures: unknown[] = [];
  const note = (error: unknown) => failures.push(error);
  process.on('unhandledRejection', note);
  const preparing = admit(world).prepare({ signal });
  await ticks();
  world.clock.advance(1000);
  await ticks();
  world.clock.advance(1000);
  expect(await preparing).toMatchObject({ outcome: { error_code: 'timeout' } });
  late[0]?.(trap('kind'));
  await ticks();
  process.off('unhandledRejection', note);
  expect(failures).toEqual([]);
});

test.each<[string, unknown]>([
  ['a number that JSON does not have', { n: new JsonFloat(Number.NaN) }],
  ['one that has no end', { n: new JsonFloat(Number.POSITIVE_INFINITY) }],
])('turns a result with %s into a failure (B-22)', async (_what, data) => {
  const run = async () => answer({ kind: 'failed', code: 'conflict', text: 'x', data });
  const { outcome } = await runCall(executorWorld([toolOf({ run })]));
  expect(outcome).toMatchObject({ status: 'hard_failure', error_code: 'implementation_error' });
});

test('describes what was thrown although it says something else at every look', async () => {
  let looks = 0;
  const run = () =>
    Promise.reject({
      get message() {
        return looks++ > 0 ? 42 : 'first';
      },
    });
  expect((await runCall(executorWorld([toolOf({ run })]))).outcome.text).toBe(
    'lookup failed: first',
  );
});

test('knows a secret in an error that is long or spread over lines', async () => {
  const said = ['/', 'b'.repeat(1986), ' hunter2-hunter2 password=\n', 'Zx9'.repeat(4)].join('');
  const run = () => Promise.reject(new Error(said));
  const { text } = (await runCall(executorWorld([toolOf({ run })]))).outcome;
  expect(text).toContain('[path]');
  expect(text).not.toMatch(/hu[n[]|Zx9/);
});

test('acts once for an answer that acts whenever somebody waits for it', async () => {
  let acts = 0;
  // As some query builders do; it never settles here, so that the call is given up.
  const lazy = Object.fromEntries(['then'].map((name) => [name, () => void acts++]));
  const tool = toolOf({ timeoutSeconds: 1, graceSeconds: 1, run: () => answer(lazy) });
  const world = executorWorld([tool]);
  const prepared = await prepareCall(admit(world));
  const running = prepared.run({ signal, idempotencyKey: 'k' });
  await ticks();
  world.clock.advance(1000);
  await ticks();
  world.clock.advance(1000);
  expect((await running).outcome.error_code).toBe('timeout');
  await prepared[Symbol.asyncDispose]();
  await ticks();
  expect(acts).toBe(1);
});

test('tells whoever watches nothing that is no text, and nothing once there is an outcome', async () => {
  let update: ((text: string) => void) | undefined;
  const tool = toolOf({
    run: async (_input, { onUpdate }) => {
      update = onUpdate;
      onUpdate?.(answer(5));
      onUpdate?.('half');
      return DONE;
    },
  });
  const seen: string[] = [];
  await using prepared = await prepareCall(admit(executorWorld([tool])));
  const onUpdate = (text: string) => void seen.push(text);
  await prepared.run({ signal, idempotencyKey: 'k', onUpdate });
  update?.('whole');
  expect(seen).toEqual(['half']);
});

test.each<[string, Partial<ToolDefinition>]>([
  ['check', { check: () => answer(Promise.reject(new Error('later'))) }],
  ['reach', { capabilities: ['shop.use'], reach: () => answer(Promise.reject(new Error('x'))) }],
])('refuses a call whose %s answers later, and catches what it throws', async (_what, more) => {
  const world = executorWorld([toolOf(more)]);
  const grants = [{ capabilityId: 'shop.use', constraints: { paths: ['/**'] } }];
  const failures: unknown[] = [];
  const note = (error: unknown) => failures.push(error);
  process.on('unhandledRejection', note);
  refuse({ ...world, context: { ...world.context, grants } });
  await ticks();
  process.off('unhandledRejection', note);
  expect(failures).toEqual([]);
});

test.each<[string, unknown]>([
  ['a kind that throws', trap('kind')],
  ['evidence that throws', trap('evidence', { kind: 'unknown' })],
])('does not know what happened when reconcile answers %s', async (_what, given) => {
  const tool = toolOf({ reconcile: async () => answer(given) });
  const asked = { idempotencyKey: 'k', before: null, signal };
  expect(await admit(executorWorld([tool])).reconcile?.(asked)).toMatchObject({ kind: 'unknown' });
});

test('counts a result that cannot be read as no result of the call that happened', async () => {
  const tool = toolOf({ reconcile: async () => answer(trap('result', { kind: 'happened' })) });
  const asked = { idempotencyKey: 'k', before: null, signal };
  expect(await admit(executorWorld([tool])).reconcile?.(asked)).toMatchObject({
    kind: 'happened',
    value: { outcome: { error_code: 'implementation_error' } },
  });
});

test('keeps secrets and folders out of the evidence that only the trail gets', async () => {
  const evidence = { key: 'hunter2-hunter2', file: '/srv/site/a' };
  const shown = { key: '**redacted**', file: './a' };
  const tool = toolOf({
    redactSecrets: false,
    run: async () => ({ ...DONE, after: { note: evidence.key } }),
    reconcile: async () => ({
      kind: 'unknown',
      evidence: { note: evidence.key, in: evidence.file },
    }),
  });
  const world = executorWorld([tool]);
  expect((await runCall(world)).after).toEqual({ note: shown.key });
  const asked = { idempotencyKey: 'k', before: null, signal };
  expect(await admit(world).reconcile?.(asked)).toEqual({
    kind: 'unknown',
    evidence: { note: shown.key, in: shown.file },
  });
});

test('keeps secrets and folders out of the names in a failure and of the places in its record', async () => {
  const { outcome, trace } = await runCall(executorWorld([failing(true)]));
  expect(Object.keys(outcome.data)).toEqual(['**redacted**', './a']);
  expect(trace.truncated_paths).toEqual(['$.**redacted**[0]', '$../a']);
  const verbatim = await runCall(executorWorld([failing(false)]));
  expect(Object.keys(verbatim.outcome.data)).toEqual(['hunter2-hunter2', '/srv/site/a']);
  expect(JSON.stringify(verbatim.trace)).not.toMatch(/hunter2|srv/);
});

test('keeps a record small however much of a result was cut', async () => {
  const tool = toolOf({
    maxOutputBytes: 50_000,
    run: async () => ({
      kind: 'failed',
      code: 'conflict',
      text: 'x',
      data: { all: Array.from({ length: 2000 }, () => 'y'.repeat(90)) },
    }),
  });
  expect((await runCall(executorWorld([tool]))).trace.truncated_paths).toHaveLength(64);
});

/** A tool that fails with names that are a secret and a path. */
function failing(redactSecrets: boolean): Tool {
  return toolOf({
    redactSecrets,
    maxOutputBytes: 200,
    run: async () => ({
      kind: 'failed',
      code: 'conflict',
      text: 'x',
      data: { 'hunter2-hunter2': ['y'.repeat(500)], '/srv/site/a': 'z'.repeat(500) },
    }),
  });
}

/** Lets everything that is due come to its end, unhandled rejections included. */
async function ticks(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
