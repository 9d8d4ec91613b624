import type { ModelClient, ModelCompletion, OperationLog } from '@millforge/contracts';
import { manualClock, sequentialIds } from '@millforge/contracts/testing';
import { memoryOperationLog } from '@millforge/runtime';
import { expect, test } from 'vitest';
import { buildPlan, schemaOf } from '../support/builder-plan.ts';
import { resultsOf, runScript } from '../support/scripted-run.ts';

const END = { id: 'submit', terminal: 'COMPLETE' };
const SUBMIT = [['submit', { summary: 'Done.' }]] as const;
const SECRET = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789';

const REPLY = {
  content: null,
  reasoning: null,
  tool_calls: [],
  finish_reason: 'stop',
  usage: null,
  provider_model: null,
};
/** Takes a secret for the name of a property. */
const NAMED = {
  ...schemaOf({ path: 'string' }),
  properties: { [SECRET]: { type: 'integer' } },
  required: [],
};
const CALL = { id: 'a', name: 'read', arguments: '{}' };

/** A client in plain JavaScript, whose completions keep no promise. */
function clientOf(completion: unknown): ModelClient {
  return {
    complete: async (): Promise<ModelCompletion> => JSON.parse(JSON.stringify(completion ?? null)),
  };
}

test.each([
  ['nothing', null, 'it gave no completion'],
  ['neither reply nor failure', {}, 'a completion is a reply or a failure'],
  ['no reply', { kind: 'reply', reply: null, attempts: 1 }, 'a completion is a reply or a failure'],
  ['no attempts', { kind: 'reply', reply: REPLY }, 'attempts must be a number'],
  ['an empty failure', { kind: 'failed' }, 'a failure needs a category and a message'],
])('a client that gives %s ends the run with what it broke', async (...row) => {
  const [, completion, fault] = row;
  const { outcome } = await runScript(buildPlan([END]), [], { model: clientOf(completion) });
  expect(outcome).toMatchObject({
    status: 'failed',
    failure_class: 'model_failed',
    failure_message: `The model client broke its contract: ${fault}.`,
  });
});

test.each([
  ['content', { content: 5 }, 'content must be text or null'],
  ['reasoning', { reasoning: {} }, 'reasoning must be text or null'],
  ['provider_model', { provider_model: 1 }, 'provider_model must be text or null'],
  ['finish_reason', { finish_reason: null }, 'finish_reason must be text'],
  ['tool_calls', { tool_calls: null }, 'tool_calls must be an array'],
  ['a call', { tool_calls: [null] }, 'every call needs id, name and arguments as text'],
  [
    'arguments',
    { tool_calls: [{ ...CALL, arguments: { path: 'a' } }] },
    'every call needs id, name and arguments as text',
  ],
  [
    'a name',
    { tool_calls: [CALL, { ...CALL, name: null }] },
    'every call needs id, name and arguments as text',
  ],
  ['usage', { usage: {} }, 'usage must be null or numbers of tokens'],
  [
    'tokens',
    { usage: { input_tokens: '5', output_tokens: 1 } },
    'usage must be null or numbers of tokens',
  ],
])(
  'a reply with a wrong %s is not recorded, and replays as the failure that it was',
  async (...row) => {
    const [, wrong, fault] = row;
    const built = buildPlan([{ id: 'read' }, END]);
    const model = clientOf({ kind: 'reply', attempts: 1, reply: { ...REPLY, ...wrong } });
    const first = await runScript(built, [], { model });
    expect(first.outcome.failure_message).toBe(`The model client broke its contract: ${fault}.`);
    const again = await runScript(built, [], { log: first.log.resume() });
    expect(again.outcome).toEqual(first.outcome);
  },
);

test('what a client throws is redacted in the outcome', async () => {
  const model: ModelClient = { complete: () => Promise.reject(new Error(`refused ${SECRET}`)) };
  const { outcome, events } = await runScript(buildPlan([END]), [], { model });
  expect(outcome.failure_message).toBe('refused **redacted**');
  expect(JSON.stringify(events)).not.toContain(SECRET);
});

test('what a client says of its failure is redacted in what is recorded', async () => {
  for (const category of ['invalid_request', 'server_error'] as const) {
    const failed = { kind: 'failed', category, retryable: false, sent: true } as const;
    const recorded: unknown[] = [];
    const log = memoryOperationLog({ clock: manualClock(), ids: sequentialIds() });
    const operations: OperationLog = {
      signal: log.signal,
      newId: (key) => log.newId(key),
      perform: (operation, act) =>
        log.perform(operation, async (context) => {
          try {
            return await act(context);
          } catch (error) {
            recorded.push(error instanceof Error ? error.message : error);
            throw error;
          }
        }),
    };
    const model = { complete: async () => ({ ...failed, message: `No: ${SECRET}` }) };
    const ended = runScript(buildPlan([END]), [], { model, operations });
    await ended.catch((error: unknown) => recorded.push(JSON.stringify(error)));
    expect(recorded[0]).toBe('No: **redacted**');
    expect(JSON.stringify(recorded)).not.toContain(SECRET);
  }
});

test('a secret in the name of a repaired property stays out of the trail', async () => {
  const { outcome, trail } = await runScript(buildPlan([{ id: 'read', input: NAMED }, END]), [
    [['read', `{"${SECRET}":"7",}`]],
    SUBMIT,
  ]);
  expect(outcome.status).toBe('success');
  expect(trail.entries[0]).toMatchObject({ type: 'arguments-repaired' });
  expect(JSON.stringify(trail.entries)).not.toContain(SECRET);
});

test('a secret in place of a tool name reaches neither trail nor events nor the next request', async () => {
  const { outcome, trail, events, model } = await runScript(buildPlan([{ id: 'read' }, END]), [
    [[SECRET, {}]],
    SUBMIT,
  ]);
  expect(outcome.status).toBe('success');
  expect(trail.entries[0]).toMatchObject({ data: { tool: '__redacted__' } });
  expect(JSON.stringify([trail.entries, events])).not.toContain(SECRET);
  expect(model.requests[1]?.messages[2]).toMatchObject({ tool_calls: [{ name: '__redacted__' }] });
});

test('a property name of a megabyte makes no correction of a megabyte', async () => {
  const { outcome, trail, model } = await runScript(buildPlan([{ id: 'read' }, END]), [
    [['read', { ['k'.repeat(1_000_000)]: 1 }]],
    SUBMIT,
  ]);
  expect(outcome.status).toBe('success');
  expect(resultsOf(model).get('call_1_0')?.length).toBeLessThan(500);
  expect(JSON.stringify(trail.entries).length).toBeLessThan(5000);
});

test('many thousand repairs of one call are noted by the first ones and their number', async () => {
  const input = {
    ...schemaOf({}),
    properties: { lines: { type: 'array', items: { type: 'integer' } } },
  };
  const { trail } = await runScript(buildPlan([{ id: 'read', input }, END]), [
    [['read', { lines: Array.from({ length: 10_000 }, (_, index) => String(index)) }]],
    SUBMIT,
  ]);
  const [entry] = trail.entries;
  expect(entry).toMatchObject({ type: 'arguments-repaired', data: { more: 10_000 - 64 } });
  expect(Object(entry?.data).repairs).toHaveLength(64);
});
