import type { ModelMessage, ModelTool } from '@millforge/contracts';
import { createModelClient } from '@millforge/models';
import { expect, test } from 'vitest';
import { HELLO, profileOf, steppingClock, withServer } from '../exchange.ts';

const READ: ModelTool = {
  name: 'read',
  description: 'Reads a file.',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string' } },
    required: ['path'],
    additionalProperties: false,
  },
};

test('gives the reply of a server with calls, usage and the name of the model', async () => {
  const replies = [
    {
      content: 'Let me look.',
      tool_calls: [{ name: 'read', arguments: { path: 'a.txt' } }],
      usage: { input_tokens: 12, output_tokens: 5 },
    },
  ];
  await withServer({ server: { replies } }, async ({ ask }) => {
    expect(await ask()).toEqual({
      kind: 'reply',
      attempts: 1,
      reply: {
        content: 'Let me look.',
        reasoning: null,
        tool_calls: [{ id: 'call_0_0', name: 'read', arguments: '{"path":"a.txt"}' }],
        finish_reason: 'tool_calls',
        usage: { input_tokens: 12, output_tokens: 5 },
        provider_model: 'small:1b',
      },
    });
  });
});

test('sends the conversation, the tools and what the profile fixes', async () => {
  const conversation: readonly ModelMessage[] = [
    { role: 'system', content: 'Be brief.' },
    HELLO,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', name: 'read', arguments: '{"path": "ä"}' }],
    },
    { role: 'tool', tool_call_id: 'c1', name: 'read', content: 'text' },
  ];
  await withServer(
    {
      server: { replies: [{ content: 'no' }, { content: 'yes' }] },
      profile: {
        max_output_tokens: 100,
        max_output_tokens_field: 'max_completion_tokens',
        sampling: { temperature: 0.2, stop: ['END'] },
        parallel_tool_calls: false,
        extra_body: { top_k: 20 },
        headers: { 'X-Title': 'millforge tests' },
      },
      tools: [READ],
      idempotencyKey: 'run-1:3',
    },
    async ({ ask, server }) => {
      expect(await ask(conversation)).toMatchObject({ kind: 'reply', reply: { content: 'yes' } });
      const request = server.requests[0];
      expect(request?.body).toEqual({
        model: 'small:1b',
        stream: false,
        top_k: 20,
        temperature: 0.2,
        stop: ['END'],
        max_completion_tokens: 100,
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: HELLO.content },
          {
            role: 'assistant',
            content: '',
            tool_calls: [
              {
                id: 'c1',
                type: 'function',
                function: { name: 'read', arguments: '{"path": "ä"}' },
              },
            ],
          },
          { role: 'tool', tool_call_id: 'c1', name: 'read', content: 'text' },
        ],
        tools: [{ type: 'function', function: READ }],
        parallel_tool_calls: false,
      });
      expect(request?.headers).toMatchObject({
        'content-type': 'application/json',
        'user-agent': 'millforge',
        'x-title': 'millforge tests',
        'idempotency-key': 'run-1:3',
      });
      expect(request?.headers).not.toHaveProperty('authorization');
    },
  );
});

test('refuses a wrong profile when it is made', () => {
  expect(() =>
    createModelClient({
      profile: profileOf('http://203.0.113.7/v1'),
      fetch,
      clock: steppingClock(),
    }),
  ).toThrow(expect.objectContaining({ code: 'models/invalid-profile' }));
});
