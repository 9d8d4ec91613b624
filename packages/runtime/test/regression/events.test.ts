import { createRedactor } from '@millforge/contracts';
import { manualClock, sequentialIds } from '@millforge/contracts/testing';
import { createToolExecutor } from '@millforge/registry';
import {
  createSteeringQueue,
  memoryOperationLog,
  type RunEvent,
  type RunOptions,
  runPlan,
} from '@millforge/runtime';
import { expect, test } from 'vitest';
import { buildPlan } from '../support/builder-plan.ts';
import { runOptions, runScript, type Scripted, scriptedClient } from '../support/scripted-run.ts';

/** Every kind, once: a kind that is added or taken away is an error of the type checker here. */
const KINDS: Readonly<Record<RunEvent['kind'], true>> = {
  'run-steered': true,
  'context-compacted': true,
  'turn-started': true,
  'model-wrote': true,
  'model-replied': true,
  'model-re-asked': true,
  'approval-requested': true,
  'approval-decided': true,
  'call-started': true,
  'call-updated': true,
  'call-ended': true,
  'call-refused': true,
  'run-ended': true,
};

const READ: Scripted = [['read', { path: 'a' }]];
const SCRIPT: readonly Scripted[] = [
  'some text',
  [['nothing']],
  READ,
  READ,
  READ,
  [['submit', { summary: 'Done.' }]],
];

/** A run in which everything happens that an event tells of. */
async function eventfulRun(options: Partial<RunOptions> = {}) {
  const built = buildPlan(
    [
      {
        id: 'read',
        tool: {
          run: async (_input, { onUpdate }) => {
            onUpdate?.('');
            onUpdate?.('password=abcdefgh12345678 half');
            return { kind: 'done', text: 'x'.repeat(2000) };
          },
        },
      },
      { id: 'submit', terminal: 'COMPLETE' },
    ],
    {
      context: {
        strategy_id: 'forge.tiered.v1',
        budget_tokens: 3000,
        keep_recent_iterations: 1,
        phase_thresholds: [0.2, 0.8, 0.9],
      },
    },
  );
  const steering = createSteeringQueue();
  steering.send('Be quick.');
  const redactor = createRedactor();
  return runScript(built, SCRIPT, {
    deltas: true,
    steering,
    approvals: { request: async () => ({ kind: 'approved', actor: 'ada', reason: 'fine' }) },
    executor: (plan) =>
      createToolExecutor({
        plan,
        snapshot: built.snapshot,
        implementations: built.snapshot.implementations,
        clock: { now: () => 0, monotonicMs: () => 0, delay: () => Promise.resolve() },
        redactor,
        approvals: {
          kind: 'approval_policy',
          schema_version: '1.0',
          rules: [{ verdict: 'ask', effects: ['read_only'] }],
        },
      }),
    ...options,
  });
}

test('a run emits every kind of event that there is (D-19)', async () => {
  const { events, outcome } = await eventfulRun();
  expect(outcome.status).toBe('success');
  expect(new Set(events.map(({ kind }) => kind))).toEqual(new Set(Object.keys(KINDS)));
});

test('events and decisions come in the order in which they happened, with their turn (D-15)', async () => {
  const { events, trail, outcome } = await eventfulRun();
  const turns = events.flatMap((event) => ('turn' in event ? [event.turn] : []));
  expect(turns).toEqual(turns.toSorted((a, b) => a - b));
  expect(new Set(turns)).toEqual(new Set([1, 2, 3, 4, 5, 6]));
  const steps = trail.entries.map(({ step }) => step);
  expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  expect(outcome.turns).toBe(6);
});

test('a run that fails keeps the trace of every refused call (D-15)', async () => {
  const { trail, outcome } = await runScript(
    buildPlan([{ id: 'read' }, { id: 'submit', terminal: 'COMPLETE' }]),
    [[['read', '[1]']]],
  );
  expect(outcome.status).toBe('budget_exhausted');
  const refusals = trail.entries.filter(({ type }) => type === 'call-refused');
  expect(refusals).toHaveLength(3);
  for (const { data } of refusals) {
    expect(data).toMatchObject({ trace: { status: 'not_executed', turn: expect.any(Number) } });
  }
});

test('a call says how far it is to whoever listens, redacted, and is asked by nobody else', async () => {
  const { events } = await eventfulRun();
  const updates = events.filter(({ kind }) => kind === 'call-updated');
  expect(updates).toHaveLength(3);
  expect(updates[0]).toMatchObject({
    tool: 'read',
    replayed: false,
    text: expect.stringMatching(/ half$/),
  });
  expect(JSON.stringify(updates)).not.toContain('abcdefgh12345678');
  const asked: boolean[] = [];
  const run = async (_input: object, { onUpdate }: { readonly onUpdate?: unknown }) => {
    asked.push(onUpdate !== undefined);
    return { kind: 'done', text: 'x' } as const;
  };
  const built = buildPlan([
    { id: 'read', tool: { run } },
    { id: 'submit', terminal: 'COMPLETE' },
  ]);
  const clock = manualClock();
  const operations = memoryOperationLog({ clock, ids: sequentialIds() });
  const model = scriptedClient([READ, [['submit', { summary: 'Done.' }]]]);
  await runPlan(built.reference, runOptions(built, { clock, model, operations }));
  expect(asked).toEqual([false]);
});
