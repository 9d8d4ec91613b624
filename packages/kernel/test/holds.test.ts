import { type Operation, operationUncertain } from '@millforge/contracts';
import { manualClock } from '@millforge/contracts/testing';
import type { Adapter, GoalView, HoldView, Kernel } from '@millforge/kernel';
import { expect, test } from 'vitest';
import {
  acting,
  adapter,
  contract,
  modelTurn,
  open,
  outcome,
  recordTypes,
  scope,
  temporaryDirectory,
  unsafeCall,
} from './fixture.ts';

const lost = operationUncertain({ code: 'timeout', message: 'The answer was lost.' });

/** A program of one call that loses its answer so many times. */
function losing(times: number, more: Partial<Operation> = {}) {
  const calls: string[] = [];
  const program = adapter(async (context) => {
    await context.perform(modelTurn(1), acting('hi').run);
    const call = await context.perform(unsafeCall('tool/1/0', more), async ({ idempotencyKey }) => {
      calls.push(idempotencyKey);
      if (calls.length <= times) throw lost;
      return { value: `call ${calls.length}` };
    });
    return outcome({ call: call.kind === 'done' ? call.value : null });
  });
  return { calls, program };
}

async function runOf(kernel: Kernel, program: Adapter): Promise<GoalView> {
  return kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done;
}

async function heldGoal(more: Partial<Operation> = {}) {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  const { calls, program } = losing(1, more);
  const view = await runOf(kernel, program);
  return { kernel, calls, program, view, hold: openHold(view) };
}

function openHold(view: GoalView): HoldView {
  const hold = view.holds.find(({ state }) => state === 'open');
  if (hold === undefined) throw new Error(`${view.state}: no hold is open`);
  return hold;
}

test('holds an unsafe call whose answer was lost, with all that a person needs', async () => {
  const { kernel, view, hold } = await heldGoal();
  expect(view).toMatchObject({
    state: 'held',
    open_holds: 1,
    interruption: { reason: 'held' },
    tasks: [{ state: 'held', attempt: { state: 'suspended' } }],
    budget: { reserved: 1, used: 0 },
  });
  expect(hold).toMatchObject({
    hold_id: 'hold-1',
    version: 1,
    reason: 'ambiguous-operation',
    message: 'Nobody can tell whether this happened: call tool/1/0.',
    operation_key: 'tool/1/0',
    attempt: 1,
    decisions: ['retry', 'accept', 'cancel'],
    decision: null,
    facts: {
      describe: 'call tool/1/0',
      effect: 'external',
      repeat: 'unsafe',
      tries: 1,
      failure: { code: 'timeout' },
      former_owner: { alive: true, act_settled: true, owner: { owner_id: kernel.ownerId } },
    },
  });
  expect(await kernel.readOperation(scope, 'goal-1', { key: 'tool/1/0' })).toMatchObject({
    state: 'uncertain',
    input: [{ path: 'tool/1/0' }],
    outcome: null,
    outcome_template: null,
  });
  expect(
    await runOf(
      kernel,
      adapter(async () => 'never'),
    ),
  ).toMatchObject({ state: 'held' });
});

test('performs the call once more after retry, under the same key', async () => {
  const { kernel, calls, program, hold } = await heldGoal();
  const decided = await kernel.decide(scope, 'goal-1', {
    holdId: hold.hold_id,
    version: hold.version,
    decision: 'retry',
    reason: 'I looked: it did not happen.',
  });
  expect(decided).toMatchObject({
    state: 'running',
    open_holds: 0,
    holds: [{ state: 'decided', decision: { decision: 'retry', actor: 'ann@host' } }],
  });
  expect(await runOf(kernel, program)).toMatchObject({
    state: 'completed',
    tasks: [{ output: { call: 'call 2' }, attempt: { number: 1 } }],
    budget: { reserved: 0, used: 1 },
  });
  expect([calls.length, new Set(calls).size]).toEqual([2, 1]);
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});

test('performs the call under a new key when a person says so', async () => {
  const { kernel, calls, program, hold } = await heldGoal();
  await kernel.decide(scope, 'goal-1', {
    holdId: hold.hold_id,
    version: hold.version,
    decision: 'retry',
    reason: 'The receiver forgot it.',
    newKey: true,
  });
  await runOf(kernel, program);
  expect(new Set(calls).size).toBe(2);
});

test('allows one more performance only, then asks again', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  const { calls, program } = losing(2);
  const first = openHold(await runOf(kernel, program));
  const retry = { decision: 'retry', reason: 'Again.' } as const;
  await kernel.decide(scope, 'goal-1', { holdId: first.hold_id, version: 1, ...retry });
  const second = openHold(await runOf(kernel, program));
  expect([second.hold_id, second.facts.tries, calls.length]).toEqual(['hold-2', 2, 2]);
});

test('records an accepted outcome as attested, and never performs the call', async () => {
  const { kernel, calls, program, hold } = await heldGoal();
  await kernel.decide(scope, 'goal-1', {
    holdId: hold.hold_id,
    version: hold.version,
    decision: 'accept',
    reason: 'It is in the inbox.',
    outcome: 'seen',
  });
  expect(await runOf(kernel, program)).toMatchObject({
    state: 'completed',
    tasks: [{ output: { call: 'seen' } }],
  });
  expect(calls.length).toBe(1);
  expect(await kernel.readOperation(scope, 'goal-1', { key: 'tool/1/0' })).toMatchObject({
    attested: true,
    outcome: { kind: 'done', value: 'seen' },
  });
  expect(await recordTypes(kernel, 'goal-1')).toContain('operation-attested');
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});

