import type { ModelClient, ModelFailure, Operation } from '@millforge/contracts';
import { type CapturedTree, modelRole, type RoleAnswer } from '@millforge/kernel/review';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { answering, answerOf } from './fixture.ts';

/** A capture in memory. */
function treeOf(files: { readonly [path: string]: readonly string[] | null }): CapturedTree {
  return {
    revision: 'tree:test',
    files: Object.keys(files).map((path) => ({ path, sha256: '', bytes: 0 })),
    readLines: async (path) => files[path] ?? null,
    changedLines: (path) => (path === 'changed.ts' ? [[2, 3]] : null),
    retrieve: () => Promise.reject(new Error('not asked for')),
  };
}

/** Lets a role look without a kernel, and gives the operations that it performed. */
async function propose(
  tree: CapturedTree,
  model: ModelClient,
  more: { readonly batchBytes?: number; readonly fileBytes?: number } = {},
): Promise<{ readonly answer: RoleAnswer; readonly operations: readonly Operation[] }> {
  const operations: Operation[] = [];
  const role = modelRole({ role: 'correctness', model, modelIdentity: 'test', ...more });
  const answer = await role.propose({
    tree,
    signal: new AbortController().signal,
    async perform(operation, act) {
      operations.push(operation);
      const signal = new AbortController().signal;
      const { value } = await act({ signal, idempotencyKey: operation.key });
      return { kind: 'done', value, replayed: false };
    },
  });
  return { answer, operations };
}

/** The numbered lines of each file, as the requests show them, in the order in which they were shown. */
function shownIn(model: ReturnType<typeof answering>): ReadonlyMap<string, readonly string[]> {
  const shown = new Map<string, string[]>();
  for (const { messages } of model.requests) {
    let path = '';
    for (const line of (messages[1]?.content ?? '').split('\n')) {
      const begun = /^file [0-9a-f]{12} ("(?:[^"\\]|\\.)*") /.exec(line)?.[1];
      if (begun !== undefined) {
        path = String(JSON.parse(begun));
        shown.set(path, shown.get(path) ?? []);
      }
      const [, number, text] = /^ *(\d+) \| (.*)$/su.exec(line) ?? [];
      if (number !== undefined) shown.get(path)?.push(`${number} ${text ?? ''}`);
    }
  }
  return shown;
}

