import { splitReasoning } from '@millforge/guard/rescue';
import { expect, test } from 'vitest';

test.each([
  ['<think>Hm.</think>Yes.', 'Yes.', 'Hm.'],
  ['\n<think>\nHm.\n</think>\n\nYes.', 'Yes.', 'Hm.'],
  ['<thinking>Hm.</thinking> Yes.', 'Yes.', 'Hm.'],
  ['[THINK]Hm.[/THINK]Yes.', 'Yes.', 'Hm.'],
  ['<think>One.</think><think>Two.</think>Yes.', 'Yes.', 'One.\nTwo.'],
  ['<|channel|>analysis<|message|>Hm.<|end|>Yes.', 'Yes.', 'Hm.'],
  ['Hm, let me see.\n</think>\n\nYes.', 'Yes.', 'Hm, let me see.'],
  ['<think>Hm.</think>', null, 'Hm.'],
  ['Yes.', 'Yes.', null],
  ['', null, null],
])('of %j says %j and thought %j', (text, content, reasoning) => {
  expect(splitReasoning(text)).toMatchObject({ content, reasoning, isOpen: false });
});

test('a thought without an end is all thought', () => {
  expect(splitReasoning('<think>I should call')).toEqual({
    content: null,
    reasoning: 'I should call',
    isOpen: true,
  });
});

test.each([
  'The tag <think> begins a thought, </think> ends it.',
  'Use it so:\n```\n<think>Hm.\n</think>\n```',
  '  two spaces in front, and behind  ',
])('a text that only speaks of thoughts stays as it is: %j', (text) => {
  expect(splitReasoning(text)).toMatchObject({ content: text, reasoning: null });
});
