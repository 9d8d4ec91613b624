import type { ModelMessage, ModelReply } from '@millforge/contracts';
import {
  defaultPolicy,
  type GuardTool,
  guardTurn,
  initialGuardState,
  inspectReply,
  toGuardTool,
} from '@millforge/guard';
import { mendHistory } from '@millforge/guard/messages';
import { chatReply, guardedChat } from '@millforge/guard/openai-chat';
import { repairArguments } from '@millforge/guard/repair';
import { rescueToolCalls, splitReasoning } from '@millforge/guard/rescue';
import { createStepGate } from '@millforge/guard/steps';
import { expect, test } from 'vitest';

const READ: GuardTool = toGuardTool({
  name: 'read_note',
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: { id: { type: 'integer' }, path: { type: 'string' } },
    required: ['id'],
  },
});
const LIST: GuardTool = toGuardTool({ name: 'list_notes' });
const TOOLS = [READ, LIST];

const EMPTY: ModelReply = {
  content: null,
  reasoning: null,
  tool_calls: [],
  finish_reason: 'stop',
  usage: null,
  provider_model: null,
};

function calling(args: string, name = 'read_note', id = 'a'): ModelReply {
  return { ...EMPTY, tool_calls: [{ id, name, arguments: args }] };
}

function inspect(reply: ModelReply) {
  return inspectReply(reply, { tools: TOOLS, policy: defaultPolicy, state: initialGuardState })
    .decision;
}

/** One turn with prepared replies, and every message that was put behind the conversation. */
async function turn(...replies: readonly ModelReply[]) {
  const told: (readonly ModelMessage[])[] = [];
  const left = [...replies];
  const outcome = await guardTurn(
    async (extra) => {
      told.push([...extra]);
      return left.shift() ?? { ...EMPTY, content: 'Done.' };
    },
    { tools: TOOLS },
  );
  return { outcome, told };
}

test.each(['[7]', '7', '"seven"', 'null'])(
  'arguments that are %s are answered on the tool channel (GE-01)',
  (args) => {
    expect(inspect(calling(args))).toMatchObject({
      kind: 'calls',
      calls: [{ kind: 'refused', reason: 'arguments-not-object' }],
    });
  },
);

test('empty arguments are an empty object only where nothing is required (GE-02)', () => {
  expect(inspect(calling('', 'list_notes'))).toMatchObject({
    calls: [{ kind: 'accepted', arguments: {} }],
  });
  expect(inspect(calling(''))).toMatchObject({
    calls: [{ kind: 'refused', reason: 'arguments-invalid' }],
  });
});

test('arguments that come as an object are taken (GE-03)', () => {
  const message = {
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'read_note', arguments: { id: 7 } } },
    ],
  };
  expect(inspect(chatReply({ choices: [{ message }] }))).toMatchObject({
    calls: [{ kind: 'accepted', arguments: { id: 7 } }],
  });
});

const GATE = createStepGate([
  {
    node_id: 'read',
    model_tool_name: 'read',
    required: false,
    terminal_result: null,
    prerequisites: [],
  },
  {
    node_id: 'edit',
    model_tool_name: 'edit',
    required: false,
    terminal_result: null,
    prerequisites: [
      {
        node_id: 'read',
        argument_matches: [{ prerequisite_argument: 'path', current_argument: 'path' }],
      },
    ],
  },
]);

test.each([null, 'text', 7, ['a'], undefined])(
  'a prerequisite is checked against arguments that are %s (GE-04)',
  (args) => {
    const [verdict] = GATE.check(GATE.initial, [{ nodeId: 'edit', arguments: args }]).calls;
    expect(verdict?.unmet).toHaveLength(1);
  },
);

