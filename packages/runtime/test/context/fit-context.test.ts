import type { ModelMessage } from '@millforge/contracts';
import { findTranscriptProblems } from '@millforge/models/testing';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ContextLimits } from '../../src/context/fit-context.ts';
import { createConversation } from '../../src/conversation.ts';

const HEAD: readonly ModelMessage[] = [
  { role: 'system', content: 'Build it.' },
  { role: 'user', content: 'Mend the test.' },
];

/** A turn in short: the lengths of its results, or text that was re-asked, or words of a person. */
type Turn =
  | { readonly results: readonly string[]; readonly args?: string }
  | { readonly text: string }
  | { readonly said: string };

function conversationOf(turns: readonly Turn[]) {
  const conversation = createConversation();
  for (const message of HEAD) conversation.add({ ...message });
  turns.forEach((turn, number) => append(conversation, turn, number));
  return conversation;
}

function append(conversation: ReturnType<typeof createConversation>, turn: Turn, number: number) {
  if ('said' in turn) return conversation.say(turn.said);
  if ('text' in turn) {
    conversation.add({ role: 'assistant', content: turn.text });
    conversation.add({ role: 'user', content: 'Call a tool.' });
    return;
  }
  const calls = turn.results.map((_, index) => ({
    id: `call_${number}_${index}`,
    name: 'read',
    arguments: turn.args ?? `{"path":"src/${number}.ts"}`,
  }));
  conversation.add({ role: 'assistant', content: null, tool_calls: calls });
  turn.results.forEach((content, index) => {
    conversation.add({
      role: 'tool',
      tool_call_id: `call_${number}_${index}`,
      name: 'read',
      content,
    });
  });
}

function limitsOf(budget: number, changes: Partial<ContextLimits> = {}): ContextLimits {
  const thresholds = [budget * 0.5, budget * 0.7, budget * 0.9] as const;
  return { budget, thresholds, keepRecent: 2, tools: 0, ...changes };
}

const long = (marker: string) => `${marker} ${'x'.repeat(3990)}`;
const LONG_TURNS: readonly Turn[] = ['a', 'b', 'c', 'd', 'e', 'f'].map((one) => ({
  results: [long(one)],
}));

const toolTexts = (messages: readonly ModelMessage[]) =>
  messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));

test('leaves a conversation below the first threshold as it is', () => {
  const conversation = conversationOf(LONG_TURNS);
  const before = conversation.messages;
  expect(conversation.compact(limitsOf(100_000))).toBeNull();
  expect(conversation.messages).toBe(before);
});

test('cuts results to 200 characters on the first rung, and leaves the latest turns', () => {
  const conversation = conversationOf(LONG_TURNS);
  expect(conversation.compact(limitsOf(10_000))).toMatchObject({ rung: 1, summarisedTurns: 0 });
  const texts = toolTexts(conversation.messages);
  expect(texts.slice(0, 4).map((text) => text.split('\n')[0]?.length)).toEqual([
    200, 200, 200, 200,
  ]);
  expect(texts[0]).toContain('[cut: 3792 of 3992 characters removed]');
  expect(texts.slice(4)).toEqual([long('e'), long('f')]);
});

test('replaces results by one line on the second rung; every call keeps its result (D-03)', () => {
  const conversation = conversationOf(LONG_TURNS);
  conversation.compact(limitsOf(3200, { thresholds: [100, 200, 3100] }));
  expect(toolTexts(conversation.messages).slice(0, 4)).toEqual(
    Array.from({ length: 4 }, () => '[result removed: 3992 characters]'),
  );
  expect(findTranscriptProblems(conversation.messages)).toEqual([]);
});

