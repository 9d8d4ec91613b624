import type { ModelMessage, ModelReply } from '@millforge/contracts';
import {
  defaultPolicy,
  type GuardPolicy,
  guardTurn,
  type ToolChoice,
  toGuardTool,
} from '@millforge/guard';
import { expect, test } from 'vitest';

const TOOLS = [
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

const EMPTY: ModelReply = {
  content: null,
  reasoning: null,
  tool_calls: [],
  finish_reason: 'stop',
  usage: null,
  provider_model: null,
};

function calling(...args: readonly string[]): ModelReply {
  const tool_calls = args.map((one, index) => ({
    id: `c${index}`,
    name: 'read_note',
    arguments: one,
  }));
  return { ...EMPTY, tool_calls };
}

function say(content: string): ModelReply {
  return { ...EMPTY, content };
}

async function turn(replies: readonly ModelReply[], policy?: GuardPolicy, toolChoice?: ToolChoice) {
  const asked: { readonly extra: readonly ModelMessage[]; readonly choice: ToolChoice }[] = [];
  const left = [...replies];
  const outcome = await guardTurn(
    async (extra, choice) => {
      asked.push({ extra: [...extra], choice });
      return left.shift() ?? say('Nothing is left.');
    },
    {
      tools: TOOLS,
      ...(policy === undefined ? {} : { policy }),
      ...(toolChoice === undefined ? {} : { toolChoice }),
    },
  );
  return { outcome, asked };
}

test('arguments that are right stay as they were written, to the space', async () => {
  const { outcome } = await turn([calling('{ "id" : 7 }')]);
  expect(outcome.calls).toEqual([
    { id: 'c0', name: 'read_note', arguments: '{ "id" : 7 }', isChecked: true },
  ]);
});

test('as many questions are asked as the budget says, and one reply more is received', async () => {
  for (const limit of [0, 1, 2, 3]) {
    const budgets = { ...defaultPolicy.budgets, validation_retries: limit, tool_errors: limit };
    const policy = { ...defaultPolicy, budgets };
    const empty = await turn(
      Array.from({ length: 9 }, () => EMPTY),
      policy,
    );
    expect(empty.asked).toHaveLength(limit + 1);
    const wrong = await turn(
      Array.from({ length: 9 }, () => calling('{"id":"x"}')),
      policy,
    );
    expect(wrong.asked).toHaveLength(limit + 1);
    expect(wrong.outcome.calls).toEqual([
      { id: 'c0', name: 'read_note', arguments: '{"id":"x"}', isChecked: false },
    ]);
    expect(wrong.outcome.failure).toBe('arguments-invalid');
  }
});

test('every question goes behind the ones before, which stay as they are', async () => {
  const { asked } = await turn([say(''), calling('{}'), calling('{"id":7}')]);
  expect(asked.map(({ extra }) => extra.map((message) => message.role))).toEqual([
    [],
    ['assistant', 'user'],
    ['assistant', 'user', 'assistant', 'tool'],
  ]);
  expect(asked[2]?.extra.slice(0, 2)).toEqual(asked[1]?.extra);
});

test('a second question about arguments brings the schema and an example', async () => {
  const { asked } = await turn([calling('{}'), calling('{"id":[]}'), calling('{"id":7}')]);
  expect(asked[1]?.extra.at(-1)?.content).not.toContain('for example');
  expect(asked[2]?.extra.at(-1)?.content).toContain('for example: {"id":1}');
});

test('the choice is narrowed only at last, and only to what the model chose', async () => {
  const budgets = { ...defaultPolicy.budgets, validation_retries: 3 };
  const failed = say('<tool_call>{"name": "read_note", "arguments": {}}</tool_call>');
  const { asked } = await turn([failed, failed, failed, failed], { ...defaultPolicy, budgets });
  expect(asked.map(({ choice }) => choice)).toEqual([
    'auto',
    'auto',
    'auto',
    { name: 'read_note' },
  ]);
  const empty = await turn([EMPTY, EMPTY, EMPTY, EMPTY], { ...defaultPolicy, budgets });
  expect(empty.asked.map(({ choice }) => choice)).toEqual(times(4, 'auto'));
});

function times<T>(count: number, item: T): readonly T[] {
  return Array.from({ length: count }, () => item);
}

test('a strict turn that stays text fails as text', async () => {
  const policy: GuardPolicy = { ...defaultPolicy, mode: 'strict' };
  const { outcome, asked } = await turn(times(9, say('Done.')), policy);
  expect(asked).toHaveLength(3);
  expect(outcome).toMatchObject({ calls: [], content: 'Done.', failure: 'text' });
});

test('ten thousand calls of unknown tools cost one bounded correction', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `a_tool_with_a_long_name_${index}`);
  const told: (readonly ModelMessage[])[] = [];
  const tool_calls = Array.from({ length: 10_000 }, (_, index) => ({
    id: `c${index}`,
    name: `unknown_function_${index}`,
    arguments: '{}',
  }));
  await guardTurn(
    async (extra) => {
      told.push([...extra]);
      return told.length === 1 ? { ...EMPTY, tool_calls } : say('Sorry.');
    },
    { tools: names.map((name) => ({ name, description: '', parameters: null })) },
  );
  expect(told[1]).toHaveLength(65);
  // The whole list of names stands in one of the results only.
  expect(JSON.stringify(told[1]).length).toBeLessThan(30_000);
});

test('calls beyond the limit stand nowhere, those before are performed', async () => {
  const many = calling(...Array.from({ length: 100 }, (_, id) => `{"id":${id}}`));
  expect((await turn([many])).outcome.calls).toHaveLength(64);
  expect((await turn([many], { ...defaultPolicy, maxCalls: 3 })).outcome.calls).toHaveLength(3);
});

test('equal calls are performed once where the caller says so', async () => {
  const twice = calling('{"id":7}', '{"id": 7}', '{"id":8}');
  expect((await turn([twice])).outcome.calls).toHaveLength(3);
  const policy = { ...defaultPolicy, collapseDuplicates: ['read_note'] };
  const { outcome, asked } = await turn([twice], policy);
  expect(outcome.calls.map((call) => call.arguments)).toEqual(['{"id":7}', '{"id":8}']);
  expect(asked).toHaveLength(1);
});

test('a call at the very end of a thought is taken when it bears a mark, and was not only weighed', async () => {
  const call = '<tool_call>{"name": "read_note", "arguments": {"id": 7}}</tool_call>';
  const taken = { ...EMPTY, reasoning: `I need the note.\n${call}` };
  expect((await turn([taken])).outcome.calls).toMatchObject([{ arguments: '{"id":7}' }]);
  expect((await turn([say(`<think>I need it.\n${call}`)])).outcome.calls).toHaveLength(1);
  for (const reasoning of [
    'read_note[ARGS]{"id": 7}',
    `I should not call ${call}`,
    `First ${call}, and then I would say hello.`,
  ]) {
    const { asked } = await turn([{ ...EMPTY, reasoning }, say('Hello.')]);
    expect(asked).toHaveLength(2);
  }
});
