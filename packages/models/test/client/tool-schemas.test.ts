import type { ModelTool } from '@millforge/contracts';
import { readModelProfile } from '@millforge/models';
import { expect, test } from 'vitest';
import { HELLO, withServer } from '../exchange.ts';

const TOOL: ModelTool = {
  name: 'find',
  description: 'Finds.',
  parameters: {
    type: 'object',
    additionalProperties: false,
    properties: {
      link: { type: 'string', format: 'uri', maxLength: 99 },
      limit: { type: 'integer', minimum: 1 },
    },
    required: ['link'],
  },
};

/** What the server was sent as the function of the tool. */
async function told(tool_schemas?: 'openai' | 'openai-strict' | 'grammar'): Promise<unknown> {
  let sent: unknown;
  const server = { replies: [{ content: 'x' }] };
  const profile = tool_schemas === undefined ? {} : { tool_schemas };
  await withServer({ server, profile, tools: [TOOL] }, async ({ ask, server: asked }) => {
    await ask([HELLO]);
    sent = asked.requests[0]?.body;
  });
  const body = typeof sent === 'string' ? JSON.parse(sent) : sent;
  return body?.tools[0].function;
}

test('a server is told arguments as they were compiled, unless the profile names its words', async () => {
  const asCompiled = { name: 'find', description: 'Finds.', parameters: TOOL.parameters };
  expect(await told()).toEqual(asCompiled);
  expect(await told('openai')).toEqual(asCompiled);
  expect(await told('grammar')).toEqual({
    ...asCompiled,
    parameters: {
      ...TOOL.parameters,
      properties: {
        link: { type: 'string', maxLength: 99 },
        limit: { type: 'integer', minimum: 1 },
      },
    },
  });
});

test('a strict server is told to hold the model to a schema in which null stands for absent', async () => {
  expect(await told('openai-strict')).toEqual({
    name: 'find',
    description: 'Finds.',
    strict: true,
    parameters: {
      ...TOOL.parameters,
      properties: {
        link: { type: 'string' },
        limit: { type: ['integer', 'null'], minimum: 1 },
      },
      required: ['link', 'limit'],
    },
  });
});

test('the Messages API is told in its own words only', () => {
  const profile = {
    profile_id: 'a.b',
    base_url: 'https://models.example/v1',
    model: 'm',
    dialect: 'anthropic-messages',
    max_output_tokens: 100,
  };
  expect(readModelProfile({ ...profile, tool_schemas: 'anthropic' }).ok).toBe(true);
  expect(readModelProfile({ ...profile, tool_schemas: 'grammar' })).toMatchObject({
    ok: false,
    problems: [{ path: '/tool_schemas' }],
  });
});