test('malformed arguments in a history are mended, so that the conversation goes on (GE-05)', () => {
  const messages: ModelMessage[] = [
    { role: 'user', content: 'x' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', name: 'read_note', arguments: '{"id":' }],
    },
    { role: 'tool', tool_call_id: 'a', name: 'read_note', content: 'wrong' },
  ];
  const { messages: mended, mends } = mendHistory(messages);
  expect(mended[1]).toMatchObject({ tool_calls: [{ id: 'a', arguments: '{}' }] });
  expect(mends).toEqual([{ index: 1, kind: 'arguments-not-object' }]);
});

test('recorded successes keep their arguments (GE-06)', () => {
  const state = GATE.record(GATE.initial, 'read', { path: 'a' });
  const [same, other] = GATE.check(state, [
    { nodeId: 'edit', arguments: { path: 'a' } },
    { nodeId: 'edit', arguments: { path: 'b' } },
  ]).calls;
  expect([same?.unmet.length, other?.unmet.length]).toEqual([0, 1]);
});

test.each(['{"id": 7', 'id: 7', '{id}', 'undefined'])(
  'arguments %s never become an empty object (GE-07)',
  (args) => {
    expect(repairArguments(args, READ.parameters)).toMatchObject({ ok: false, problem: 'json' });
    expect(repairArguments(args, LIST.parameters)).toMatchObject({ ok: false, problem: 'json' });
  },
);

test('what is asked again quotes malformed arguments once, and shows none in the history (GE-08)', async () => {
  const { told } = await turn(calling('{"id": "7'), calling('{"id": 7}'));
  const [assistant, result] = told[1] ?? [];
  expect(assistant).toMatchObject({ tool_calls: [{ arguments: '{}' }] });
  expect(result?.content).toContain(String.raw`Received: "{\"id\": \"7"`);
});

test('a skeleton before the whole call is one call (GE-09)', () => {
  const text =
    '<tool_call>\n<function=read_note>\n</function>\n</tool_call>\n<tool_call>\n<function=read_note>\n<parameter=id>\n7\n</parameter>\n</function>\n</tool_call>';
  expect(rescueToolCalls(text, { tools: TOOLS })).toMatchObject({
    kind: 'calls',
    calls: [{ arguments: { id: 7 } }],
  });
});

test('a call that is written twice in tags is one, and two of a list are two (GE-09)', () => {
  const once = '<function=read_note>\n<parameter=id>\n7\n</parameter>\n</function>';
  const twice = `<tool_call>\n${once}\n</tool_call>\n<tool_call>\n${once}\n</tool_call>`;
  expect(rescueToolCalls(twice, { tools: TOOLS })).toMatchObject({
    kind: 'calls',
    calls: [{ name: 'read_note', arguments: { id: 7 } }],
  });
  const one = '{"name": "read_note", "arguments": {"id": 7}}';
  const listed = rescueToolCalls(`[${one}, ${one}]`, { tools: TOOLS });
  expect(listed.kind === 'calls' && listed.calls).toHaveLength(2);
});

test('an opening tag that was cut is no call, and is told (GE-10)', () => {
  expect(inspect({ ...EMPTY, content: 'Now:\n<tool_call>' })).toMatchObject({
    kind: 're-ask',
    reason: 'failed-call',
  });
});

test('a value in a tag is coerced by the schema, or stays and is told (GE-13)', () => {
  expect(rescueToolCalls(tagWith('7'), { tools: TOOLS })).toMatchObject({
    calls: [{ arguments: { id: 7 } }],
  });
  expect(rescueToolCalls(tagWith('seven'), { tools: TOOLS })).toMatchObject({
    kind: 'failed',
    message: '$.id must be integer',
  });
});

function tagWith(value: string): string {
  return `<function=read_note><parameter=id>${value}</parameter></function>`;
}

test('a tool that is not on offer in this request is never called from text (GE-14)', () => {
  const text = '{"name": "list_notes", "arguments": {}}';
  expect(rescueToolCalls(text, { tools: [READ] }).kind).toBe('none');
  expect(rescueToolCalls(text, { tools: [LIST] }).kind).toBe('calls');
});

test('a reply whose text is null is an empty one (GE-15)', () => {
  expect(inspect(chatReply({ choices: [{ message: { content: null } }] }))).toMatchObject({
    reason: 'empty',
  });
  expect(inspect(chatReply({ choices: [] }))).toMatchObject({ reason: 'empty' });
});

test.each(['reasoning', 'reasoning_content', 'reasoning_text'])(
  'thoughts are found under %s and in tags (GE-16)',
  (key) => {
    const { reasoning } = chatReply({ choices: [{ message: { content: 'Yes.', [key]: 'Hm.' } }] });
    expect(reasoning).toBe('Hm.');
    expect(splitReasoning('<think>Hm.</think>\n\nYes.')).toEqual({
      content: 'Yes.',
      reasoning: 'Hm.',
      isOpen: false,
    });
  },
);

test('text beside calls is kept as text, not taken for thoughts (GE-18)', () => {
  const decision = inspect({ ...calling('{"id":7}'), content: 'I will look.' });
  expect(decision).toMatchObject({ kind: 'calls', content: 'I will look.', reasoning: null });
});

test('thoughts stand in nothing that is sent back (GE-19)', async () => {
  const thinking = { content: '<think>secret plan</think>I see.', reasoning: 'secret plan' };
  const { told } = await turn(
    { ...calling('{"id":"x"}'), ...thinking },
    { ...calling('{"id":7}') },
  );
  expect(JSON.stringify(told)).not.toContain('secret plan');
  expect(told[1]?.[0]?.content).toBe('I see.');
  const asked = await turn(
    { ...EMPTY, content: '<think>secret plan</think>' },
    { ...EMPTY, content: 'Hi.' },
  );
  expect(asked.told[1]?.[0]).toEqual({ role: 'assistant', content: '(empty reply)' });
});

test('ids that the provider gave stay, only missing and repeated ones are made (GE-26)', async () => {
  const batch = ['Ab3dEf9hI', '', 'x', 'x'].map((id) => ({
    id,
    name: 'list_notes',
    arguments: '{}',
  }));
  const { outcome } = await turn({ ...EMPTY, tool_calls: batch });
  expect(outcome.calls.map((call) => call.id)).toEqual([
    'Ab3dEf9hI',
    'call_1_1',
    'call_1_2',
    'call_1_3',
  ]);
});

test('tokens belong to the turn that used them, questions included (GE-48)', async () => {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const [one, two] = await Promise.all([
    turn({ ...calling('{"id":"x"}'), usage }, { ...calling('{"id":7}'), usage }),
    turn({ ...EMPTY, content: 'Hello.', usage }),
  ]);
  expect(one.outcome.usage).toEqual({ input_tokens: 20, output_tokens: 10 });
  expect(two.outcome.usage).toEqual(usage);
});

test('no tools, and entries that are no functions, leave a reply alone (GE-52)', async () => {
  for (const tools of [[], [{ type: 'retrieval' }], undefined, null]) {
    const { message, turn: guarded } = await guardedChat(
      { messages: [], tools },
      { create: async () => OPEN_TAG },
    );
    expect(message.content).toBe('<tool_call>{"name"');
    expect(guarded.asked).toEqual([]);
  }
});

const OPEN_TAG = { choices: [{ message: { content: '<tool_call>{"name"' } }] };