test('replaces whole turns by a line for each call on the third rung, their nudges with them', () => {
  const turns: readonly Turn[] = [
    { results: [long('a'), '[not_found] There is no b.'] },
    { text: 'I will look now.' },
    ...LONG_TURNS.slice(3),
  ];
  const conversation = conversationOf(turns);
  const done = conversation.compact(limitsOf(2600, { thresholds: [100, 200, 300] }));
  expect(done).toMatchObject({ rung: 3, summarisedTurns: 3 });
  expect(conversation.messages.slice(2, 4)).toEqual([
    {
      role: 'assistant',
      content: [
        '[Summary of 3 earlier replies, removed to save space]',
        '- read(path="src/0.ts"): done',
        '- read(path="src/0.ts"): not_found',
        '- read(path="src/2.ts"): done',
        'Values that were used: src/0.ts, src/2.ts',
      ].join('\n'),
    },
    { role: 'user', content: 'Go on from there.' },
  ]);
  expect(JSON.stringify(conversation.messages)).not.toContain('Call a tool.');
});

test('repeats in a cut result what later calls used of it', () => {
  const turns: readonly Turn[] = [
    { results: [`${'x'.repeat(900)} order ENT-4728 of 0010 ${'y'.repeat(900)}`] },
    { results: ['ok'], args: '{"order":"ENT-4728"}' },
    ...LONG_TURNS.slice(0, 2),
  ];
  const conversation = conversationOf(turns);
  conversation.compact(limitsOf(5000, { thresholds: [100, 5000, 5000] }));
  expect(toolTexts(conversation.messages)[0]).toContain('; it named ENT-4728]');
  conversation.compact(limitsOf(2400, { thresholds: [100, 200, 300] }));
  expect(conversation.messages[2]?.content).toContain('Values that were used: ENT-4728');
});

test('keeps what a person said when its turn is summarised', () => {
  const conversation = conversationOf([
    { results: [long('a')] },
    { said: 'Leave the docs alone.' },
    ...LONG_TURNS.slice(0, 2),
  ]);
  conversation.compact(limitsOf(2400, { thresholds: [100, 200, 300] }));
  expect(conversation.messages[3]).toEqual({ role: 'user', content: 'Leave the docs alone.' });
});

test('protects the latest turn alone when no recent turn is to be kept (D-03)', () => {
  const conversation = conversationOf(LONG_TURNS);
  conversation.compact(limitsOf(3000, { thresholds: [100, 3000, 3000], keepRecent: 0 }));
  const texts = toolTexts(conversation.messages);
  expect(texts.filter((text) => text.includes('[cut:'))).toHaveLength(5);
  expect(texts[5]).toBe(long('f'));
});

test('squeezes the last results when nothing else is left, beginning and end of each', () => {
  const conversation = conversationOf([{ results: [`BEGIN ${'x'.repeat(40_000)} END`, 'short'] }]);
  expect(conversation.compact(limitsOf(500))).toMatchObject({ rung: 4 });
  expect(conversation.tokens).toBeLessThanOrEqual(500);
  const [first, second] = toolTexts(conversation.messages);
  expect(first).toMatch(
    /^BEGIN x+\n\[cut: \d+ of 40010 characters removed from the middle\]\nx+ END$/,
  );
  expect(second).toBe('short');
});

test('cuts arguments that take the whole context, and leaves them an object', () => {
  const args = `{"x":"${'y'.repeat(40_000)}"}`;
  const conversation = conversationOf([{ results: ['[invalid_arguments] No.'], args }]);
  expect(conversation.compact(limitsOf(500))).toMatchObject({ rung: 4 });
  expect(conversation.messages[2]).toMatchObject({
    tool_calls: [{ arguments: '{"arguments_removed":"40008 characters"}' }],
  });
  expect(findTranscriptProblems(conversation.messages)).toEqual([]);
});

test.each([
  ['the schemas of the tools', [{ results: ['ok'] }], { tools: 900 }],
  ['a message to the run', [{ results: ['ok'] }, { said: 'z'.repeat(4000) }], {}],
] as const)('names %s when that cannot fit', (item, turns, changes) => {
  const conversation = conversationOf(turns);
  expect(conversation.compact(limitsOf(500, changes))).toMatchObject({ item });
});

const turnArbitrary: fc.Arbitrary<Turn> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ results: fc.array(textArbitrary(), { minLength: 1, maxLength: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ text: fc.constantFrom('Done.', 'I will look now.') }) },
  { weight: 1, arbitrary: fc.record({ said: fc.constantFrom('Stop that.', 'Go left.') }) },
);

