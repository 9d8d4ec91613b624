import { manualClock, memoryTrail } from '@millforge/contracts/testing';
import { runPlan } from '@millforge/runtime';
import { expect, test } from 'vitest';
import { buildPlan } from '../support/builder-plan.ts';
import {
  resultsOf,
  runOptions,
  runScript,
  type Scripted,
  scriptedClient,
} from '../support/scripted-run.ts';

const READ: Scripted = [['read', { path: 'a' }]];
const SUBMIT: Scripted = [['submit', { summary: 'Done.' }]];

/** A plan whose tool answers what the numbers say, the last of them for ever. */
function planWith(answers: readonly number[]) {
  let calls = 0;
  const built = buildPlan([
    {
      id: 'read',
      tool: {
        run: async () => {
          const answer = answers[Math.min(calls, answers.length - 1)];
          calls += 1;
          return { kind: 'done', text: `read ${answer ?? 0}` };
        },
      },
    },
    { id: 'submit', terminal: 'COMPLETE' },
  ]);
  return { built, calls: () => calls };
}

test('the same call with the same result is remarked on, then not performed, and charged to nothing', async () => {
  const { built, calls } = planWith([1]);
  const script = [...Array.from({ length: 9 }, () => READ), SUBMIT];
  const { outcome, model, trail } = await runScript(built, script);
  const results = resultsOf(model);
  expect(results.get('call_2_0')).toBe('read 1');
  expect(results.get('call_3_0')).toMatch(/^read 1\n\n\[repeated\]/);
  expect(results.get('call_4_0')).toMatch(/^\[repeated\] read was not performed/);
  expect(calls()).toBe(3);
  expect(outcome.status).toBe('success');
  expect(trail.entries.map(({ type }) => type)).toEqual([
    'call-repeated',
    ...Array.from({ length: 6 }, () => 'call-refused'),
    'terminal-accepted',
  ]);
});

test('the same call with another result is no repetition', async () => {
  const { built, calls } = planWith([1, 2, 3, 4, 5, 6, 7]);
  const script = [...Array.from({ length: 6 }, () => READ), SUBMIT];
  const { trail } = await runScript(built, script);
  expect(calls()).toBe(6);
  expect(trail.entries.map(({ type }) => type)).toEqual(['terminal-accepted']);
});

test('a replay remarks on the same calls', async () => {
  const { built } = planWith([1]);
  const first = await runScript(built, [...Array.from({ length: 5 }, () => READ), SUBMIT]);
  const trail = memoryTrail();
  const outcome = await runPlan(built.reference, {
    ...runOptions(built, {
      clock: manualClock(),
      model: scriptedClient([]),
      operations: first.log.resume(),
    }),
    trail,
  });
  expect(outcome).toEqual(first.outcome);
  expect(trail.entries).toEqual(first.trail.entries);
});
