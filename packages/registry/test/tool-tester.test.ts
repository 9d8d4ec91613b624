import { defineTool, digest } from '@millforge/contracts';
import { manualClock } from '@millforge/contracts/testing';
import { createToolTester } from '@millforge/registry/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { toolOf } from './executor-world.ts';

const COUNT = defineTool({
  id: 'acme.count',
  name: 'count',
  description: 'Counts words.',
  input: z.strictObject({ text: z.string() }),
  output: z.strictObject({ words: z.int() }),
  examples: [{ text: 'one two' }],
  sideEffect: 'read_only',
  idempotency: 'idempotent',
  run: async ({ text }) => ({ kind: 'done', data: { words: text.split(/\s+/).length } }),
});

test('takes a call through the real executor, to one outcome and one record', async () => {
  const trial = await createToolTester(COUNT).call({ text: 'one two three' });
  expect(trial).toMatchObject({
    stage: 'run',
    before: null,
    outcome: { status: 'success', data: { words: 3 }, text: '{"words":3}' },
    trace: { tool_name: 'count', output_sha256: digest({ words: 3 }) },
  });
});

test('refuses what a run would refuse, and says at which stage', async () => {
  const tester = createToolTester(COUNT);
  expect(await tester.call({ text: 7 })).toMatchObject({
    stage: 'check',
    outcome: { error_code: 'invalid_arguments' },
  });
  const careful = toolOf({
    prepare: async () => ({ kind: 'refused', code: 'not_found', message: 'Gone.' }),
  });
  expect(await createToolTester(careful).call({ key: 'a' })).toMatchObject({
    stage: 'prepare',
    outcome: { error_code: 'not_found', text: 'Gone.' },
  });
});

test('grants what the tool needs unless it is told otherwise', async () => {
  const tool = toolOf({
    sideEffect: 'network_write',
    capabilities: ['shop.use'],
    reach: () => ({ hosts: ['shop.example'] }),
  });
  const statusWith = async (options: Parameters<typeof createToolTester>[1]) =>
    (await createToolTester(tool, options).call({ key: 'a' })).outcome.error_code;
  expect(await statusWith({})).toBeNull();
  expect(await statusWith({ grants: [] })).toBe('capability_denied');
  expect(await statusWith({ grants: [bounded('shop.example')] })).toBeNull();
  expect(await statusWith({ grants: [bounded('bank.example')] })).toBe('capability_denied');
});

function bounded(host: string) {
  return { capabilityId: 'shop.use', constraints: { hosts: [host] } };
}

test('agrees to what a tool wants approved, unless the policy declines it', async () => {
  const trials = (['explicit', 'out_of_band', 'forbidden'] as const).map((approval) =>
    createToolTester(toolOf({ approval })).call({ key: 'a' }),
  );
  expect((await Promise.all(trials)).map(({ outcome }) => outcome.error_code)).toEqual([
    null,
    null,
    'policy_denied',
  ]);
  const approvals = { kind: 'approval_policy', schema_version: '1.0', rules: [] } as const;
  const strict = createToolTester(toolOf({ approval: 'explicit' }), { approvals });
  expect((await strict.call({ key: 'a' })).outcome.error_code).toBe('policy_denied');
});

test('ends a terminal with the one result of its plan', async () => {
  const end = toolOf({ sideEffect: 'terminal', capabilities: ['terminal.intent'] });
  const call = createToolTester(end).check({ key: 'a' });
  expect(call).toMatchObject({ kind: 'checked', terminalResult: 'COMPLETE' });
});

test('hands the evidence of an interrupted call to the tool that looks for it', async () => {
  const tool = toolOf({
    sideEffect: 'network_write',
    idempotency: 'non_idempotent',
    capabilities: ['shop.use'],
    reconcile: async (_input, { before, idempotencyKey }) =>
      before === null
        ? { kind: 'not-happened', evidence: idempotencyKey }
        : { kind: 'happened', result: { kind: 'done', text: 'sent' } },
  });
  const tester = createToolTester(tool);
  expect(await tester.reconcile({ key: 'a' }, { before: 1 })).toMatchObject({
    kind: 'happened',
    value: { outcome: { text: 'sent' } },
  });
  expect(await tester.reconcile({ key: 'a' }, { idempotencyKey: 'k' })).toEqual({
    kind: 'not-happened',
    evidence: 'k',
  });
  expect(await createToolTester(COUNT).reconcile({ text: 'a' }, {})).toEqual({ kind: 'unknown' });
});

test('stops a call by its signal, and by the time limit of the clock that it is given', async () => {
  const clock = manualClock();
  const tool = toolOf({ timeoutSeconds: 1, graceSeconds: 1, run: () => new Promise(() => {}) });
  const late = createToolTester(tool, { clock }).call({ key: 'a' });
  for (let limit = 0; limit < 2; limit++) {
    // First the time limit, then the grace.
    for (let turn = 0; turn < 100 && clock.pendingDelays === 0; turn++) await Promise.resolve();
    clock.advance(1000);
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }
  expect((await late).outcome.status).toBe('timed_out');
  const stopped = await createToolTester(COUNT).call(
    { text: 'a' },
    { signal: AbortSignal.abort() },
  );
  expect(stopped.outcome.error_code).toBe('cancelled');
});
