import type { ModelMessage, ModelTool } from '@millforge/contracts';
import type { ModelProfile } from '@millforge/models';
import { expect, test } from 'vitest';
import { withServer } from '../exchange.ts';

const READ: ModelTool = {
  name: 'read',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
};

const CONVERSATION: readonly ModelMessage[] = [
  { role: 'system', content: 'Build it.' },
  { role: 'user', content: 'Mend the test.' },
  {
    role: 'assistant',
    content: 'I will look.',
    tool_calls: [
      { id: 'call_1_0', name: 'read', arguments: '{"path":"a.ts"}' },
      { id: 'call_1_1', name: 'read', arguments: '[1]' },
    ],
  },
  { role: 'tool', tool_call_id: 'call_1_0', name: 'read', content: 'const a = 1;' },
  { role: 'tool', tool_call_id: 'call_1_1', name: 'read', content: '[invalid_arguments] No.' },
  { role: 'user', content: 'Be quick.' },
];

const DIALECT: Partial<ModelProfile> = { dialect: 'anthropic-messages' };

test('sends system text apart, results as words of the user, neighbours in one turn', async () => {
  const setup = {
    server: { replies: [{ content: '' }, { content: 'Done.' }], strict: true },
    profile: {
      ...DIALECT,
      auth: { scheme: 'header' as const, header: 'x-api-key' },
      sampling: { temperature: 0, stop: ['END'] },
      parallel_tool_calls: false,
    },
    client: { apiKey: () => 'key-of-the-test' },
    tools: [READ],
  };
  await withServer(setup, async ({ ask, server }) => {
    expect(await ask(CONVERSATION)).toMatchObject({ kind: 'reply', reply: { content: 'Done.' } });
    const [request] = server.requests;
    expect(request?.headers).toMatchObject({
      'x-api-key': 'key-of-the-test',
      'anthropic-version': '2023-06-01',
    });
    expect(request?.body).toEqual({
      model: 'small:1b',
      stream: false,
      temperature: 0,
      stop_sequences: ['END'],
      max_tokens: 4096,
      system: 'Build it.',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Mend the test.' }] },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I will look.' },
            { type: 'tool_use', id: 'call_1_0', name: 'read', input: { path: 'a.ts' } },
            {
              type: 'tool_use',
              id: 'call_1_1',
              name: 'read',
              input: { malformed_arguments: '[1]' },
            },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1_0', content: 'const a = 1;' },
            { type: 'tool_result', tool_use_id: 'call_1_1', content: '[invalid_arguments] No.' },
            { type: 'text', text: 'Be quick.' },
          ],
        },
      ],
      tools: [{ name: 'read', description: 'Reads a file.', input_schema: READ.parameters }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    });
  });
});

test.each([
  ['a refusal of the model', { stop_reason: 'refusal' }, { finish_reason: 'content_filter' }],
  ['the limit of tokens', { stop_reason: 'max_tokens' }, { finish_reason: 'length' }],
  ['another version of the model', { model: 'm-2' }, { provider_model: 'm-2' }],
  [
    'thinking and redacted thinking',
    {
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'x' },
        { type: 'redacted_thinking', data: 'y' },
        { type: 'text', text: 'Hi' },
      ],
    },
    { content: 'Hi', reasoning: 'Hm.' },
  ],
  [
    'tokens read from the cache',
    { usage: { input_tokens: 5, cache_read_input_tokens: 100, output_tokens: 2 } },
    { usage: { input_tokens: 105, output_tokens: 2 } },
  ],
])('decodes %s', async (_, fields, reply) => {
  const message = { content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', ...fields };
  const fault = {
    kind: 'raw' as const,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(message),
  };
  const setup = { server: { replies: [{ content: '', fault }] }, profile: DIALECT };
  await withServer(setup, async ({ ask }) => {
    expect(await ask()).toMatchObject({ kind: 'reply', reply });
  });
});

test('an overloaded server is a failure that may pass', async () => {
  const body = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  const fault = { kind: 'status' as const, status: 529, body };
  const setup = {
    server: { replies: [{ content: '', fault }] },
    profile: { ...DIALECT, max_retries: 0 },
  };
  await withServer(setup, async ({ ask }) => {
    expect(await ask()).toMatchObject({
      kind: 'failed',
      category: 'server_error',
      retryable: true,
      message: expect.stringContaining('"Overloaded"'),
    });
  });
});
