import type { JsonSchema, ModelTool } from '@millforge/contracts';
import { rescueToolCalls } from '@millforge/guard/rescue';
import { expect, test } from 'vitest';

const TOOLS: readonly ModelTool[] = [
  tool('read_note', { id: { type: 'integer' }, raw: { type: 'boolean' } }, ['id']),
  tool('read-note-2', { id: { type: 'integer' } }, ['id']),
  tool('notes.read', { id: { type: 'integer' } }, ['id']),
  tool('write', { path: { type: 'string' }, text: { type: 'string' } }, ['text']),
  tool('list_notes', {}, []),
];

function tool(
  name: string,
  properties: { readonly [name: string]: JsonSchema },
  required: readonly string[],
): ModelTool {
  const parameters = { type: 'object', additionalProperties: false, properties, required } as const;
  return { name, description: name, parameters };
}

function rescued(text: string, isCut = false): readonly string[] | string {
  const found = rescueToolCalls(text, { tools: TOOLS, isCut });
  if (found.kind !== 'calls') return found.kind;
  return found.calls.map((call) => `${call.name} ${JSON.stringify(call.arguments)}`);
}

const SEVEN = ['read_note {"id":7}'];
const BOTH = ['read_note {"id":7}', 'read_note {"id":8}'];

test.each([
  ['tool and args', '{"tool": "read_note", "args": {"id": 7}}'],
  ['name and arguments', '{"name": "read_note", "arguments": {"id": 7}}'],
  [
    'a fence behind a lead-in',
    'I will open the note.\n```json\n{"name": "read_note", "arguments": {"id": 7}}\n```',
  ],
  ['a fence alone', '```\n{"name": "read_note", "arguments": {"id": 7}}\n```\n'],
  ['Hermes', '<tool_call>\n{"name": "read_note", "arguments": {"id": 7}}\n</tool_call>'],
  ['Hermes without its end', '<tool_call>\n{"name": "read_note", "arguments": {"id": 7}}\n'],
  ['Mistral with a list', '[TOOL_CALLS] [{"name": "read_note", "arguments": {"id": 7}}]'],
  ['a rehearsal', 'read_note[ARGS]{"id": 7}'],
  [
    'Qwen-Coder',
    '<tool_call>\n<function=read_note>\n<parameter=id>\n7\n</parameter>\n</function>\n</tool_call>',
  ],
  [
    'Qwen-Coder without its frame',
    '<function=read_note>\n<parameter=id>\n7\n</parameter>\n</function>',
  ],
  ['Qwen-Coder with an open parameter', '<function=read_note><parameter=id>7</function>'],
  ['Mistral with a name', '[TOOL_CALLS]read_note{"id": 7}'],
  ['Mistral with a name on its line', '[TOOL_CALLS]read_note\n{"id": 7}'],
  ['the nested shape', '{"function": {"name": "read_note", "arguments": {"id": 7}}}'],
  [
    'the envelope',
    '{"tool_calls": [{"id": "a", "type": "function", "function": {"name": "read_note", "arguments": "{\\"id\\": 7}"}}]}',
  ],
  ['tool_name and tool_input', '{"tool_name": "read_note", "tool_input": {"id": 7}}'],
  ['action and action_input', '{"action": "read_note", "action_input": {"id": 7}}'],
  ['parameters', '{"name": "read_note", "parameters": {"id": 7}}'],
  ['a trailing comma', '{"name": "read_note", "arguments": {"id": 7,}}'],
  ['a last brace missing', '{"name": "read_note", "arguments": {"id": 7}'],
  ['Mistral with an id', '[TOOL_CALLS]read_note[CALL_ID]a1b2c3d4e[ARGS]{"id": 7}'],
  ['Python in brackets', '[read_note(id=7)]'],
  ['Python alone', 'read_note(id=7)'],
  ['Liquid', '<|tool_call_start|>[read_note(id=7)]<|tool_call_end|>'],
  ['Functionary', '>>>read_note\n{"id": 7}'],
  ['Functionary with a tag', '<function=read_note>{"id": 7}</function>'],
  ['GLM', '<tool_call>read_note\n<arg_key>id</arg_key>\n<arg_value>7</arg_value>\n</tool_call>'],
  [
    'Kimi',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.read_note:0<|tool_call_argument_begin|>{"id": 7}<|tool_call_end|><|tool_calls_section_end|>',
  ],
  [
    'DeepSeek',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_note\n```json\n{"id": 7}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  [
    'DeepSeek without the fence',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_note<｜tool▁sep｜>{"id": 7}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  ['Gemma', '```tool_code\nread_note(id=7)\n```'],
  ['Gemma with tokens', '<|tool_call>call:read_note{id:7}<tool_call|>'],
  ['FunctionGemma', '<start_function_call>call:read_note{id:7}<end_function_call>'],
  [
    'gpt-oss',
    '<|channel|>commentary to=functions.read_note <|constrain|>json<|message|>{"id": 7}<|call|>',
  ],
  [
    'gpt-oss from the start',
    '<|start|>assistant<|channel|>commentary to=functions.read_note json<|message|>{"id": 7}<|call|>',
  ],
  ['Anthropic', '<invoke name="read_note"><parameter name="id">7</parameter></invoke>'],
  [
    'Anthropic in its frame',
    '<function_calls>\n<invoke name="read_note">\n<parameter name="id">7</parameter>\n</invoke>\n</function_calls>',
  ],
  [
    'a prefix of the tags',
    '<｜DSML｜invoke name="read_note"><｜DSML｜parameter name="id" string="false">7</｜DSML｜parameter></｜DSML｜invoke>',
  ],
  ['a tag of the tool', '<read_note>\n<id>7</id>\n</read_note>'],
  ['ReAct', 'Thought: I need it.\nAction: read_note\nAction Input: {"id": 7}'],
  ['a name and JSON', 'read_note{"id": 7}'],
  ['a name and JSON in parentheses', 'read_note({"id": 7})'],
  ['another case', '{"name": "Read_Note", "arguments": {"id": 7}}'],
  ['a prefix', '{"name": "functions.read_note", "arguments": {"id": 7}}'],
  ['Llama', '<|python_tag|>{"name": "read_note", "parameters": {"id": 7}}'],
  ['Granite', '<|tool_call|>[{"name": "read_note", "arguments": {"id": 7}}]'],
  ['numbers as text', '{"name": "read_note", "arguments": {"id": "7"}}'],
  [
    'a token at the end',
    '<tool_call>{"name": "read_note", "arguments": {"id": 7}}</tool_call><|im_end|>',
  ],
  [
    'a skeleton before it',
    '<tool_call>{"name": "read_note", "arguments": {}}</tool_call>\n<tool_call>{"name": "read_note", "arguments": {"id": 7}}</tool_call>',
  ],
])('recovers a call written with %s', (_name, text) => {
  expect(rescued(text)).toEqual(SEVEN);
});

test.each([
  [
    'a list',
    '[{"name": "read_note", "arguments": {"id": 7}}, {"name": "read_note", "arguments": {"id": 8}}]',
  ],
  [
    'two frames',
    '<tool_call>{"name": "read_note", "arguments": {"id": 7}}</tool_call>\n<tool_call>{"name": "read_note", "arguments": {"id": 8}}</tool_call>',
  ],
  [
    'two frames without ends',
    '<tool_call>{"name": "read_note", "arguments": {"id": 7}}\n<tool_call>{"name": "read_note", "arguments": {"id": 8}}',
  ],
  ['two rehearsals', 'read_note[ARGS]{"id": 7} read_note[ARGS]{"id": 8}'],
  ['two names behind a mark', '[TOOL_CALLS]read_note{"id": 7}[TOOL_CALLS]read_note{"id": 8}'],
  ['Python in brackets', '[read_note(id=7), read_note(id=8)]'],
  [
    'Llama with a semicolon',
    '<|python_tag|>{"name": "read_note", "parameters": {"id": 7}}; {"name": "read_note", "parameters": {"id": 8}}',
  ],
  [
    'two lines of JSON',
    '{"name": "read_note", "arguments": {"id": 7}}\n{"name": "read_note", "arguments": {"id": 8}}',
  ],
])('recovers several calls written as %s', (_name, text) => {
  expect(rescued(text)).toEqual(BOTH);
});

test.each([
  [
    'single quotes and words of Python',
    "{'name': 'read_note', 'arguments': {'id': 7, 'raw': True}}",
    'read_note {"id":7,"raw":true}',
  ],
  [
    'a brace inside a string',
    '{"name": "write", "arguments": {"text": "if (x) {"}}',
    'write {"text":"if (x) {"}',
  ],
  [
    'a raw line break inside a string',
    '{"name": "write", "arguments": {"text": "a\nb"}}',
    'write {"text":"a\\nb"}',
  ],
  ['a hyphen in the name', '[TOOL_CALLS]read-note-2{"id": 7}', 'read-note-2 {"id":7}'],
  ['a dot in the name', '[TOOL_CALLS]notes.read{"id": 7}', 'notes.read {"id":7}'],
  ['a hyphen in a rehearsed name', 'read-note-2[ARGS]{"id": 7}', 'read-note-2 {"id":7}'],
  ['a dot in a rehearsed name', 'notes.read[ARGS]{"id": 7}', 'notes.read {"id":7}'],
  [
    'a call without arguments',
    '<tool_call>{"name": "list_notes", "arguments": {}}</tool_call>',
    'list_notes {}',
  ],
  [
    'text for Gemma',
    '<|tool_call>call:write{text:<|"|>say "hi"<|"|>}<tool_call|>',
    'write {"text":"say \\"hi\\""}',
  ],
  [
    'fences inside a string',
    '```json\n{"name": "write", "arguments": {"text": "```js\\ncode\\n```"}}\n```',
    'write {"text":"```js\\ncode\\n```"}',
  ],
  [
    'fences on lines of their own inside a string',
    '```json\n{"name": "write", "arguments": {"text": "a\n```\nb"}}\n```',
    'write {"text":"a\\n```\\nb"}',
  ],
  [
    'a call inside a parameter',
    '<function=write>\n<parameter=text>\n{"name": "read_note", "arguments": {"id": 7}}\n</parameter>\n</function>',
    'write {"text":"{\\"name\\": \\"read_note\\", \\"arguments\\": {\\"id\\": 7}}"}',
  ],
  [
    'a frame inside a string',
    '{"name": "write", "arguments": {"text": "<tool_call>{}</tool_call>"}}',
    'write {"text":"<tool_call>{}</tool_call>"}',
  ],
])('reads %s as it was meant', (_name, text, call) => {
  expect(rescued(text)).toEqual([call]);
});