function textArbitrary(): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom('x', 'ä', '語', '😀', 'src/1.ts '), fc.integer({ min: 0, max: 3000 }))
    .map(([unit, count]) => unit.repeat(count));
}

test('however it is shortened, a conversation stays valid, keeps its first messages, fits, and is shortened once', () => {
  fc.assert(
    fc.property(
      fc.array(turnArbitrary, { maxLength: 20 }),
      fc.record({
        budget: fc.integer({ min: 20, max: 20_000 }),
        keepRecent: fc.integer({ min: 0, max: 6 }),
        tools: fc.integer({ min: 0, max: 200 }),
      }),
      (turns, { budget, ...changes }) => {
        const conversation = createConversation();
        for (const message of HEAD) conversation.add({ ...message });
        const limits = limitsOf(budget, changes);
        for (const [number, turn] of turns.entries()) {
          append(conversation, turn, number);
          const done = conversation.compact(limits);
          if (done !== null && 'item' in done) return;
          expect(findTranscriptProblems(conversation.messages)).toEqual([]);
          expect(conversation.messages[0]).toEqual(HEAD[0]);
          expect(conversation.messages[1]?.content?.startsWith('Mend the test.')).toBe(true);
          expect(conversation.tokens + changes.tools).toBeLessThanOrEqual(budget);
          const before = conversation.messages;
          expect(conversation.compact(limits)).toBeNull();
          expect(conversation.messages).toBe(before);
        }
      },
    ),
    { numRuns: Number(process.env['MILLFORGE_PROPERTY_RUNS'] ?? 150) },
  );
});

const IMAGE = { media_type: 'image/png', sha256: '0'.repeat(64), data: 'AAAA' } as const;

function withImages(turns: number) {
  const conversation = conversationOf([]);
  for (let turn = 0; turn < turns; turn += 1) {
    const id = `call_${turn}_0`;
    conversation.add({
      role: 'assistant',
      content: null,
      tool_calls: [{ id, name: 'read', arguments: '{}' }],
    });
    const content = `image ${turn}`;
    conversation.add({ role: 'tool', tool_call_id: id, name: 'read', content, images: [IMAGE] });
  }
  return conversation;
}

const shown = (messages: readonly ModelMessage[]) =>
  messages.flatMap((message) =>
    message.role === 'tool' ? [[message.content, message.images?.length ?? 0]] : [],
  );

test('cuts between characters, at the beginning, at the end and in arguments', () => {
  for (const lead of ['', 'x', 'xx', 'xxx']) {
    const content = `${lead}${'😀'.repeat(2000)}`;
    const args = JSON.stringify({ path: content });
    const turns = [
      { results: [content], args },
      ...LONG_TURNS,
      { results: [content, content], args },
    ];
    for (const budget of [20_000, 6000, 3000, 1200]) {
      const conversation = conversationOf(turns);
      conversation.compact(limitsOf(budget));
      expect(JSON.stringify(conversation.messages)).not.toMatch(/\\ud[89a-f]/i);
    }
  }
});

test('counts an image, and takes the earlier images away before it cuts any text', () => {
  const conversation = withImages(4);
  expect(conversation.tokens).toBeGreaterThan(4 * 1200);
  const done = conversation.compact(limitsOf(6000, { keepRecent: 2 }));
  expect(done).toMatchObject({ rung: 1 });
  expect(conversation.tokens).toBeLessThan(2700);
  expect(shown(conversation.messages)).toEqual([
    ['image 0\n[image removed]', 0],
    ['image 1\n[image removed]', 0],
    ['image 2', 1],
    ['image 3', 1],
  ]);
});

test('takes the last images away before it cuts the last texts', () => {
  const conversation = withImages(2);
  expect(conversation.compact(limitsOf(400))).toMatchObject({ rung: 4 });
  expect(shown(conversation.messages).at(-1)).toEqual(['image 1\n[image removed]', 0]);
});
