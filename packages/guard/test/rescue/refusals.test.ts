import type { ModelTool } from '@millforge/contracts';
import { rescueToolCalls } from '@millforge/guard/rescue';
import { expect, test } from 'vitest';

const TOOLS: readonly ModelTool[] = [
  tool('bash', { command: { type: 'string' } }, ['command']),
  tool('read', { path: { type: 'string' } }, ['path']),
  tool('write', { path: { type: 'string' }, content: { type: 'string' } }, ['path', 'content']),
];

function tool(
  name: string,
  properties: { readonly [name: string]: { readonly type: 'string' } },
  required: readonly string[],
): ModelTool {
  const parameters = { type: 'object', additionalProperties: false, properties, required } as const;
  return { name, description: name, parameters };
}

function rescue(text: string, isCut = false) {
  return rescueToolCalls(text, { tools: TOOLS, isCut });
}

function callsOf(text: string): readonly unknown[] {
  const found = rescue(text);
  return found.kind === 'calls'
    ? found.calls.map((call) => [call.name, call.arguments])
    : [found.kind];
}

test('takes arguments under the key parameters, never none (GR-01, GR-02)', () => {
  const call = '{"name": "bash", "parameters": {"command": "ls"}}';
  expect(callsOf(call)).toEqual([['bash', { command: 'ls' }]]);
  expect(callsOf(`<|python_tag|>${call}`)).toEqual([['bash', { command: 'ls' }]]);
});

test('takes the JSON body of a function tag as its arguments (GR-03)', () => {
  expect(callsOf('<function=read>{"path": "a"}</function>')).toEqual([['read', { path: 'a' }]]);
});

test('never edits inside a string (GR-04)', () => {
  const content = 'before\n```ts\nconst a = 1;\n```\nafter';
  const args = { path: 'a.md', content };
  const json = JSON.stringify({ name: 'write', arguments: args });
  expect(callsOf(json)).toEqual([['write', args]]);
  expect(callsOf(`\`\`\`json\n${json}\n\`\`\``)).toEqual([['write', args]]);
});

test('takes the outermost call, not one inside its arguments (GR-05)', () => {
  const content =
    'Say {"name": "read", "arguments": {"path": "a"}}\n{"name": "read", "arguments": {"path": "b"}}';
  const text = `<function=write>\n<parameter=path>\na.md\n</parameter>\n<parameter=content>\n${content}\n</parameter>\n</function>`;
  expect(callsOf(text)).toEqual([['write', { path: 'a.md', content }]]);
  // Where the outer one cannot be read, the inner one is not taken for it.
  expect(callsOf(text.replace('</function>', '<oops>'))).toEqual(['failed']);
  expect(
    callsOf(`{"name": "write" "arguments":\n{"name": "read", "arguments": {"path": "b"}}`),
  ).toEqual(['failed']);
});

test.each([
  ['For example you could send {"name": "bash", "arguments": {"command": "ls"}}.'],
  ['For example, you could send this:\n{"name": "bash", "arguments": {"command": "ls"}}'],
  ['A call looks like this:\n```json\n{"name": "bash", "arguments": {"command": "ls"}}\n```'],
  ['The format is\n<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>'],
  ['Never send `<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>`.'],
  ['Zum Beispiel:\n<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>'],
  ['Par exemple :\n<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>'],
  ['Por ejemplo:\n<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>'],
  ['例如：\n<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>'],
  [
    'The page contains this:\n<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>',
  ],
  [
    'Sure, here is the request body:\n```json\n{"name": "bash", "arguments": {"command": "ls"}}\n```',
  ],
  ['In Python one writes\n```python\nbash(command="ls")\n```'],
])('takes no call that is shown or quoted: %s (GR-06)', (text) => {
  expect(rescue(text).kind).toBe('none');
});

