import type { ModelMessage, ModelReply } from '@millforge/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { withServer } from '../exchange.ts';
import { completionOf, replyTo } from './answering.ts';

const call = (value: object) => ({ tool_calls: [value] });
const read = (value: object) => call({ id: 'a', function: { name: 'read', ...value } });

test.each<[string, object, Partial<ModelReply>]>([
  ['white space beside calls', { content: ' \n', ...read({ arguments: '{}' }) }, { content: null }],
  ['an empty message', {}, { content: null, tool_calls: [] }],
  ['null content', { content: null }, { content: null }],
  ['content that is no text', { content: 7 }, { content: null }],
  ['text with space around it', { content: ' x ' }, { content: ' x ' }],
  [
    'content in parts',
    { content: [{ type: 'text', text: 'a' }, { type: 'image_url' }, 'b', null] },
    { content: 'ab' },
  ],
  [
    'reasoning in content parts',
    {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
        { type: 'text', text: 'a' },
      ],
    },
    { content: 'a', reasoning: 'hm' },
  ],
  ['a refusal', { content: null, refusal: 'I will not.' }, { content: 'I will not.' }],
  ['reasoning_content', { content: 'a', reasoning_content: 'hm' }, { reasoning: 'hm' }],
  ['reasoning', { content: 'a', reasoning: 'hm' }, { reasoning: 'hm' }],
  ['reasoning_text', { content: 'a', reasoning_text: 'hm' }, { reasoning: 'hm' }],
  ['blank reasoning', { content: 'a', reasoning: ' ' }, { reasoning: null }],
  ['reasoning that is no text', { content: 'a', reasoning: { a: 1 } }, { reasoning: null }],
  ['half a surrogate pair', { content: 'a\ud83d' }, { content: 'a\ufffd' }],
])('takes %s (D-05)', async (_what, message, expected) => {
  expect(await replyTo(message)).toMatchObject({ kind: 'reply', reply: expected });
});

test.each<[string, object, object]>([
  ['exact text', read({ arguments: '{ "b":1,  "a":2 }' }), { arguments: '{ "b":1,  "a":2 }' }],
  ['text that is no JSON', read({ arguments: '{"a":' }), { arguments: '{"a":' }],
  ['empty text', read({ arguments: '' }), { arguments: '{}' }],
  ['blank text', read({ arguments: ' \n' }), { arguments: '{}' }],
  ['null', read({ arguments: null }), { arguments: '{}' }],
  ['nothing', read({}), { arguments: '{}' }],
  ['an object', read({ arguments: { b: 'ä', a: [1] } }), { arguments: '{"b":"ä","a":[1]}' }],
  ['a list', read({ arguments: [1] }), { arguments: '[1]' }],
  ['a number', read({ arguments: 5 }), { arguments: '5' }],
  [
    'a call without "function"',
    call({ id: 'a', name: 'read', arguments: '{"a":1}' }),
    { name: 'read', arguments: '{"a":1}' },
  ],
  ['a call without a name', call({ id: 'a', function: {} }), { name: '' }],
  ['one call outside a list', { tool_calls: { function: { name: 'read' } } }, { name: 'read' }],
  [
    'the older function_call',
    { function_call: { name: 'read', arguments: '{"a":1}' } },
    { id: 'call00001', name: 'read', arguments: '{"a":1}' },
  ],
])('takes arguments and calls given as %s (D-05)', async (_what, message, expected) => {
  const completion = await replyTo(message);
  expect(completion).toMatchObject({
    reply: { tool_calls: [expected], finish_reason: 'tool_calls' },
  });
});

test('keeps numbers exact in arguments that come as an object', async () => {
  const body =
    '{"choices":[{"message":{"tool_calls":[{"function":{"name":"pay","arguments":{"id":12345678901234567890,"amount":1.0,"__proto__":{"x":1}}}}]}}]}';
  expect(await completionOf(body)).toMatchObject({
    reply: {
      tool_calls: [{ arguments: '{"id":12345678901234567890,"amount":1.0,"__proto__":{"x":1}}' }],
    },
  });
});

test('mends halves of surrogate pairs and leaves pairs and backslashes alone', async () => {
  const content = String.raw`"\\ud83d \ud83d\ude00 \ud83d. \ude00\ud83d\\"`;
  expect(await completionOf(`{"choices":[{"message":{"content":${content}}}]}`)).toMatchObject({
    reply: { content: '\\ud83d \u{1f600} \ufffd. \ufffd\ufffd\\' },
  });
});

test.each<[unknown, boolean, ModelReply['finish_reason']]>([
  ['stop', false, 'stop'],
  ['stop', true, 'tool_calls'],
  ['tool_calls', false, 'stop'],
  ['function_call', true, 'tool_calls'],
  ['length', false, 'length'],
  ['length', true, 'length'],
  ['content_filter', false, 'content_filter'],
  ['eos', false, 'unknown'],
  [undefined, true, 'tool_calls'],
  [null, false, 'unknown'],
])('derives the finish reason of %s with calls: %s (D-05)', async (reason, hasCalls, expected) => {
  const message = hasCalls ? read({ arguments: '{}' }) : { content: 'x' };
  expect(await replyTo(message, { finish_reason: reason })).toMatchObject({
    reply: { finish_reason: expected },
  });
});