test('cancels the goal by a decision', async () => {
  const { kernel, hold } = await heldGoal();
  const view = await kernel.decide(scope, 'goal-1', {
    holdId: hold.hold_id,
    version: hold.version,
    decision: 'cancel',
    reason: 'Not worth it.',
  });
  expect(view).toMatchObject({
    state: 'cancelled',
    open_holds: 0,
    effects_unknown: 1,
    holds: [{ decision: { decision: 'cancel' } }],
    budget: { reserved: 0, used: 1 },
  });
});

test('lets the first decision win, and tells the second of it', async () => {
  const { kernel, hold } = await heldGoal();
  const decide = (decision: 'retry' | 'approve', version = hold.version) =>
    kernel.decide(scope, 'goal-1', {
      holdId: hold.hold_id,
      version,
      decision,
      reason: 'Because.',
    });
  await expect(decide('approve')).rejects.toMatchObject({ code: 'kernel/decision-not-allowed' });
  await expect(decide('retry', 7)).rejects.toMatchObject({ code: 'kernel/stale-version' });
  await decide('retry');
  await expect(decide('retry')).rejects.toMatchObject({
    code: 'kernel/hold-decided',
    details: { decision: 'retry', actor: 'ann@host' },
  });
  const none = { holdId: 'hold-9', version: 1, decision: 'retry', reason: 'Because.' } as const;
  await expect(kernel.decide(scope, 'goal-1', none)).rejects.toMatchObject({
    code: 'kernel/not-found',
  });
});

test('refuses to accept without an outcome', async () => {
  const { kernel, hold } = await heldGoal();
  await expect(
    kernel.decide(scope, 'goal-1', {
      holdId: hold.hold_id,
      version: hold.version,
      decision: 'accept',
      reason: 'It happened.',
    }),
  ).rejects.toMatchObject({ code: 'kernel/decision-not-allowed' });
});

test('keeps what looking found when it did not settle the doubt', async () => {
  const { hold } = await heldGoal({
    reconcile: async () => ({ kind: 'unknown', evidence: { inbox: 'unreachable' } }),
  });
  expect(hold.facts.reconciliation).toEqual({
    kind: 'unknown',
    evidence: { inbox: 'unreachable' },
  });
});

test('shows the digest of a sensitive input, and stores nothing else of it', async () => {
  const { kernel, view, hold } = await heldGoal({
    sensitive: true,
    input: { body: 'very private' },
  });
  expect(hold.facts.input_sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(await kernel.readOperation(scope, 'goal-1', { key: 'tool/1/0' })).toMatchObject({
    input: null,
  });
  expect(JSON.stringify(view)).not.toContain('very private');
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});

test('repeats in the name of whoever admitted the goal where its contract says so', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1', { on_ambiguous: 'retry' }));
  const { calls, program } = losing(1);
  const view = await kernel.runGoal({ ...scope, actor: 'bob@host' }, 'goal-1', {
    adapters: [program],
  }).done;
  expect(view).toMatchObject({
    state: 'completed',
    holds: [{ state: 'decided', decision: { decision: 'retry', actor: 'ann@host' } }],
  });
  expect([calls.length, new Set(calls).size]).toEqual([2, 1]);
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});

test('stops repeating in anybody’s name when nothing helps', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1', { on_ambiguous: 'retry' }));
  const { calls, program } = losing(100);
  expect(await runOf(kernel, program)).toMatchObject({ state: 'held', open_holds: 1 });
  expect(calls.length).toBe(6);
});

test('counts a keyed call as unsafe once the receiver may have forgotten its key', async () => {
  const clock = manualClock();
  const kernel = await open(temporaryDirectory(), { clock });
  await kernel.admitGoal(scope, contract('goal-1'));
  let calls = 0;
  const program = adapter(async (context) => {
    await context.perform(
      unsafeCall('tool/1/0', { repeat: 'keyed', keyTtlMs: 60_000 }),
      async () => {
        calls += 1;
        if (calls === 2) clock.advance(60_000);
        throw lost;
      },
    );
    return outcome();
  });
  expect(openHold(await runOf(kernel, program)).facts.tries).toBe(2);
  expect(calls).toBe(2);
});

test('holds a changed adapter, and runs the one that was admitted after retry', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  const drifted = adapter(async () => outcome(), { parameters: { plan: 'b'.repeat(64) } });
  const hold = openHold(await runOf(kernel, drifted));
  expect(hold).toMatchObject({
    reason: 'adapter-drift',
    attempt: null,
    decisions: ['retry', 'cancel'],
  });
  await kernel.decide(scope, 'goal-1', {
    holdId: hold.hold_id,
    version: hold.version,
    decision: 'retry',
    reason: 'Wrong plan given.',
  });
  expect(
    await runOf(
      kernel,
      adapter(async () => outcome()),
    ),
  ).toMatchObject({ state: 'completed' });
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});