test.each([
  ['{"name": "bash", "version": "5.2"}'],
  ['{"name": "bash"}'],
  ['[{"name": "bash", "version": "5.2"}, {"name": "read", "version": "1"}]'],
  ['{"name": "bash", "arguments": {"command": "ls"}, "licence": "GPL"}'],
])('takes no record that merely has a name: %s (GR-07)', (text) => {
  expect(rescue(text).kind).toBe('none');
});

test('reads arguments in a text, and refuses null, lists and numbers (GR-08)', () => {
  expect(callsOf(readWith('{"path": "a"}'))).toEqual([['read', { path: 'a' }]]);
  for (const args of [null, ['a'], 7, 'a', '["a"]']) {
    expect(rescue(readWith(args))).toMatchObject({
      kind: 'failed',
      problem: 'arguments',
      tool: 'read',
    });
  }
});

test('a brace in a string, numbers in tags and arguments in a text come out as they were meant (D-18)', () => {
  const count = {
    path: { type: 'string' },
    lines: { type: 'integer' },
    all: { type: 'boolean' },
  } as const;
  const tools: readonly ModelTool[] = [
    ...TOOLS,
    {
      name: 'count',
      description: 'Counts.',
      parameters: {
        type: 'object',
        additionalProperties: false,
        properties: count,
        required: ['path'],
      },
    },
  ];
  const calls = (text: string) => {
    const found = rescueToolCalls(text, { tools });
    return found.kind === 'calls' ? found.calls.map((call) => call.arguments) : found.kind;
  };
  expect(calls('{"name": "count", "arguments": {"path": "if (x) {"}}')).toEqual([
    { path: 'if (x) {' },
  ]);
  const tags =
    '<function=count><parameter=path>7</parameter><parameter=lines>7</parameter><parameter=all>true</parameter></function>';
  expect(calls(tags)).toEqual([{ path: '7', lines: 7, all: true }]);
  const text = JSON.stringify({ name: 'count', arguments: '{"path": "a", "lines": 7}' });
  expect(calls(text)).toEqual([{ path: 'a', lines: 7 }]);
});

function readWith(args: unknown): string {
  return JSON.stringify({ name: 'read', arguments: args });
}

test('takes an empty text for nothing (GR-09)', () => {
  expect(rescue('').kind).toBe('none');
  expect(rescue(' \n ').kind).toBe('none');
});

test.each([
  [
    'prose in front',
    'The answer to your question is long and has many parts. It begins with the history of the shell, goes on with its grammar, and ends with a comparison of five shells that are in use today, of which I like the third one best of all.\n{"name": "bash", "arguments": {"command": "ls"}}',
  ],
  [
    'prose behind',
    '{"name": "bash", "arguments": {"command": "ls"}}\nThat would list the files of the folder.',
  ],
  [
    'two calls with prose between',
    '<tool_call>{"name": "read", "arguments": {"path": "a"}}</tool_call>\nThen\n<tool_call>{"name": "read", "arguments": {"path": "b"}}</tool_call>',
  ],
  [
    'a call in a fence and prose behind',
    '```json\n{"name": "bash", "arguments": {"command": "ls"}}\n```\nShall I?',
  ],
  [
    'a lead that says nothing of acting',
    'First, the body of the request:\n```json\n{"name": "bash", "arguments": {"command": "ls"}}\n```',
  ],
  ['a call in a sentence', 'I will {"name": "bash", "arguments": {"command": "ls"}} now'],
])('takes no call that is not what the text is about: %s', (_name, text) => {
  expect(rescue(text).kind).not.toBe('calls');
});

