import type { ModelReply } from '@millforge/contracts';
import {
  defaultPolicy,
  type GuardPolicy,
  type GuardTool,
  initialGuardState,
  inspectReply,
} from '@millforge/guard';
import { expect, test } from 'vitest';

const TOOLS: readonly GuardTool[] = [
  {
    name: 'read_file',
    description: 'Reads a file.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      properties: { path: { type: 'string' }, line: { type: 'integer' } },
      required: ['path'],
    },
  },
  {
    name: 'submit',
    description: 'Ends.',
    parameters: { type: 'object', additionalProperties: false, properties: {}, required: [] },
  },
];

type Mode = GuardPolicy['mode'];
type Said = Partial<ModelReply>;

function policyOf(mode: Mode): GuardPolicy {
  return { ...defaultPolicy, mode };
}

/** What is decided for the same reply given over and over, and what the calls became, until it ends. */
function decisions(mode: Mode, said: Said, times: number): readonly string[] {
  let state = initialGuardState;
  return Array.from({ length: times }, () => {
    const reply: ModelReply = { ...EMPTY, ...said };
    const inspected = inspectReply(reply, { tools: TOOLS, policy: policyOf(mode), state });
    state = inspected.state;
    const { decision } = inspected;
    if (decision.kind === 'calls') {
      // What a loop charges for a batch in which nothing was right.
      if (decision.calls.every((one) => one.kind === 'refused' && one.reason !== 'unknown-tool')) {
        const tool_errors = state.consecutive.tool_errors + 1;
        state = { ...state, consecutive: { ...state.consecutive, tool_errors } };
      }
      return decision.calls.map((one) => one.kind).join();
    }
    if (decision.kind === 'text') return `${decision.reason}: ${decision.text}`;
    return decision.kind === 're-ask' ? `re-ask ${decision.reason}` : decision.kind;
  });
}

const EMPTY: ModelReply = {
  content: null,
  reasoning: null,
  tool_calls: [],
  finish_reason: 'stop',
  usage: null,
  provider_model: null,
};

function call(name: string, args: string): Said {
  return { tool_calls: [{ id: 'a', name, arguments: args }], finish_reason: 'tool_calls' };
}

const PASSED = ['passed', 'passed', 'passed', 'passed'];

