import type { ModelReply, ModelTool } from '@millforge/contracts';
import { type GuardPolicy, initialGuardState, inspectReply } from '@millforge/guard';
import { expect, test } from 'vitest';

const TOOLS: readonly ModelTool[] = [
  tool('list_files'),
  tool('read_file', 'path'),
  tool('write_file', 'path'),
  tool('submit'),
];

const POLICY: GuardPolicy = {
  mode: 'strict',
  budgets: {
    validation_retries: 3,
    tool_errors: 2,
    prerequisite_violations: 2,
    premature_terminals: 3,
  },
  terminals: ['submit'],
};

function tool(name: string, ...required: string[]): ModelTool {
  return {
    name,
    description: name,
    parameters: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(required.map((one) => [one, { type: 'string' as const }])),
      required,
    },
  };
}

function reply(more: Partial<ModelReply>): ModelReply {
  return {
    content: null,
    reasoning: null,
    tool_calls: [],
    finish_reason: 'stop',
    usage: null,
    provider_model: null,
    ...more,
  };
}

function calls(...pairs: readonly (readonly [string, string])[]): Partial<ModelReply> {
  return {
    tool_calls: pairs.map(([name, args], index) => ({ id: `x${index}`, name, arguments: args })),
  };
}

function inspect(more: Partial<ModelReply>, state = initialGuardState) {
  return inspectReply(reply(more), { tools: TOOLS, policy: POLICY, state });
}

test('accepts calls whose arguments match, whatever the finish reason says', () => {
  for (const finish_reason of ['stop', 'tool_calls', 'length', 'content_filter'] as const) {
    const { decision } = inspect({ ...calls(['read_file', '{"path":"a"}']), finish_reason });
    expect(decision).toEqual({
      kind: 'calls',
      calls: [
        { kind: 'accepted', name: 'read_file', arguments: { path: 'a' }, repairs: [], index: 0 },
      ],
      content: null,
      reasoning: null,
      leftOut: 0,
    });
  }
});

test('text beside calls does not spoil them', () => {
  const { decision } = inspect({ content: 'I will.', ...calls(['list_files', '{}']) });
  expect(decision.kind).toBe('calls');
});

test.each([
  ['text', { content: 'The work is done.' }],
  ['empty', { content: '  \n' }],
  ['empty', { content: null, reasoning: 'I should read the file.' }],
  ['cut', { content: 'First I will', finish_reason: 'length' }],
  ['cut', { content: null, reasoning: 'Let me', finish_reason: 'length' }],
] as const)('asks again after a reply that is %s', (reason, more) => {
  const { decision, state } = inspect(more);
  expect(decision).toMatchObject({ kind: 're-ask', reason });
  expect(state.consecutive.validation_retries).toBe(1);
});

test('words a re-ask more firmly each time, and names the terminals', () => {
  let state = initialGuardState;
  const messages = [1, 2, 3].map(() => {
    const inspected = inspect({ content: 'Done.' }, state);
    state = inspected.state;
    return inspected.decision.kind === 're-ask' ? inspected.decision.message : '';
  });
  expect(new Set(messages).size).toBe(3);
  expect(messages[0]).not.toContain('read_file');
  expect(messages[1]).toContain('list_files, read_file, write_file, submit');
  expect(messages[2]).toContain('MUST');
  for (const message of messages) expect(message).toContain('submit');
});

test('allows as many re-asks as the limit says, and no more', () => {
  let state = initialGuardState;
  const kinds = [1, 2, 3, 4].map(() => {
    const inspected = inspect({ content: 'Done.' }, state);
    state = inspected.state;
    return inspected.decision.kind;
  });
  expect(kinds).toEqual(['re-ask', 're-ask', 're-ask', 'exhausted']);
});

test('any accepted call forgives the replies without one', () => {
  const { state } = inspect({ content: 'Done.' });
  expect(inspect(calls(['list_files', '{}']), state).state.consecutive.validation_retries).toBe(0);
});

test('judges every call for itself', () => {
  const { decision } = inspect(
    calls(
      ['read_file', '{"path":"a"}'],
      ['reed_file', '{}'],
      ['read_file', '{}'],
      ['submit', '[]'],
    ),
  );
  expect(decision).toMatchObject({
    kind: 'calls',
    calls: [
      { kind: 'accepted' },
      { kind: 'refused', reason: 'unknown-tool' },
      { kind: 'refused', reason: 'arguments-invalid' },
      { kind: 'refused', reason: 'arguments-not-object' },
    ],
  });
});

test('lists all tools for an unknown name, the nearest first', () => {
  const { decision } = inspect(calls(['Rite-Files', '{}']));
  const [call] = decision.kind === 'calls' ? decision.calls : [];
  expect(call).toMatchObject({
    message: expect.stringContaining('write_file, list_files, read_file, submit'),
  });
});

test('charges unknown names to the replies without a call, and unusable arguments to nothing yet', () => {
  const unknown = inspect(calls(['nothing', '{}'])).state;
  expect(unknown.consecutive.validation_retries).toBe(1);
  const unusable = inspect(calls(['nothing', '{}'], ['submit', '[]']), unknown).state;
  expect(unusable.consecutive).toEqual(unknown.consecutive);
});

test('names path, expected type and received type of a schema violation', () => {
  const { decision } = inspect(calls(['read_file', '{"path":["a","b"]}']));
  const [call] = decision.kind === 'calls' ? decision.calls : [];
  expect(call).toMatchObject({
    message:
      '[invalid_arguments] read_file: $.path must be string (expected string, received array). Correct this argument and send the call again.',
  });
});

test('shows what was received when it is no object, cut to a readable length', () => {
  const { decision } = inspect(calls(['submit', `[${'1,'.repeat(5000)}1]`]));
  const [call] = decision.kind === 'calls' ? decision.calls : [];
  const message = call?.kind === 'refused' ? call.message : '';
  expect(message).toContain('[1,1,');
  expect(message.length).toBeLessThan(600);
});

test('tells a cut call from a wrong one only where the provider reports the limit', () => {
  const cut = calls(['list_files', '{}'], ['write_file', '{"path":"a']);
  expect(reasonOf({ ...cut, finish_reason: 'length' })).toBe('arguments-cut');
  expect(reasonOf({ ...cut, finish_reason: 'stop' })).toBe('arguments-not-object');
  expect(reasonOf({ ...calls(['write_file', '']), finish_reason: 'length' })).toBe('arguments-cut');
});

function reasonOf(more: Partial<ModelReply>) {
  const { decision } = inspect(more);
  const last = decision.kind === 'calls' ? decision.calls.at(-1) : undefined;
  return last?.kind === 'refused' ? last.reason : null;
}

test('leaves reply, tools and state as they were', () => {
  const given = reply(calls(['read_file', '{"path":null}']));
  const copy = structuredClone(given);
  const { state } = inspectReply(given, { tools: TOOLS, policy: POLICY, state: initialGuardState });
  expect(given).toEqual(copy);
  expect(initialGuardState.replies).toBe(0);
  expect(state.replies).toBe(1);
  expect(Object.isFrozen(state)).toBe(true);
});
