import type { ModelMessage, ModelReply } from '@millforge/guard';
import { expect, test } from 'vitest';
import { judged } from '../examples/one-reply.ts';
import { answer } from '../examples/own-loop.ts';

const EMPTY: ModelReply = {
  content: null,
  reasoning: null,
  tool_calls: [],
  finish_reason: 'stop',
  usage: null,
  provider_model: null,
};

/** Runs the loop of the guide with prepared replies; gives its answer and its last conversation. */
async function ask(...replies: readonly Partial<ModelReply>[]) {
  let seen: readonly ModelMessage[] = [];
  const left = [...replies];
  const text = await answer('What is on line 7?', {
    askModel: async (messages) => {
      seen = [...messages];
      return { ...EMPTY, ...left.shift() };
    },
    readFile: async ({ path }) => `text of ${JSON.stringify(path)}`,
  });
  return { text, said: seen.slice(1).map(({ role, content }) => `${role}: ${content}`) };
}

test('the loop of the guide takes an answer as it comes', async () => {
  expect(await ask({ content: 'Hello.' })).toEqual({ text: 'Hello.', said: [] });
});

test('the loop of the guide asks again, performs, corrects and ends', async () => {
  const calls = [
    { id: 'a', name: 'readFile', arguments: '{"path":"a.md","line":"7"}' },
    { id: 'b', name: 'read_file', arguments: '{"line":7}' },
  ];
  const { text, said } = await ask({}, { tool_calls: calls }, { content: 'It is empty.' });
  expect(text).toBe('It is empty.');
  expect(said).toEqual([
    'assistant: (nothing)',
    expect.stringMatching(/^user: Your last reply was empty/),
    'assistant: null',
    'tool: text of "a.md"',
    expect.stringMatching(/^tool: \[invalid_arguments\] read_file: \$\.path is required/),
  ]);
});

test('the example of the readme comes to what it says', () => {
  const { decision } = judged;
  const performed = (decision.kind === 'calls' ? decision.calls : []).map(
    (call) => call.kind === 'accepted' && `${call.name} ${JSON.stringify(call.arguments)}`,
  );
  expect(performed).toEqual(['read_file {"path":"a.md","line":7}']);
});