test.each<readonly [string, Said, readonly string[], readonly string[], readonly string[]]>([
  ['valid calls', call('read_file', '{"path":"a"}'), ['accepted'], ['accepted'], ['passed']],
  [
    'calls that can be coerced',
    call('read_file', '{"path":"a","line":"7"}'),
    ['accepted'],
    ['accepted'],
    ['passed'],
  ],
  [
    'calls that break the schema',
    call('read_file', '{"path":7}'),
    ['refused', 'refused', 'refused', 'refused'],
    ['refused', 'refused', 'passed', 'passed'],
    PASSED,
  ],
  [
    'a name that snaps',
    call('functions.readFile', '{"path":"a"}'),
    ['accepted'],
    ['accepted'],
    ['passed'],
  ],
  [
    'an unknown name',
    call('open', '{}'),
    ['refused', 'refused', 'exhausted', 'exhausted'],
    ['refused', 'refused', 'passed', 'refused'],
    PASSED,
  ],
  [
    'arguments that are no object',
    call('read_file', '[7]'),
    ['refused', 'refused', 'refused', 'refused'],
    [
      'refused',
      'refused',
      'gave-up: The model called read_file with arguments that could not be read, also after being told.',
      'refused',
    ],
    PASSED,
  ],
  [
    'text with a call that can be taken',
    { content: '{"name": "read_file", "arguments": {"path": "a"}}' },
    ['accepted'],
    ['accepted'],
    ['unjudged: {"name": "read_file", "arguments": {"path": "a"}}'],
  ],
  [
    'text with a failed call',
    { content: '<tool_call>{"name": "read_file", "arguments": {}}</tool_call>' },
    ['re-ask failed-call', 're-ask failed-call', 'exhausted'],
    [
      're-ask failed-call',
      're-ask failed-call',
      'gave-up: <tool_call>{"name": "read_file", "arguments": {}}</tool_call>',
    ],
    ['unjudged: <tool_call>{"name": "read_file", "arguments": {}}</tool_call>'],
  ],
  [
    'nothing',
    { content: ' ' },
    ['re-ask empty', 're-ask empty', 'exhausted'],
    ['re-ask empty', 're-ask empty', 'gave-up: null'],
    ['unjudged:  '],
  ],
  [
    'only thoughts',
    { content: '<think>I should read it.</think>' },
    ['re-ask empty', 're-ask empty', 'exhausted'],
    ['re-ask empty', 're-ask empty', 'gave-up: null'],
    ['unjudged: <think>I should read it.</think>'],
  ],
  [
    'an announcement',
    { content: 'I will now read the file.' },
    ['re-ask text', 're-ask text', 'exhausted'],
    ['re-ask announcement', 'answer: I will now read the file.'],
    ['unjudged: I will now read the file.'],
  ],
  [
    'ordinary text',
    { content: 'Paris is the capital.' },
    ['re-ask text', 're-ask text', 'exhausted'],
    ['answer: Paris is the capital.'],
    ['unjudged: Paris is the capital.'],
  ],
  [
    'a call that was cut',
    { ...call('read_file', '{"path":"a'), finish_reason: 'length' },
    ['refused', 'refused', 'refused'],
    [
      'refused',
      'gave-up: The model called read_file with arguments that could not be read, also after being told.',
    ],
    ['passed'],
  ],
  [
    'a call in text that was cut',
    {
      content: '<tool_call>{"name": "read_file", "arguments": {"path": "a',
      finish_reason: 'length',
    },
    ['re-ask cut', 're-ask cut', 'exhausted'],
    ['re-ask cut', 'gave-up: <tool_call>{"name": "read_file", "arguments": {"path": "a'],
    ['unjudged: <tool_call>{"name": "read_file", "arguments": {"path": "a'],
  ],
])('%s: strict, auto and off each do what the table says', (...row) => {
  const [, said, strict, auto, off] = row;
  expect(decisions('strict', said, strict.length)).toEqual(strict);
  expect(decisions('auto', said, auto.length)).toEqual(auto);
  expect(decisions('off', said, off.length)).toEqual(off);
});

test.each(['strict', 'auto', 'off'] as const)(
  'without tools, or where none may be called, %s lets text pass',
  (mode) => {
    const reply = { ...EMPTY, content: 'Paris.' };
    const given = { policy: policyOf(mode), state: initialGuardState };
    for (const options of [
      { ...given, tools: [] },
      { ...given, tools: TOOLS, toolChoice: 'none' as const },
    ]) {
      expect(inspectReply(reply, options).decision).toMatchObject({
        kind: 'text',
        text: 'Paris.',
        reason: 'unjudged',
      });
    }
  },
);

test('a call where no tool was on offer is passed on, unless there is text', () => {
  const given = { tools: [], policy: defaultPolicy, state: initialGuardState };
  const phantom = { ...EMPTY, ...call('read_file', '{}') };
  expect(inspectReply(phantom, given).decision).toMatchObject({
    kind: 'calls',
    calls: [{ kind: 'passed' }],
  });
  const beside = { ...phantom, content: 'Hello.' };
  expect(inspectReply(beside, given).decision).toMatchObject({ kind: 'text', text: 'Hello.' });
});

test.each(['required', { name: 'submit' }] as const)(
  'where a call is demanded, auto asks again after text (%s)',
  (toolChoice) => {
    const options = { tools: TOOLS, policy: defaultPolicy, state: initialGuardState, toolChoice };
    expect(inspectReply({ ...EMPTY, content: 'Paris.' }, options).decision).toMatchObject({
      kind: 're-ask',
      reason: 'text',
    });
  },
);

test('of what was asked in vain, the first text is given back', () => {
  let state = initialGuardState;
  const texts = ['<tool_call>{"name": "read_file"}</tool_call>', '', ''];
  const last = texts.map((content) => {
    const inspected = inspectReply(
      { ...EMPTY, content },
      { tools: TOOLS, policy: defaultPolicy, state },
    );
    state = inspected.state;
    return inspected.decision;
  });
  expect(last.at(-1)).toMatchObject({
    kind: 'text',
    reason: 'gave-up',
    failure: 'empty',
    text: texts[0],
  });
  expect(state.asked).toBeNull();
});
