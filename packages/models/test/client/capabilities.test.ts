import type { ModelCapabilities, ModelRequestOptions, ModelTool } from '@millforge/contracts';
import { createModelClient, type ModelProfile } from '@millforge/models';
import { startScriptedServer } from '@millforge/models/testing';
import { expect, test } from 'vitest';
import { HELLO, profileOf, steppingClock } from '../exchange.ts';

const READ: ModelTool = {
  name: 'read',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
};
const ANSWER = {
  name: 'answer',
  schema: READ.parameters,
};
const EVERYTHING: ModelCapabilities = {
  tool_calls: 'supported',
  tool_choice: 'supported',
  parallel_tool_calls: 'supported',
  max_output_tokens: 'supported',
  structured_output: 'supported',
};

async function sent(
  profile: Partial<ModelProfile>,
  request: { readonly options?: ModelRequestOptions; readonly tools?: readonly ModelTool[] },
) {
  await using server = await startScriptedServer({ replies: [{ content: 'Hi' }] });
  const client = createModelClient({
    profile: { ...profileOf(server.url), ...profile },
    fetch,
    clock: steppingClock(),
  });
  const completion = await client.complete(
    { messages: [HELLO], tools: [READ], ...request },
    { signal: new AbortController().signal },
  );
  return { completion, body: server.requests[0]?.body ?? null, capabilities: client.capabilities };
}

test('a client says what its profile declares, and nothing more', async () => {
  const { capabilities } = await sent({ capabilities: { tool_choice: 'supported' } }, {});
  expect(capabilities).toEqual({
    tool_calls: 'unknown',
    tool_choice: 'supported',
    parallel_tool_calls: 'unknown',
    max_output_tokens: 'unknown',
    structured_output: 'unknown',
    images: 'unknown',
  });
});

test.each<[string, ModelRequestOptions]>([
  ['tool_choice', { tool_choice: 'required' }],
  ['parallel_tool_calls', { parallel_tool_calls: false }],
  ['max_output_tokens', { max_output_tokens: 10 }],
  ['structured_output', { structured_output: ANSWER }],
])('sends nothing when %s is asked for and not declared (D-09)', async (name, options) => {
  for (const support of ['unknown', 'unsupported'] as const) {
    const { completion, body } = await sent({ capabilities: { [name]: support } }, { options });
    expect(completion).toMatchObject({
      kind: 'failed',
      category: 'unsupported_capability',
      retryable: false,
      sent: false,
      message: expect.stringContaining(name),
    });
    expect(body).toBeNull();
  }
});

test('sends no tools to a model that is declared to take none', async () => {
  const profile = { capabilities: { tool_calls: 'unsupported' as const } };
  expect((await sent(profile, {})).completion).toMatchObject({ sent: false });
  expect((await sent(profile, { tools: [] })).completion).toMatchObject({ kind: 'reply' });
});

test('sends what is declared under the names of Chat Completions', async () => {
  const options: ModelRequestOptions = {
    tool_choice: { name: 'read' },
    parallel_tool_calls: false,
    max_output_tokens: 10,
    structured_output: ANSWER,
  };
  const { body } = await sent({ capabilities: EVERYTHING, max_output_tokens: 99 }, { options });
  expect(body).toMatchObject({
    tool_choice: { type: 'function', function: { name: 'read' } },
    parallel_tool_calls: false,
    max_tokens: 10,
    response_format: { type: 'json_schema', json_schema: ANSWER },
  });
});

test.each<[NonNullable<ModelRequestOptions['tool_choice']>, object]>([
  ['auto', { type: 'auto' }],
  ['none', { type: 'none' }],
  ['required', { type: 'any' }],
  [{ name: 'read' }, { type: 'tool', name: 'read' }],
])('sends the choice %j under the names of the Messages API', async (tool_choice, expected) => {
  const profile = { dialect: 'anthropic-messages' as const, capabilities: EVERYTHING };
  const options = { tool_choice, structured_output: ANSWER, max_output_tokens: 10 };
  const { body } = await sent(profile, { options });
  expect(body).toMatchObject({
    tool_choice: expected,
    max_tokens: 10,
    output_config: { format: { type: 'json_schema', schema: ANSWER.schema } },
  });
});
