import type { ModelMessage, ModelTool } from '@millforge/contracts';
import { createModelClient, type ModelFetch } from '@millforge/models';
import { expect, test } from 'vitest';
import { HELLO, profileOf, steppingClock } from '../exchange.ts';

function recordingClient(): {
  readonly bodies: string[];
  readonly send: (messages: readonly ModelMessage[], tools?: readonly ModelTool[]) => Promise<void>;
} {
  const bodies: string[] = [];
  const recording: ModelFetch = (_url, init) => {
    if (typeof init.body === 'string') bodies.push(init.body);
    const body = '{"choices":[{"message":{"content":"x"}}]}';
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'application/json' } }));
  };
  const client = createModelClient({
    profile: { ...profileOf('http://127.0.0.1:9/v1'), parallel_tool_calls: true },
    fetch: recording,
    clock: steppingClock(),
  });
  return {
    bodies,
    async send(messages, tools = []) {
      await client.complete({ messages, tools }, { signal: new AbortController().signal });
    },
  };
}

test('encodes each message and tool once, however long the conversation grows', async () => {
  const read: string[] = [];
  const counting = (content: string): ModelMessage => ({
    role: 'user',
    get content() {
      read.push(content);
      return content;
    },
  });
  let toolReads = 0;
  const tool: ModelTool = {
    name: 'read',
    get description() {
      toolReads += 1;
      return 'Reads.';
    },
    parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
  };
  const { send, bodies } = recordingClient();
  const messages: ModelMessage[] = [];
  for (const content of ['a', 'b', 'c']) {
    messages.push(counting(content));
    await send(messages, [tool]);
  }
  expect(read).toEqual(['a', 'b', 'c']);
  expect(toolReads).toBe(1);
  expect(JSON.parse(bodies[2] ?? '')).toMatchObject({
    messages: [{ content: 'a' }, { content: 'b' }, { content: 'c' }],
  });
});

test('leaves out tools and what belongs to them when there are none', async () => {
  const { send, bodies } = recordingClient();
  await send([HELLO]);
  expect(Object.keys(JSON.parse(bodies[0] ?? '{}'))).toEqual(['model', 'stream', 'messages']);
});

test('sends empty text beside calls, since servers refuse null or nothing there', async () => {
  const { send, bodies } = recordingClient();
  await send([{ role: 'assistant', content: null }]);
  expect(bodies[0]).toContain('"messages":[{"role":"assistant","content":""}]');
});

test.each([
  ['{"a":1}', '{"a":1}'],
  [' {"a": 1} ', ' {"a": 1} '],
  ['{"a":', '{"malformed_arguments":"{\\"a\\":"}'],
  ['[1]', '{"malformed_arguments":"[1]"}'],
  ['', '{"malformed_arguments":""}'],
])('sends the earlier arguments %j so that a server can parse them', async (written, sent) => {
  const { send, bodies } = recordingClient();
  await send([
    { role: 'assistant', content: 'x', tool_calls: [{ id: 'a', name: 'f', arguments: written }] },
  ]);
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({
    messages: [{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: sent } }] }],
  });
});
