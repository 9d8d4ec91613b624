import type { ContextPolicy } from '@millforge/contracts';
import { manualClock, memoryTrail } from '@millforge/contracts/testing';
import { findTranscriptProblems } from '@millforge/models/testing';
import { runPlan } from '@millforge/runtime';
import { expect, test } from 'vitest';
import { buildPlan } from '../support/builder-plan.ts';
import { runOptions, runScript, type Scripted, scriptedClient } from '../support/scripted-run.ts';

const CONTEXT: ContextPolicy = {
  strategy_id: 'forge.tiered.v1',
  budget_tokens: 4000,
  keep_recent_iterations: 2,
  phase_thresholds: [0.5, 0.7, 0.9],
};

function planWith(chars: number, context: Partial<ContextPolicy> = {}) {
  return buildPlan(
    [
      {
        id: 'read',
        tool: { run: async () => ({ kind: 'done', text: 'x'.repeat(chars) }) },
      },
      { id: 'submit', terminal: 'COMPLETE' },
    ],
    { context: { ...CONTEXT, ...context } },
  );
}

const SUBMIT: Scripted = [['submit', { summary: 'Done.' }]];
const SCRIPT = [
  ...Array.from({ length: 12 }, (_, turn): Scripted => [['read', { path: `${turn}.ts` }]]),
  SUBMIT,
];

/** A model that goes by the number of requests: a summary stands for several of its replies. */
function countingClient(script: readonly Scripted[]) {
  const inner = scriptedClient(script);
  let turn = 0;
  return {
    requests: inner.requests,
    async complete(request: Parameters<typeof inner.complete>[0]) {
      const completion = await scriptedClient(script.slice(turn)).complete(
        { ...request, messages: [] },
        { signal: new AbortController().signal },
      );
      inner.requests.push({ messages: [...request.messages], tools: request.tools });
      turn += 1;
      return completion;
    },
  };
}

test('what goes to the model is valid and fits, before and after it was shortened (D-03)', async () => {
  const model = countingClient(SCRIPT);
  const { outcome, trail, events } = await runScript(planWith(3000), [], { model });
  expect(outcome).toMatchObject({ status: 'success', turns: 13 });
  for (const { messages } of model.requests) {
    expect(findTranscriptProblems(messages)).toEqual([]);
    expect(JSON.stringify(messages).length / 4).toBeLessThan(4000);
  }
  const shortened = events.flatMap((event) => (event.kind === 'context-compacted' ? [event] : []));
  expect(shortened.length).toBeGreaterThan(2);
  expect(
    trail.entries.flatMap(({ type, data }) => (type === 'context-compacted' ? [data] : [])),
  ).toEqual(
    shortened.map((event) => ({
      rung: event.rung,
      tokens_before: event.tokensBefore,
      tokens_after: event.tokensAfter,
      summarised_turns: event.summarisedTurns,
    })),
  );
});

test('a replay shortens as the run did', async () => {
  const built = planWith(3000);
  const clock = manualClock();
  const model = countingClient(SCRIPT);
  const first = await runScript(built, [], { model });
  const trail = memoryTrail();
  const outcome = await runPlan(built.reference, {
    ...runOptions(built, { clock, model: scriptedClient([]), operations: first.log.resume() }),
    trail,
  });
  expect(outcome).toEqual(first.outcome);
  expect(trail.entries).toEqual(first.trail.entries);
});

const replies = (input_tokens: number): readonly Scripted[] =>
  SCRIPT.map((short) => ({
    tool_calls: (short as readonly (readonly [string, object])[]).map(([name, args]) => ({
      id: 'call',
      name,
      arguments: JSON.stringify(args),
    })),
    usage: { input_tokens, output_tokens: 1 },
  }));

async function shortenedAt(tokens: number) {
  const { events } = await runScript(planWith(600), [], {
    model: countingClient(replies(tokens)),
  });
  return events.find((event) => event.kind === 'context-compacted')?.turn ?? null;
}

test('tokens that the provider counts decide when a conversation is shortened (D-16)', async () => {
  expect(await shortenedAt(150)).toBeNull();
  expect(await shortenedAt(3000)).toBe(4);
});

test('a plan whose tools alone take the whole context ends with the name of what is too large', async () => {
  const { outcome, model } = await runScript(planWith(10, { budget_tokens: 20 }), SCRIPT);
  expect(model.requests).toEqual([]);
  expect(outcome).toMatchObject({
    status: 'budget_exhausted',
    failure_class: 'context_exhausted',
  });
  expect(outcome.failure_message).toContain('the schemas of the tools alone takes about');
});
