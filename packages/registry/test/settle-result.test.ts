import type { JsonObject, ToolDefinition, ToolResult } from '@millforge/contracts';
import { digest } from '@millforge/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { executorWorld, runCall, toolOf } from './executor-world.ts';

const OUTPUT = {
  type: 'object',
  additionalProperties: false,
  properties: {
    files: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        properties: { name: { type: 'string' }, token_count: { type: 'integer' } },
        required: ['name'],
      },
    },
    mode: { type: 'string', enum: ['long-mode-name', 'other'] },
  },
} as const;

test("keeps every item of a long result and cuts only text, to the tool's own limit (B-04)", async () => {
  const files = Array.from({ length: 200 }, (_, index) => ({ name: `${index}`.repeat(60) }));
  const { outcome, trace } = await answered({ files }, { maxOutputBytes: 20_000 });
  expect(outcome.status).toBe('success');
  expect(outcome.truncated).toBe(true);
  expect(outcome.data['files']).toHaveLength(200);
  expect(trace.truncated_paths.length).toBeGreaterThan(0);
  expect(trace.truncated_paths[0]).toMatch(/^\$\.files\[\d+\]\.name$/);
});

test('redacts text and leaves the shape of the result alone (B-05)', async () => {
  const files = Array.from({ length: 70 }, () => ({
    name: 'password=abcdefgh12345678',
    token_count: 12,
  }));
  const { outcome } = await answered({ files, mode: 'other' });
  expect(outcome.status).toBe('success');
  expect(outcome.data['files']).toHaveLength(70);
  expect(JSON.stringify(outcome.data)).not.toContain('abcdefgh12345678');
  expect(outcome.data['files']).toContainEqual(expect.objectContaining({ token_count: 12 }));
});

test('leaves ordinary content alone when the tool asks for no redaction (B-06)', async () => {
  const text = '</div> // comment http://localhost:PORT/a?token=x /usr/share';
  const { outcome } = await answered({ mode: 'other' }, { redactSecrets: false }, { text });
  expect(outcome.text).toBe(text);
});

test('never cuts an enumerated text', async () => {
  const { outcome } = await answered(
    { mode: 'long-mode-name', files: [{ name: 'x'.repeat(500) }] },
    { maxOutputBytes: 100 },
  );
  expect(outcome.data['mode']).toBe('long-mode-name');
});

