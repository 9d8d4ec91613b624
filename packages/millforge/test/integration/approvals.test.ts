import { setTimeout } from 'node:timers/promises';
import type { Clock, JsonValue, Millforge, MillforgeOptions } from 'millforge';
import { expect, onTestFinished, test } from 'vitest';
import { openShop } from '../support/shop.ts';

const HOLD = {
  kind: 'approval_policy',
  schema_version: '1.0',
  rules: [],
  required: 'hold',
} as const;
const ASK = { ...HOLD, required: 'ask' } as const;

/** Runs until a person is asked whether bread may be bought. */
async function heldShop(options: MillforgeOptions = {}) {
  const shop = openShop();
  const millforge = shop.open(options);
  onTestFinished(async () => {
    await millforge[Symbol.asyncDispose]();
    shop.remove();
  });
  const run = await shop.start(millforge, { approvals: HOLD });
  return { ...shop, millforge, runId: run.runId, result: await run.result };
}

function decide(millforge: Millforge, runId: string, decision: 'approve' | 'deny') {
  return millforge.decide(runId, { holdId: 'hold-1', decision, reason: 'Said Ann.' });
}

async function resumed(millforge: Millforge, runId: string) {
  return (await millforge.resume(runId)).result;
}

async function recorded(millforge: Millforge, runId: string): Promise<readonly JsonValue[]> {
  const records: JsonValue[] = [];
  for await (const { data } of millforge.readTrail(runId)) records.push(data);
  return records;
}

test('a call that waits for a person holds the run, with all that the person needs', async () => {
  const { bought, result } = await heldShop();
  expect(result.status).toBe('held');
  expect(bought()).toEqual([]);
  expect(result.holds).toEqual([
    expect.objectContaining({
      reason: 'approval-required',
      question: 'May this be done: buy bread (network_write)?',
      decisions: ['approve', 'deny', 'cancel'],
      operation: 'approval/1/0',
      outcome_template: null,
      input: expect.objectContaining({
        tool_name: 'buy',
        side_effect_class: 'network_write',
        arguments: { what: 'bread' },
      }),
    }),
  ]);
});

test('an approved call is performed once when the run goes on, and the decision is in the trail', async () => {
  const { bought, millforge, runId } = await heldShop();
  await decide(millforge, runId, 'approve');
  expect(bought()).toEqual([]);
  expect((await resumed(millforge, runId)).status).toBe('success');
  expect((await resumed(millforge, runId)).status).toBe('success');
  expect(bought()).toHaveLength(1);
  const trail = JSON.stringify(await recorded(millforge, runId));
  expect(trail).toContain('Said Ann.');
  expect((await millforge.verifyTrail(runId)).ok).toBe(true);
});

test('a denied call is not performed, and the model goes on without it', async () => {
  const { bought, millforge, runId } = await heldShop();
  await decide(millforge, runId, 'deny');
  const events: string[] = [];
  const run = await millforge.resume(runId, {
    onEvent(event) {
      if (event.kind === 'call-refused') events.push(event.message);
    },
  });
  expect((await run.result).status).toBe('success');
  expect(events).toEqual(['[policy_denied] ann@host declined buy: Said Ann. Do without it.']);
  expect(bought()).toEqual([]);
});

test('an approval that is taken back before it is used counts for nothing', async () => {
  const { bought, millforge, runId } = await heldShop();
  await decide(millforge, runId, 'approve');
  await decide(millforge, runId, 'deny');
  expect((await resumed(millforge, runId)).status).toBe('success');
  expect(bought()).toEqual([]);
  await expect(decide(millforge, runId, 'deny')).rejects.toMatchObject({ code: /^kernel\// });
});

test('an approval that has expired counts for nothing', async () => {
  let aheadMs = 0;
  const clock: Clock = {
    now: () => Date.now() + aheadMs,
    monotonicMs: () => performance.now(),
    delay: (ms, signal) => setTimeout(ms, undefined, signal === undefined ? {} : { signal }),
  };
  const { bought, millforge, runId } = await heldShop({ clock });
  await decide(millforge, runId, 'approve');
  aheadMs = 3_600_001;
  expect((await resumed(millforge, runId)).status).toBe('success');
  expect(bought()).toEqual([]);
});

test('a run that keeps nothing cannot wait for a person, so the answer is no', async () => {
  const shop = openShop();
  onTestFinished(shop.remove);
  await using millforge = shop.open({ dataDir: null });
  const run = await shop.start(millforge, { approvals: HOLD });
  expect((await run.result).status).toBe('success');
  expect(shop.bought()).toEqual([]);
});

test('a provider of the host is asked where the policy says so, and nobody where there is no policy', async () => {
  const shop = openShop();
  onTestFinished(shop.remove);
  let asked = 0;
  await using millforge = shop.open({
    dataDir: null,
    approvalProvider: {
      async request() {
        asked += 1;
        return { kind: 'approved', actor: 'ann', reason: '' };
      },
    },
  });
  await (await shop.start(millforge)).result;
  expect([asked, shop.bought()]).toEqual([0, []]);
  await (await shop.start(millforge, { approvals: ASK })).result;
  expect([asked, shop.bought()]).toEqual([1, ['{"what":"bread"}']]);
});

test('a policy or a grant that is none refuses the run before anything is written', async () => {
  const shop = openShop();
  onTestFinished(shop.remove);
  await using millforge = shop.open();
  const wrong = [
    { approvals: JSON.parse('{"kind":"approval_policy","schema_version":"1.0","rules":[{}]}') },
    { grants: ['terminal.intent', { capabilityId: 'test.shop', constraints: {} }] },
  ];
  for (const request of wrong) {
    await expect(shop.start(millforge, request)).rejects.toMatchObject({
      code: 'millforge/document',
    });
  }
  expect(await millforge.listRuns()).toEqual([]);
});

test('a grant with constraints bounds a run that is resumed from the trail alone', async () => {
  const shop = openShop();
  onTestFinished(shop.remove);
  await using millforge = shop.open();
  // The tool does not say what it reaches, so that a grant that goes only so far is none.
  const bounded = { capabilityId: 'test.shop', constraints: { hosts: ['bakery.example'] } };
  const run = await shop.start(millforge, {
    approvals: { ...HOLD, required: 'approve' },
    grants: ['terminal.intent', bounded],
  });
  run.stop({ now: true });
  await run.result;
  expect((await resumed(millforge, run.runId)).status).toBe('success');
  expect(shop.bought()).toEqual([]);
});
