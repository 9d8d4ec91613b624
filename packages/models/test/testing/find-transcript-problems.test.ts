import type { ModelMessage } from '@millforge/contracts';
import { findTranscriptProblems, type TranscriptMessage } from '@millforge/models/testing';
import { expect, test } from 'vitest';

const system = { role: 'system', content: 'Build it.' };
const user = { role: 'user', content: 'Mend the test.' };
const called = (...ids: readonly string[]): TranscriptMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, name: 'read', arguments: '{}' })),
});
const result = (tool_call_id: string, name = 'read') => ({
  role: 'tool',
  tool_call_id,
  name,
  content: 'ok',
});

const problemsOf = (...messages: readonly TranscriptMessage[]) =>
  findTranscriptProblems(messages).map(({ index, problem, callId }) =>
    callId === null ? `${index} ${problem}` : `${index} ${problem} ${callId}`,
  );

test('finds nothing wrong with calls that are answered in order', () => {
  const messages: readonly ModelMessage[] = [
    { role: 'system', content: 'Build it.' },
    { role: 'user', content: 'Mend the test.' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'a', name: 'read', arguments: '{}' }] },
    { role: 'tool', tool_call_id: 'a', name: 'read', content: 'ok' },
    { role: 'assistant', content: 'Done.' },
    { role: 'user', content: 'Thanks.' },
  ];
  expect(findTranscriptProblems(messages)).toEqual([]);
});

test('reads calls as they stand on the wire', () => {
  const wire = {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } }],
  };
  expect(problemsOf(system, user, wire, result('a'))).toEqual([]);
});

test.each([
  ['a call without a result at the end', [user, called('a')], ['1 call-unanswered a']],
  [
    'a call without a result before somebody speaks',
    [user, called('a', 'b'), result('a'), { role: 'user', content: 'Go on.' }],
    ['3 call-unanswered b'],
  ],
  ['a result without a call', [user, result('a')], ['1 result-without-call a']],
  [
    'a call that is answered twice',
    [user, called('a'), result('a'), result('a')],
    ['3 result-without-call a'],
  ],
  [
    'results in another order',
    [user, called('a', 'b'), result('b'), result('a')],
    ['2 result-out-of-order b'],
  ],
  [
    'a result under the name of another tool',
    [user, called('a'), result('a', 'write')],
    ['2 result-names-other-tool a'],
  ],
  [
    'an id that was used before',
    [user, called('a'), result('a'), called('a'), result('a')],
    ['3 repeated-call-id a'],
  ],
  [
    'arguments that are no object',
    [
      user,
      { role: 'assistant', tool_calls: [{ id: 'a', name: 'read', arguments: '[1]' }] },
      result('a'),
    ],
    ['1 arguments-not-object a'],
  ],
  [
    'a call without a name',
    [user, { role: 'assistant', content: 'x', tool_calls: [{ id: 'a', arguments: '{}' }] }],
    ['1 invalid-call'],
  ],
  ['a system message in the middle', [user, system], ['1 system-not-first']],
  ['two users in a row', [user, user], ['1 repeated-role']],
  ['an assistant who begins', [system, { role: 'assistant', content: 'x' }], ['1 user-not-first']],
  ['a message of nobody', [{ role: 'developer', content: 'x' }], ['0 unknown-role']],
  ['an empty message', [user, { role: 'assistant', content: ' ' }], ['1 empty-message']],
])('finds %s', (_, messages, expected) => {
  expect(problemsOf(...messages)).toEqual(expected);
});