test('keeps what was said before the calls, and nothing behind an invented observation', () => {
  const lead = 'Let me look.\n';
  const call = '<tool_call>{"name": "read_note", "arguments": {"id": 7}}</tool_call>';
  expect(rescueToolCalls(lead + call, { tools: TOOLS })).toMatchObject({ content: 'Let me look.' });
  const react =
    'Action: read_note\nAction Input: {"id": 7}\nObservation: it is empty\nAction: read_note\nAction Input: {"id": 8}';
  expect(rescued(react)).toEqual(SEVEN);
});

test('reports what was mended', () => {
  expect(
    rescueToolCalls('{"name": "read_note", "arguments": {"ID": "7"}}', { tools: TOOLS }),
  ).toEqual({
    kind: 'calls',
    content: null,
    calls: [
      {
        name: 'read_note',
        arguments: { id: 7 },
        format: 'json',
        repairs: [
          { path: '$.id', kind: 'key-renamed' },
          { path: '$.id', kind: 'number-from-text' },
        ],
      },
    ],
  });
});

test('takes text around a call only where calls as text were asked for', () => {
  const text = 'Sure!\n```json\n{"tool": "read_note", "args": {"id": 7}}\n```\nI hope it helps.';
  expect(rescueToolCalls(text, { tools: TOOLS }).kind).toBe('failed');
  expect(rescueToolCalls(text, { tools: TOOLS, isExpected: true })).toMatchObject({
    kind: 'calls',
    calls: [{ name: 'read_note', arguments: { id: 7 } }],
  });
});

const written = (id: number) => `{"name": "read_note", "arguments": {"id": ${id}}}`;
const upTo = (count: number) => Array.from({ length: count }, (_, id) => id);

test.each<[string, (ids: readonly number[]) => string]>([
  ['a list', (ids) => `[${ids.map(written).join(', ')}]`],
  ['tags', (ids) => ids.map((id) => `<tool_call>${written(id)}</tool_call>`).join('\n')],
  ['lines of Mistral', (ids) => ids.map((id) => `[TOOL_CALLS]read_note{"id":${id}}`).join('')],
  ['Python', (ids) => `[${ids.map((id) => `read_note(id=${id})`).join(', ')}]`],
])('recovers dozens of calls written as %s, every one or none', (_name, write) => {
  expect(rescued(write(upTo(40)))).toEqual(upTo(40).map((id) => `read_note {"id":${id}}`));
  expect(rescued(write([...upTo(40), 0.5]))).toBe('failed');
  const many = rescued(write(upTo(400)));
  expect(many === 'failed' || many.length === 400).toBe(true);
});
