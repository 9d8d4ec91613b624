import { type GuardTool, toGuardTool } from '@millforge/guard';
import { createTextRelease, rescueToolCalls } from '@millforge/guard/rescue';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

const TOOLS: readonly GuardTool[] = [
  toGuardTool({
    name: 'read_note',
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: { id: { type: 'integer' } },
      required: ['id'],
    },
  }),
];

/** What is shown of the pieces as they come, one entry each, and what was held back to the end. */
function release(pieces: readonly string[]) {
  const gate = createTextRelease(TOOLS);
  const shown = pieces.map((piece) => gate.push(piece));
  return { shown, rest: gate.rest() };
}

test.each([
  'Good morning! How can I help?\nI can read notes.',
  'a < b and b > c, [see here](x), {curly}\n',
  '```js\nread_note({"id": 7})\n```\nThat is code.',
  '- [ ] one\n- [x] two\n> quote\n1. three',
  '<div>\n<p>text</p>\n</div>\n',
  '{"city": "Paris", "population": 2100000, "districts": ["a", "b"], "text": "long"}'.padEnd(
    400,
    ' .',
  ),
])('ordinary text passes, and nearly all of it before its end: %j', (text) => {
  const { shown, rest } = release(text.split(''));
  expect(shown.join('') + rest).toBe(text);
  expect(rest.length).toBeLessThanOrEqual(20);
});

test('ordinary words pass piece by piece', () => {
  expect(release(['Good ', 'morning', ', you.\n', 'More']).shown).toEqual([
    'Good ',
    'morning',
    ', you.\n',
    'More',
  ]);
});

const CALLS = [
  '<tool_call>\n{"name": "read_note", "arguments": {"id": 7}}\n</tool_call>',
  '{"name": "read_note", "arguments": {"id": 7}}',
  '```json\n{"name": "read_note", "arguments": {"id": 7}}\n```',
  '```tool_code\nread_note(id=7)\n```',
  '[TOOL_CALLS]read_note{"id": 7}',
  '[TOOL_CALLS] [{"name": "read_note", "arguments": {"id": 7}}]',
  '<function=read_note>\n<parameter=id>\n7\n</parameter>\n</function>',
  '<invoke name="read_note"><parameter name="id">7</parameter></invoke>',
  '<|tool_call_start|>[read_note(id=7)]<|tool_call_end|>',
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_note<｜tool▁sep｜>{"id": 7}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  'Action: read_note\nAction Input: {"id": 7}',
  'read_note(id=7)',
  'read_note{"id": 7}',
  'read_note[ARGS]{"id": 7}',
  'functions.read_note({"id": 7})',
  '>>>read_note\n{"id": 7}',
  '<read_note><id>7</id></read_note>',
  '[read_note(id=7)]',
  '<think>Hm.</think>',
];

test.each(CALLS)('of a call nothing is shown, wherever the stream is split: %s', (call) => {
  const lead = 'I will read it.\n';
  const text = lead + call;
  const isThought = call.startsWith('<think>');
  expect(isThought || rescueToolCalls(text, { tools: TOOLS }).kind === 'calls').toBe(true);
  for (let first = 0; first <= text.length; first++) {
    const { shown, rest } = release([text.slice(0, first), text.slice(first)]);
    expect(lead.startsWith(shown.join(''))).toBe(true);
    expect(shown.join('') + rest).toBe(text);
  }
  expect(lead.startsWith(release(text.split('')).shown.join(''))).toBe(true);
});

test('whatever comes in whatever pieces, all of it comes out once and in order', () => {
  const token = fc.oneof(
    fc.constantFrom(
      '\n',
      '```',
      '<',
      '[',
      '{"',
      'read_note',
      '(',
      'Action:',
      '>>>',
      ' ',
      '<|',
      '"name": "read_note"',
    ),
    fc.string({ maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.array(token, { maxLength: 40 }), (pieces) => {
      const { shown, rest } = release(pieces);
      expect(shown.join('') + rest).toBe(pieces.join(''));
    }),
    { numRuns: 500 },
  );
});

test('where no tool is on offer everything passes at once', () => {
  const gate = createTextRelease([]);
  expect(gate.push('<tool_call>')).toBe('<tool_call>');
});
