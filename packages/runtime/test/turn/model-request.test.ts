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

test('a model that is asked in vain twice is made to call, where it takes that', async () => {
  const script: readonly Scripted[] = ['a', 'b', 'c', [['submit', { summary: 'Done.' }]]];
  const supported = declaring({ tool_choice: 'supported' }, script);
  await runScript(PLAN, [], { model: supported });
  expect(supported.requests.map(({ options }) => options?.tool_choice ?? null)).toEqual([
    null,
    null,
    'required',
    'required',
  ]);
  const unknown = declaring({}, script);
  await runScript(PLAN, [], { model: unknown });
  expect(unknown.requests.every(({ options }) => options === undefined)).toBe(true);
});
