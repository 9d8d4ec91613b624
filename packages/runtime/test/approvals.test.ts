import { createRedactor, type ToolApproval } from '@millforge/contracts';
import { manualClock, sequentialIds } from '@millforge/contracts/testing';
import { type ApprovalPolicy, type ApprovalRequest, createToolExecutor } from '@millforge/registry';
import {
  type ApprovalAnswer,
  type ApprovalProvider,
  memoryOperationLog,
  type RunOptions,
} from '@millforge/runtime';
import { expect, test } from 'vitest';
import { buildPlan, schemaOf } from './support/builder-plan.ts';
import { resultsOf, runScript } from './support/scripted-run.ts';

const YES = { kind: 'approved', actor: 'ada', reason: 'fine' } as const;
const NO = { kind: 'declined', actor: 'ada', reason: 'too dear' } as const;
const SCRIPT = [[['buy', { path: 'a' }]], [['submit', { summary: 'Done.' }]]] as const;

test('performs a call that somebody approved, once, with the decision in the record', async () => {
  const shop = openShop();
  const { outcome, events } = await runScript(shop.built, SCRIPT, shop.options(answering(YES)));
  expect(outcome.status).toBe('success');
  expect(shop.bought()).toBe(1);
  expect(events.map(({ kind }) => kind).filter((kind) => kind.startsWith('approval'))).toEqual([
    'approval-requested',
    'approval-decided',
  ]);
});

test('cuts a long reason between characters', async () => {
  const shop = openShop();
  const answer = { ...NO, reason: `${'x'.repeat(499)}😀😀` };
  const { events } = await runScript(shop.built, SCRIPT, shop.options(answering(answer)));
  const decided = events.find(({ kind }) => kind === 'approval-decided');
  expect(decided).toHaveProperty('reason', 'x'.repeat(499));
});

test('asks with tool, effect and arguments, and with one line for a person', async () => {
  const shop = openShop();
  const asked: { request: ApprovalRequest; describe: string }[] = [];
  const provider: ApprovalProvider = {
    async request(request, { describe }) {
      asked.push({ request, describe });
      return YES;
    },
  };
  await runScript(shop.built, SCRIPT, shop.options(provider));
  expect(asked).toEqual([
    {
      describe: 'buy a',
      request: expect.objectContaining({
        tool_name: 'buy',
        side_effect_class: 'network_write',
        arguments: { path: 'a' },
        call_id: 'call_1_0',
      }),
    },
  ]);
});

test.each<[string, ApprovalProvider | undefined, string]>([
  ['who declines', answering(NO), 'ada declined buy: too dear'],
  ['there is nobody', undefined, 'nobody declined buy: there is nobody to ask'],
  [
    'asking fails',
    { request: () => Promise.reject(new Error('no line')) },
    'asking failed: no line',
  ],
  ['the answer is none', answering({ kind: 'yes' }), 'the answer was none'],
  [
    'nobody answers now in a run that is not kept',
    answering({ kind: 'later' }),
    'nobody can be asked',
  ],
])('does not perform a call where %s, and tells the model', async (_who, provider, said) => {
  const shop = openShop();
  const { outcome, model, trail } = await runScript(shop.built, SCRIPT, shop.options(provider));
  expect(shop.bought()).toBe(0);
  expect(outcome.status).toBe('success');
  const answer = [...resultsOf(model).values()][0] ?? '';
  expect(answer).toContain('[policy_denied]');
  expect(answer).toContain(said);
  expect(trail.entries).toContainEqual(
    expect.objectContaining({ type: 'call-refused', key: 'refusal/1/0' }),
  );
});

test('what was declined stays declined when the run is gone through again without the provider', async () => {
  const shop = openShop();
  const log = memoryOperationLog({ clock: manualClock(), ids: sequentialIds() });
  const first = await runScript(shop.built, SCRIPT, { ...shop.options(answering(NO)), log });
  const again = await runScript(shop.built, SCRIPT, {
    ...shop.options(answering(YES)),
    log: log.resume(),
  });
  expect(again.outcome).toEqual(first.outcome);
  expect(shop.bought()).toBe(0);
  expect(again.events.filter(({ kind }) => kind === 'approval-requested')).toEqual([]);
});

test('a run that is stopped while somebody is asked has no answer, and asks again', async () => {
  const shop = openShop();
  const stop = new AbortController();
  const log = memoryOperationLog({
    clock: manualClock(),
    ids: sequentialIds(),
    signal: stop.signal,
  });
  const provider: ApprovalProvider = {
    async request() {
      stop.abort();
      return YES;
    },
  };
  const run = runScript(shop.built, SCRIPT, { ...shop.options(provider), log });
  await expect(run).rejects.toMatchObject({ code: 'operation/suspended' });
  expect(shop.bought()).toBe(0);
  const resumed = await runScript(shop.built, SCRIPT, {
    ...shop.options(answering(YES)),
    log: log.resume(),
  });
  expect(resumed.outcome.status).toBe('success');
  expect(shop.bought()).toBe(1);
});

test('nobody is asked about a tool that asks for nothing', async () => {
  const shop = openShop('none');
  const { outcome } = await runScript(shop.built, SCRIPT, shop.options(answering(NO)));
  expect(outcome.status).toBe('success');
  expect(shop.bought()).toBe(1);
});

function answering(answer: ApprovalAnswer | { readonly kind: 'yes' }): ApprovalProvider {
  // A host in plain JavaScript can answer with anything.
  return { request: async () => answer as ApprovalAnswer };
}

function openShop(approval: ToolApproval = 'explicit') {
  let bought = 0;
  const built = buildPlan([
    {
      id: 'buy',
      input: schemaOf({ path: 'string' }),
      tool: {
        approval,
        sideEffect: 'network_write',
        idempotency: 'non_idempotent',
        capabilities: ['shop.buy'],
        run: async () => {
          bought += 1;
          return { kind: 'done', text: 'bought' };
        },
      },
    },
    { id: 'submit', terminal: 'COMPLETE' },
  ]);
  const approvals: ApprovalPolicy = {
    kind: 'approval_policy',
    schema_version: '1.0',
    rules: [],
    required: 'ask',
  };
  const executor: RunOptions['executor'] = (plan) =>
    createToolExecutor({
      plan,
      snapshot: built.snapshot,
      implementations: built.snapshot.implementations,
      clock: manualClock(),
      redactor: createRedactor(),
      approvals,
    });
  return {
    built,
    bought: () => bought,
    options: (provider: ApprovalProvider | undefined): Partial<RunOptions> => ({
      executor,
      ...(provider === undefined ? {} : { approvals: provider }),
    }),
  };
}