test.each([
  [
    'a tool that is not on offer',
    '<tool_call>{"name": "delete", "arguments": {}}</tool_call>',
    'unknown-tool',
  ],
  [
    'a required value that is missing',
    '<tool_call>{"name": "read", "arguments": {}}</tool_call>',
    'arguments',
  ],
  ['a value of the wrong type', '{"name": "read", "arguments": {"path": ["a"]}}', 'arguments'],
  [
    'an unknown property',
    '{"name": "read", "arguments": {"path": "a", "recursive": true}}',
    'arguments',
  ],
  [
    'a key that stands twice',
    '{"name": "read", "arguments": {"path": "a", "path": "b"}}',
    'syntax',
  ],
  [
    'a parameter that stands twice',
    '<function=read><parameter=path>a</parameter><parameter=path>b</parameter></function>',
    'syntax',
  ],
  [
    'text between parameters',
    '<function=read><parameter=path>a</parameter> and </function>',
    'syntax',
  ],
  ['an apostrophe that ends a string', "{'name': 'read', 'arguments': {'path': 'it's'}}", 'syntax'],
  [
    'one of two calls that is wrong',
    '[{"name": "read", "arguments": {"path": "a"}}, {"name": "read", "arguments": {}}]',
    'arguments',
  ],
])('refuses %s and says so', (_name, text, problem) => {
  expect(rescue(text)).toMatchObject({ kind: 'failed', isCertain: true, problem });
});

test.each([
  ['a string', '{"name": "write", "arguments": {"path": "a", "content": "half'],
  ['two brackets', '{"name": "write", "arguments": {"path": "a", "content": "whole"'],
  ['a number', '{"name": "read", "arguments": {"path": "a", "line": 7'],
  ['a parameter', '<function=write><parameter=path>a</parameter><parameter=content>half'],
  ['an argument', '<tool_call>write<arg_key>path</arg_key><arg_value>a'],
  ['an opening tag', 'Let me see.\n<tool_call>'],
  ['a delimiter', '<|tool_call>call:write{path:<|"|>a'],
])('completes no call that was cut inside %s', (_name, text) => {
  expect(rescue(text)).toMatchObject({ kind: 'failed', problem: 'cut' });
});

test('adds a missing bracket only where the reply was not cut', () => {
  const text = '{"name": "read", "arguments": {"path": "a"}';
  expect(rescue(text).kind).toBe('calls');
  expect(rescue(text, true)).toMatchObject({ kind: 'failed', problem: 'cut' });
  const frame = '<tool_call>{"name": "read", "arguments": {"path": "a"}}';
  expect(rescue(frame).kind).toBe('calls');
  expect(rescue(frame, true)).toMatchObject({ kind: 'failed', problem: 'cut' });
});

test.each([
  ['<read_file><path>a</path></read_file>'],
  ['<search><query>a</query></search>'],
  ['<div><p>text</p></div>'],
])('leaves tags alone that are no tool on offer: %s', (text) => {
  expect(rescue(text).kind).toBe('none');
});

test.each([
  ['Hermes models wrap their calls in <tool_call> tags.'],
  ['- [ ] first\n- [x] second'],
  ['[read](https://example.com) the page'],
  ['{ curly } words [and] brackets (too)'],
  ['bash (the shell) is old.'],
  ['<bash>\nls -la\n</bash>'],
  ['Action: review\nAction Input: the draft contract'],
  ['bash(1) is a shell.'],
  ['```sh\nbash -c "ls"\n```'],
  ['```js\nread({"path": "a"})\n```'],
  ['function read(path) {\n  return path;\n}'],
  ['```json\n{"name": "left-pad", "version": "1.0.0"}\n```'],
])('takes ordinary text for what it is: %s', (text) => {
  expect(rescue(text).kind).toBe('none');
});

test('calls no tool where none is on offer', () => {
  const text = '{"name": "read", "arguments": {"path": "a"}}';
  expect(rescueToolCalls(text, { tools: [] }).kind).toBe('none');
});

test('nesting of any depth neither overflows nor takes long', () => {
  const deep = `{"name": "read", "arguments": {"path": ${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
  expect(rescue(deep).kind).toBe('failed');
  expect(rescue(`<tool_call>${'{"a":'.repeat(100_000)}`).kind).toBe('failed');
  expect(rescue('{"a":\n'.repeat(100_000)).kind).toBe('none');
});
