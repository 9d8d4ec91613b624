import { findOverrun } from '@millforge/guard';
import { expect, test } from 'vitest';

test.each([
  ['nothing limited', { input_tokens: 9 }, {}, null],
  ['a limit not reached', { input_tokens: 9 }, { input_tokens: 10 }, null],
  ['a limit reached by tokens', { input_tokens: 10 }, { input_tokens: 10 }, 'input_tokens'],
  ['output over its limit', { output_tokens: 11 }, { output_tokens: 10 }, 'output_tokens'],
  ['cost at its limit', { cost_micros: 10 }, { cost_micros: 10 }, null],
  ['cost over its limit', { cost_micros: 11 }, { cost_micros: 10 }, 'cost_micros'],
  ['time over its limit', { wall_ms: 11 }, { wall_ms: 10 }, 'wall_ms'],
  ['no call left', { tool_calls: 10 }, { tool_calls: 10 }, 'tool_calls'],
  ['nothing reported', {}, { input_tokens: 1, output_tokens: 1, cost_micros: 1 }, null],
])('before a model turn, %s', (_, used, limits, expected) => {
  expect(findOverrun(used, limits, 'model-turn')?.budget ?? null).toBe(expected);
});

test.each([
  ['tokens at their limit', { output_tokens: 10 }, { output_tokens: 10 }, null],
  ['tokens over their limit', { output_tokens: 11 }, { output_tokens: 10 }, 'output_tokens'],
  ['one call left', { tool_calls: 9 }, { tool_calls: 10 }, null],
  ['no call left', { tool_calls: 10 }, { tool_calls: 10 }, 'tool_calls'],
])('before a tool call, %s', (_, used, limits, expected) => {
  expect(findOverrun(used, limits, 'tool-call')?.budget ?? null).toBe(expected);
});

test('names the limit, its number and what was used', () => {
  expect(findOverrun({ tool_calls: 3 }, { tool_calls: 3 }, 'tool-call')).toEqual({
    budget: 'tool_calls',
    limit: 3,
    message:
      'The run has used 3 tool calls; the limit is 3, so there is no room for another tool call.',
  });
});
