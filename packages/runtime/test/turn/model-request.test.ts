import type { ModelCapabilities, ModelClient, ModelRequest } from '@millforge/contracts';
import { findTranscriptProblems } from '@millforge/models/testing';
import { expect, test } from 'vitest';
import { buildPlan } from '../support/builder-plan.ts';
import { runScript, type Scripted, scriptedClient } from '../support/scripted-run.ts';

const PLAN = buildPlan([{ id: 'read' }, { id: 'submit', terminal: 'COMPLETE' }], {
  budgets: { max_validation_retries: 4 },
});

const UNKNOWN: ModelCapabilities = {
  tool_calls: 'unknown',
  tool_choice: 'unknown',
  parallel_tool_calls: 'unknown',
  max_output_tokens: 'unknown',
  structured_output: 'unknown',
};

function declaring(changes: Partial<ModelCapabilities>, script: readonly Scripted[]) {
  const requests: ModelRequest[] = [];
  const inner = scriptedClient(script);
  const model: ModelClient & { readonly requests: ModelRequest[] } = {
    requests,
    capabilities: { ...UNKNOWN, ...changes },
    complete(request, options) {
      requests.push({ ...request, messages: [...request.messages] });
      return inner.complete(request, options);
    },
  };
  return model;
}

test('a model without tools of its own reads them in the prompt and writes its calls as text', async () => {
  const model = declaring({ tool_calls: 'unsupported' }, [
    '{"tool":"read","args":{"path":"a.ts"}}',
    'I have read it.',
    '{"tool":"submit","args":{"summary":"Done."}}',
  ]);
  const { outcome } = await runScript(PLAN, [], { model });
  expect(outcome).toMatchObject({ status: 'success', turns: 3, usage: { tool_calls: 2 } });
  for (const { messages, tools } of model.requests) {
    expect(tools).toEqual([]);
    expect(findTranscriptProblems(messages)).toEqual([]);
    expect(messages.some(({ role }) => role === 'tool')).toBe(false);
  }
  expect(model.requests[0]?.messages[0]?.content).toContain('## read');
  expect(model.requests[1]?.messages.at(-1)?.content).toContain('Result of read');
});

test('what was sent as text before is sent as the same messages again, which a client encodes once', async () => {
  const pair = '{"tool":"read","args":{"path":"a.ts"}}\n{"tool":"read","args":{"path":"b.ts"}}';
  const script = [pair, 'Done.', pair, '{"tool":"submit","args":{"summary":"Done."}}'];
  const model = declaring({ tool_calls: 'unsupported' }, script);
  expect((await runScript(PLAN, [], { model })).outcome.status).toBe('success');
  const [, second, third, fourth] = model.requests.map(({ messages }) => messages);
  expect(second?.length).toBeGreaterThan(2);
  expect(fourth?.length).toBeGreaterThan(third?.length ?? 0);
  for (const [at, message] of (second ?? []).entries()) expect(third?.[at]).toBe(message);
  for (const [at, message] of (third ?? []).entries()) expect(fourth?.[at]).toBe(message);
});

/** The choice that each request of a run left to the model; null where it said nothing of it. */
async function choices(
  script: readonly Scripted[],
  { capabilities = { tool_choice: 'supported' }, retries = 4 }: Asking = {},
) {
  const plan = buildPlan([{ id: 'read' }, { id: 'submit', terminal: 'COMPLETE' }], {
    budgets: { max_validation_retries: retries },
  });
  const model = declaring(capabilities, script);
  const { outcome } = await runScript(plan, [], { model });
  return {
    status: outcome.status,
    asked: model.requests.map(({ options }) => options?.tool_choice ?? null),
  };
}

interface Asking {
  readonly capabilities?: Partial<ModelCapabilities>;
  readonly retries?: number;
}

const SUBMIT: Scripted = [['submit', { summary: 'Done.' }]];

test('a model that is asked in vain is made to call at the third question, and at every one after it', async () => {
  expect(await choices(['a', 'b', 'c', 'd', SUBMIT])).toEqual({
    status: 'success',
    asked: [null, null, null, 'required', 'required'],
  });
});

test('where the plan allows only two questions the second one is the last, and forces', async () => {
  const all = await choices(['a', 'b', SUBMIT], { retries: 2 });
  expect(all.asked).toEqual([null, null, 'required']);
});

test('a forced call frees the choice again', async () => {
  const { asked } = await choices(['a', 'b', 'c', [['read', { path: 'a' }]], 'd', SUBMIT]);
  expect(asked).toEqual([null, null, null, 'required', null, null]);
});

test('where the model has chosen and failed to say it, the choice is that tool', async () => {
  const cut = '<tool_call>{"name": "submit", "arguments": {"summary": ';
  const { asked } = await choices([cut, cut, cut, SUBMIT]);
  expect(asked).toEqual([null, null, null, { name: 'submit' }]);
});

test('a model that does not declare the option is never sent it', async () => {
  for (const tool_choice of ['unknown', 'unsupported'] as const) {
    const { asked } = await choices(['a', 'b', 'c', SUBMIT], { capabilities: { tool_choice } });
    expect(asked).toEqual([null, null, null, null]);
  }
});