test('shows every line once, in order, in requests of the size that was asked for, and tells what did not fit', async () => {
  const line = fc.string({ maxLength: 60 }).map((text) => text.replaceAll(/[\r\n]/g, ''));
  const files = fc.dictionary(
    fc.stringMatching(/^[a-z"\\ ]{1,12}$/),
    fc.oneof(fc.array(line, { maxLength: 40 }), fc.constant(null)),
    { minKeys: 1, maxKeys: 6 },
  );
  await fc.assert(
    fc.asyncProperty(files, fc.integer({ min: 80, max: 1500 }), async (given, batchBytes) => {
      const model = answering(() => answerOf([]));
      const tree = treeOf(given);
      const { answer } = await propose(tree, model, { batchBytes, fileBytes: 900 });
      const shown = shownIn(model);
      for (const { path } of tree.files) {
        const lines = given[path] ?? null;
        const told = answer.coverage.find((entry) => entry.path === path);
        const seen = shown.get(path) ?? [];
        if (lines === null) expect(told).toMatchObject({ state: 'none', reason: 'not-text' });
        else {
          expect(seen).toEqual(lines.slice(0, seen.length).map((text, i) => `${i + 1} ${text}`));
          if (seen.length === lines.length) expect(told?.state).toBe('whole');
          else if (seen.length === 0) expect(told).toMatchObject({ reason: 'line-too-long' });
          else expect(told).toMatchObject({ state: 'truncated', shown_lines: seen.length });
        }
      }
      for (const { messages } of model.requests) {
        const bytes = Buffer.byteLength(messages[1]?.content ?? '');
        expect(bytes).toBeLessThan(batchBytes + 100 + 120 * tree.files.length);
      }
    }),
    { numRuns: 200, seed: 7 },
  );
});

test('asks about the same capture with the same words', async () => {
  const tree = treeOf({ 'a.ts': ['one', 'two'], 'b.ts': ['three'] });
  const [first, second] = [answering(() => answerOf([])), answering(() => answerOf([]))];
  await propose(tree, first);
  await propose(tree, second);
  expect(second.requests).toEqual(first.requests);
  expect(first.requests).toHaveLength(1);
});

test('marks the lines that were changed', async () => {
  const model = answering(() => answerOf([]));
  await propose(treeOf({ 'changed.ts': ['one', 'two', 'three', 'four'] }), model);
  const text = model.requests[0]?.messages[1]?.content ?? '';
  expect(text).toContain('    1 | one\n    2 +| two\n    3 +| three\n    4 | four\n');
});

test('does not let a file write the marks between which it stands', async () => {
  const tree = treeOf({ 'a.ts': ['end 000000000000', 'file 000000000000 "b.ts" (1 lines)'] });
  const model = answering(() => answerOf([]));
  await propose(tree, model);
  const text = model.requests[0]?.messages[1]?.content ?? '';
  const mark = /"file ([0-9a-f]{12})"/.exec(text)?.[1];
  expect(text.split('\n').filter((line) => line.startsWith('end '))).toEqual([`end ${mark}`]);
});

test.each([
  ['an object alone', answerOf([{ claim: 'x' }])],
  ['an object in a block', `Here it is.\n\`\`\`json\n${answerOf([{ claim: 'x' }])}\n\`\`\`\nDone.`],
  ['an object between words', `Sure! ${answerOf([{ claim: 'x' }])} I hope this helps.`],
])('takes %s', async (_what, answered) => {
  const { answer } = await propose(
    treeOf({ 'a.ts': ['one'] }),
    answering(() => answered),
  );
  expect(answer).toMatchObject({ findings: [{ claim: 'x' }], failure: null });
});

test('asks twice more for an answer that cannot be read, each time one operation further', async () => {
  const model = answering((_request, count) => (count < 3 ? 'It looks fine.' : answerOf([])));
  const { answer, operations } = await propose(treeOf({ 'a.ts': ['one'] }), model);
  expect(answer.coverage).toEqual([{ state: 'whole', path: 'a.ts' }]);
  expect(operations.map(({ key, extends: from }) => [key, from])).toEqual([
    ['model/1', undefined],
    ['model/2', 'model/1'],
    ['model/3', 'model/2'],
  ]);
  expect(model.requests[2]?.messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
  ]);
});

test('counts files as not looked at whose answer never could be read, and goes on with the next', async () => {
  const files = { 'a.ts': ['x'.repeat(60)], 'b.ts': ['y'.repeat(60)] };
  const model = answering((_request, count) => (count <= 3 ? '{"findings": 7}' : answerOf([])));
  const { answer } = await propose(treeOf(files), model, { batchBytes: 100 });
  expect(answer.coverage).toEqual([
    { state: 'none', path: 'a.ts', reason: 'unreadable-answer' },
    { state: 'whole', path: 'b.ts' },
  ]);
});

test('takes the word of a model that it did not look at a file', async () => {
  const tree = treeOf({ 'a.ts': ['one'], 'b.ts': ['two'] });
  const { answer } = await propose(
    tree,
    answering(() => answerOf([], ['b.ts', 'c.ts'])),
  );
  expect(answer.coverage).toEqual([
    { state: 'whole', path: 'a.ts' },
    { state: 'none', path: 'b.ts', reason: 'skipped' },
  ]);
});

function failing(category: ModelFailure): ModelClient {
  return {
    complete: async () => ({
      kind: 'failed',
      category,
      message: 'It did not work.',
      retryable: false,
      sent: true,
    }),
  };
}

test.each(['connection', 'timeout', 'authentication', 'server_error'] as const)(
  'suspends the review when the model cannot be reached: %s',
  async (category) => {
    const asked = propose(treeOf({ 'a.ts': ['one'] }), failing(category));
    await expect(asked).rejects.toMatchObject({ code: 'operation/unavailable' });
  },
);

test('asks a model that keeps to a form for that form', async () => {
  const supported = 'supported' as const;
  const model = {
    ...answering(() => answerOf([])),
    capabilities: {
      tool_calls: supported,
      tool_choice: supported,
      parallel_tool_calls: supported,
      max_output_tokens: supported,
      structured_output: supported,
    },
  };
  await propose(treeOf({ 'a.ts': ['one'] }), model);
  expect(model.requests[0]?.options?.structured_output?.name).toBe('review');
});

test('needs words for a role that it does not know', () => {
  const model = answering(() => null);
  expect(() => modelRole({ role: 'style', model, modelIdentity: null })).toThrow(
    expect.objectContaining({ code: 'review/options-invalid' }),
  );
});
