import type { ModelReply } from '@millforge/guard';
import { expect, test } from 'vitest';
import { judgeOne } from '../examples/own-loop.ts';

const EMPTY: ModelReply = {
  content: null,
  reasoning: null,
  tool_calls: [],
  finish_reason: 'stop',
  usage: null,
  provider_model: null,
};

test('the example of the readme tells answers, questions, calls and corrections apart', () => {
  expect(judgeOne({ ...EMPTY, content: 'Hello.' })).toEqual(['answer: Hello.']);
  expect(judgeOne(EMPTY)).toEqual([expect.stringMatching(/^user: /)]);
  const calls = [
    { id: 'a', name: 'readFile', arguments: '{"path":"a.md","line":"7"}' },
    { id: 'b', name: 'read_file', arguments: '{"line":7}' },
  ];
  expect(judgeOne({ ...EMPTY, tool_calls: calls })).toEqual([
    'perform: read_file {"path":"a.md","line":7}',
    expect.stringMatching(/^tool: \[invalid_arguments\] read_file: \$\.path is required/),
  ]);
});