test('never cuts a text that has a form, and no text beyond what its length allows', async () => {
  const link = `https://example.org/${'a'.repeat(300)}`;
  const output = {
    type: 'object',
    properties: {
      id: { type: 'string', pattern: '^[a-z]+$' },
      link: { type: 'string', format: 'uri' },
      either: { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^b+$' }] },
      long: { type: 'string', minLength: 40 },
      short: { type: 'string', maxLength: 4 },
      entry: {
        anyOf: [
          { type: 'object', properties: { kind: { const: 'x' }, at: { type: 'integer' } } },
          { type: 'object', properties: { kind: { const: 'y' }, note: { type: 'string' } } },
        ],
      },
    },
  };
  const data = {
    id: 'i'.repeat(300),
    link,
    either: 'b'.repeat(300),
    long: 'l'.repeat(45),
    short: 'éééé',
    entry: { kind: 'y', note: 'n'.repeat(5000) },
  };
  const { outcome, trace } = await answered(data, { output, maxOutputBytes: 1500 });
  expect(outcome.status).toBe('success');
  expect(trace.truncated_paths).toEqual(['$.entry.note']);
  expect(outcome.data).toEqual({ ...data, entry: { kind: 'y', note: expect.anything() } });

  const refused = await answered(
    { ...data, entry: { kind: 'x' } },
    { output, maxOutputBytes: 600 },
  );
  expect(refused.outcome.error_code).toBe('output_validation_failed');
});

test('shows the data, redacted and bounded, where the tool says no text', async () => {
  const name = 'password=abcdefgh12345678';
  const run = async (): Promise<ToolResult> => ({ kind: 'done', data: { files: [{ name }] } });
  const { outcome } = await answered({}, { run });
  expect(outcome.text).toBe('{"files":[{"name":"password=**redacted**"}]}');
  expect(JSON.parse(outcome.text)).toEqual(outcome.data);
});

test('refuses a result that no cutting makes small enough, and keeps what is known of the effect', async () => {
  const files = Array.from({ length: 100 }, () => ({ name: '', token_count: 1 }));
  const { outcome } = await answered({ files }, { maxOutputBytes: 100 });
  expect(outcome).toMatchObject({
    status: 'hard_failure',
    error_code: 'output_validation_failed',
    certainty: 'confirmed_complete',
    data: {},
  });
});

test('cuts the text to its limit with the mark inside, never inside a character', async () => {
  const { outcome, trace } = await answered({}, { maxTextBytes: 100 }, { text: '🙂'.repeat(200) });
  expect(Buffer.byteLength(outcome.text)).toBeLessThanOrEqual(100);
  expect(outcome.text).toMatch(/^(?:🙂)+\[truncated\]$/u);
  expect(trace.truncated_paths).toEqual(['text']);
});

test.each([
  ['a result that does not fit its schema', { data: { mode: 'unheard' } }],
  ['an artifact that is not declared', { artifactIds: ['patch'] }],
])('turns %s into a failure of the tool', async (_what, part) => {
  const { outcome } = await answered({}, {}, part);
  expect(outcome).toMatchObject({
    status: 'hard_failure',
    error_code: 'output_validation_failed',
    certainty: 'confirmed_complete',
  });
});

test('keeps a failure that does not fit the schema of success (B-23)', async () => {
  const failed: ToolResult = {
    kind: 'failed',
    code: 'process_exit_nonzero',
    text: 'Exit 1.',
    data: { exit_code: 1 },
    certainty: 'confirmed_complete',
  };
  const tool = toolOf({ run: async () => failed, output: OUTPUT });
  const { outcome } = await runCall(executorWorld([tool]));
  expect(outcome).toMatchObject({
    status: 'soft_failure',
    error_code: 'process_exit_nonzero',
    data: { exit_code: 1 },
    certainty: 'confirmed_complete',
  });
});

test.each([
  ['conflict', 'soft_failure'],
  ['not_found', 'soft_failure'],
  ['timeout', 'timed_out'],
  ['cancelled', 'cancelled'],
  ['process_launch_error', 'hard_failure'],
  ['ambiguous_side_effect', 'hard_failure'],
] as const)('maps the failure %s to the status %s', async (code, status) => {
  const run = async (): Promise<ToolResult> => ({ kind: 'failed', code, text: 'no' });
  const { outcome } = await runCall(executorWorld([toolOf({ run })]));
  expect(outcome).toMatchObject({ status, error_code: code, certainty: 'confirmed_absent' });
});

test('shows a mark instead of blank text', async () => {
  expect((await answered({}, {}, { text: ' \n' })).outcome.text).toBe('[empty]');
});

test('shows a mark instead of half a character', async () => {
  const text = `a\ud83e b\udd8a \u{1f98a}`;
  expect((await answered({}, {}, { text })).outcome.text).toBe('a\ufffd b\ufffd \u{1f98a}');
});

test('records the digest of the result as it is', async () => {
  const { outcome, trace } = await answered({ mode: 'other' });
  expect(trace.output_sha256).toBe(digest(outcome.data));
});

test('stays within the limits whatever a tool answers', async () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.constant('é'.repeat(300)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ name })), name, async (files, text) => {
      const { outcome } = await answered(
        { files },
        { maxOutputBytes: 600, maxTextBytes: 64, redactSecrets: false },
        { text },
      );
      expect(Buffer.byteLength(outcome.text)).toBeLessThanOrEqual(64);
      expect(JSON.stringify(outcome.data).length).toBeLessThanOrEqual(600);
      if (outcome.status === 'success') expect(outcome.data['files']).toHaveLength(files.length);
    }),
  );
});

function answered(
  data: JsonObject,
  definition: Partial<ToolDefinition> = {},
  answer: Partial<Extract<ToolResult, { kind: 'done' }>> = {},
) {
  const run = async (): Promise<ToolResult> => ({ kind: 'done', text: 'ok', data, ...answer });
  return runCall(executorWorld([toolOf({ run, output: OUTPUT, ...definition })]));
}