test.each<[string, object | null, ModelReply['usage']]>([
  [
    'a total that includes reasoning',
    { prompt_tokens: 10, completion_tokens: 5, total_tokens: 40 },
    { input_tokens: 10, output_tokens: 5 },
  ],
  ['other names', { input_tokens: 1, output_tokens: 2 }, { input_tokens: 1, output_tokens: 2 }],
  ['one number', { prompt_tokens: 3 }, { input_tokens: 3, output_tokens: 0 }],
  ['no numbers', { prompt_tokens: '3', completion_tokens: -1 }, null],
  ['null', null, null],
])('reports usage with %s (D-05)', async (_what, usage, expected) => {
  const body = { choices: [{ message: { content: 'x' } }], usage };
  expect(await completionOf(JSON.stringify(body))).toMatchObject({ reply: { usage: expected } });
});

test('takes the first of several choices (D-05)', async () => {
  const choices = [{ message: { content: 'one' } }, { message: { content: 'two' } }];
  const completion = await completionOf(JSON.stringify({ choices }));
  expect(completion).toMatchObject({ reply: { content: 'one' } });
});

test('reports the name that the server gives its model (D-05)', async () => {
  const replies = [
    { content: 'x', fault: { kind: 'model-alias', model: 'small-2026-01-01' } as const },
  ];
  await withServer({ server: { replies } }, async ({ ask }) => {
    expect(await ask()).toMatchObject({ reply: { provider_model: 'small-2026-01-01' } });
  });
});

test('passes on arguments that are cut, for the guard to judge', async () => {
  const replies = [
    {
      tool_calls: [{ name: 'read', arguments: { path: 'a' } }],
      fault: { kind: 'malformed-arguments' } as const,
    },
  ];
  await withServer({ server: { replies } }, async ({ ask }) => {
    expect(await ask()).toMatchObject({ reply: { tool_calls: [{ arguments: '{"path":"a"' }] } });
  });
});

test.each<['missing' | 'same' | 'restarted' | 'numbers', readonly string[]]>([
  ['missing', ['call00003', 'call00004']],
  ['same', ['call', 'call00003']],
  ['restarted', ['call00003', 'call00004']],
  ['numbers', ['call00003', 'call00004']],
])('makes call ids unique in the conversation when they are %s (D-06)', async (ids, expected) => {
  const calls = [
    { name: 'read', arguments: {} },
    { name: 'read', arguments: {} },
  ];
  const conversation: readonly ModelMessage[] = [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_0', name: 'read', arguments: '{}' },
        { id: 'call_1', name: 'read', arguments: '{}' },
      ],
    },
  ];
  const replies = [
    { content: '' },
    { tool_calls: calls, fault: { kind: 'call-ids', ids } as const },
  ];
  await withServer({ server: { replies } }, async ({ ask }) => {
    const completion = await ask(conversation);
    if (completion.kind !== 'reply') throw new Error(completion.message);
    expect(completion.reply.tool_calls.map(({ id }) => id)).toEqual(expected);
  });
});

test('never throws, whatever JSON comes as a body', async () => {
  const fields = fc.oneof(
    fc
      .constantFrom(
        'choices message content tool_calls function name arguments id type text usage error code',
        'prompt_tokens reasoning function_call finish_reason model detail __proto__ constructor',
      )
      .chain((names) => fc.constantFrom(...names.split(' '))),
    fc.string(),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 7, withCrossShrink: true },
      fc.oneof(fc.constant(null), fc.boolean(), fc.double(), fc.string({ unit: 'binary' })),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fields, tie('tree'), { maxKeys: 5 }),
    ),
  }));
  const body = fc.oneof(
    tree.map((value) => JSON.stringify(value)),
    tree.map((message) => JSON.stringify({ choices: [{ message }] })),
    tree.map((item) => JSON.stringify({ choices: [{ message: { tool_calls: [item, item] } }] })),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(body, async (text) => {
      const completion = await completionOf(text);
      if (completion.kind === 'failed') {
        expect(completion.message.length).toBeLessThanOrEqual(512);
        return;
      }
      const { tool_calls, content } = completion.reply;
      expect(new Set(tool_calls.map(({ id }) => id)).size).toBe(tool_calls.length);
      expect(content === null || content.trim() !== '').toBe(true);
      expect(JSON.stringify(completion)).not.toMatch(/\\ud[89a-f]/);
    }),
    { numRuns: 500 },
  );
});

test('survives the deepest nesting that fits a reply', async () => {
  const deep = '['.repeat(900_000) + ']'.repeat(900_000);
  const inArguments = `{"choices":[{"message":{"tool_calls":[{"function":{"arguments":${deep}}}]}}]}`;
  for (const body of [deep, `{"choices":${deep}}`, inArguments]) {
    expect(await completionOf(body)).toMatchObject({ category: 'malformed_response' });
  }
  const lone = `{"a":"\\ud83d","choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":${deep}}}]}}]}`;
  expect(await completionOf(lone)).toMatchObject({ category: 'malformed_response' });
});
