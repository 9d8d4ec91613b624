import { findOverrun } from '@millforge/guard/limits';
import { expect, test } from 'vitest';

test.each([
  { name: 'nothing limited', used: { input_tokens: 9 }, limits: {}, expected: null },
  {
    name: 'a limit not reached',
    used: { input_tokens: 9 },
    limits: { input_tokens: 10 },
    expected: null,
  },
  {
    name: 'a limit reached by tokens',
    used: { input_tokens: 10 },
    limits: { input_tokens: 10 },
    expected: 'input_tokens',
  },
  {
    name: 'output over its limit',
    used: { output_tokens: 11 },
    limits: { output_tokens: 10 },
    expected: 'output_tokens',
  },
  {
    name: 'cost at its limit',
    used: { cost_micros: 10 },
    limits: { cost_micros: 10 },
    expected: null,
  },
  {
    name: 'cost over its limit',
    used: { cost_micros: 11 },
    limits: { cost_micros: 10 },
    expected: 'cost_micros',
  },
  {
    name: 'time over its limit',
    used: { wall_ms: 11 },
    limits: { wall_ms: 10 },
    expected: 'wall_ms',
  },
  {
    name: 'no call left',
    used: { tool_calls: 10 },
    limits: { tool_calls: 10 },
    expected: 'tool_calls',
  },
  {
    name: 'nothing reported',
    used: {},
    limits: { input_tokens: 1, output_tokens: 1, cost_micros: 1 },
    expected: null,
  },
])('before a model turn, $name', ({ used, limits, expected }) => {
  expect(findOverrun(used, limits, 'model-turn')?.budget ?? null).toBe(expected);
});

test.each([
  {
    name: 'tokens at their limit',
    used: { output_tokens: 10 },
    limits: { output_tokens: 10 },
    expected: null,
  },
  {
    name: 'tokens over their limit',
    used: { output_tokens: 11 },
    limits: { output_tokens: 10 },
    expected: 'output_tokens',
  },
  { name: 'one call left', used: { tool_calls: 9 }, limits: { tool_calls: 10 }, expected: null },
  {
    name: 'no call left',
    used: { tool_calls: 10 },
    limits: { tool_calls: 10 },
    expected: 'tool_calls',
  },
])('before a tool call, $name', ({ used, limits, expected }) => {
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
