import type { ModelMessage, ModelReply } from '@millforge/contracts';
import {
  defaultPolicy,
  type GuardTool,
  initialGuardState,
  inspectReply,
  toGuardTool,
} from '@millforge/guard';
import {
  exampleArguments,
  respondTool,
  toolInstructions,
  toPromptMessages,
} from '@millforge/guard/messages';
import { expect, test } from 'vitest';

const WRITE = toGuardTool({
  name: 'write',
  description: 'Writes a file.',
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      path: { type: 'string', description: 'Where to.' },
      mode: { type: 'string', enum: ['new', 'append'] },
      lines: { type: 'array', items: { type: 'integer' } },
    },
    required: ['path', 'mode'],
  },
});
const LIST = toGuardTool({ name: 'list', description: 'Lists files.' });

function reply(content: string, calls: ModelReply['tool_calls'] = []): ModelReply {
  return {
    content,
    reasoning: null,
    tool_calls: calls,
    finish_reason: 'stop',
    usage: null,
    provider_model: null,
  };
}

test('the tools stand in the system message, with one example that is right', () => {
  expect(toolInstructions([WRITE, LIST])).toMatchInlineSnapshot(`
    "# Tools

    ## write
    Writes a file.
    - \`lines\` (array of integer, optional)
    - \`mode\` ("new" | "append", required)
    - \`path\` (string, required): Where to.

    ## list
    Lists files.
    It takes no arguments.

    # How to call a tool

    Reply with only one JSON object that has the keys "tool" and "args", and nothing before or behind it. For example:

    {"tool":"write","args":{"mode":"new","path":"text"}}"
  `);
});

test('calls become the text that is asked for, and results user messages', () => {
  const messages: ModelMessage[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Go.' },
    {
      role: 'assistant',
      content: 'Now.',
      tool_calls: [
        { id: 'a', name: 'list', arguments: '' },
        { id: 'b', name: 'write', arguments: '{"path":' },
      ],
    },
    { role: 'tool', tool_call_id: 'a', name: 'list', content: 'a.md' },
  ];
  const [system, ...rest] = toPromptMessages(messages, [LIST]);
  expect(system?.content).toMatch(/^Be brief\.\n\n# Tools\n\n## list/);
  expect(rest).toEqual([
    { role: 'user', content: 'Go.' },
    {
      role: 'assistant',
      content: 'Now.\n{"tool":"list","args":{}}\n{"tool":"write","args":"{\\"path\\":"}',
    },
    { role: 'user', content: 'Result of list:\na.md' },
  ]);
  expect(toPromptMessages(messages, [])).toBe(messages);
  expect(toPromptMessages([], [LIST])).toMatchObject([{ role: 'system' }]);
});

test('a reply in the asked form is a call, also with a little text around it', () => {
  const options = {
    tools: [WRITE, LIST],
    policy: { ...defaultPolicy, textCalls: true },
    state: initialGuardState,
  };
  const text = 'Here you are:\n{"tool": "write", "args": {"path": "a", "mode": "new"}}\nDone!';
  expect(inspectReply(reply(text), options).decision).toMatchObject({
    kind: 'calls',
    calls: [{ name: 'write', arguments: { path: 'a', mode: 'new' }, rescued: 'json' }],
  });
  const wrong = inspectReply(reply('{"tool": "write", "args": {"path": "a"}}'), options).decision;
  expect(wrong).toMatchObject({ kind: 're-ask', reason: 'failed-call' });
  expect(wrong.kind === 're-ask' && wrong.message).toContain('{"tool": name, "args": object}');
});

test('an example matches its schema, or there is none', () => {
  expect(exampleArguments(WRITE.parameters)).toEqual({ path: 'text', mode: 'new' });
  const pattern = {
    type: 'object',
    properties: { id: { type: 'string', pattern: '^[A-Z]{3}$' } },
    required: ['id'],
    additionalProperties: false,
  };
  expect(exampleArguments(toGuardTool({ name: 'x', schema: pattern }).parameters)).toBeNull();
  expect(exampleArguments(null)).toBeNull();
});

const TALKING: readonly GuardTool[] = [respondTool, LIST];
const policy = { ...defaultPolicy, respond: 'respond' };
const respond = { id: 'r', name: 'respond', arguments: '{"message":"Hello."}' };

test('a call that only talks is the answer', () => {
  const { decision } = inspectReply(reply('', [respond]), {
    tools: TALKING,
    policy,
    state: initialGuardState,
  });
  expect(decision).toMatchObject({ kind: 'text', text: 'Hello.', reason: 'answer' });
});

test('beside real calls, talk is dropped', () => {
  const calls = [respond, { id: 'l', name: 'list', arguments: '{}' }];
  const { decision } = inspectReply(reply('', calls), {
    tools: TALKING,
    policy,
    state: initialGuardState,
  });
  expect(decision).toMatchObject({
    kind: 'calls',
    calls: [{ kind: 'accepted', name: 'list', index: 1 }],
  });
  expect(decision.kind === 'calls' && decision.calls).toHaveLength(1);
});

test('a tool is judged by schemas of other libraries, or not at all', () => {
  const open = toGuardTool({
    name: 'a',
    schema: { type: 'object', properties: { id: { type: 'integer' } } },
  });
  expect(open).toMatchObject({
    isOpen: true,
    parameters: { properties: { id: { type: 'integer' } } },
  });
  const recursive = { type: 'object', properties: { child: { $ref: '#' } } };
  expect(toGuardTool({ name: 'b', schema: recursive }).parameters).toBeNull();
  expect(() => toGuardTool({ name: '' })).toThrow(
    expect.objectContaining({ code: 'guard/tool-name' }),
  );
});
