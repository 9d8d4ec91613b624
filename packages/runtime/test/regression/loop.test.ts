import { MillforgeError } from '@millforge/contracts';
import { manualClock, sequentialIds } from '@millforge/contracts/testing';
import { memoryOperationLog, runPlan } from '@millforge/runtime';
import { expect, test } from 'vitest';
import { createConversation } from '../../src/conversation.ts';
import { buildPlan } from '../support/builder-plan.ts';
import {
  type RunRecord,
  runOptions,
  runScript,
  type Scripted,
  scriptedClient,
} from '../support/scripted-run.ts';

const END = { id: 'submit', terminal: 'COMPLETE' };
const SUBMIT = [['submit', { summary: 'Done.' }]] as const;

test('no request leaves with a call that has no result (D-03)', () => {
  const conversation = createConversation();
  conversation.add({
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1_0', name: 'read', arguments: '{}' }],
  });
  expect(() => conversation.takeNew()).toThrow(MillforgeError);
  conversation.add({ role: 'tool', tool_call_id: 'call_1_0', name: 'read', content: 'text' });
  expect(conversation.takeNew()).toHaveLength(2);
  expect(() =>
    conversation.add({ role: 'tool', tool_call_id: 'call_1_0', name: 'read', content: 'text' }),
  ).toThrow(MillforgeError);
});

test('runs of one plan at a time go as each would alone, whatever they keep (D-10)', async () => {
  const built = buildPlan(
    [{ id: 'read', required: true }, { id: 'write', produces: ['report'] }, END],
    { artifacts: { COMPLETE: ['report'] } },
  );
  const read = [['read', { path: 'a' }]] as const;
  const write = [['write', { path: 'a' }]] as const;
  const usage = { input_tokens: 10, output_tokens: 5 };
  const scripts: readonly (readonly Scripted[])[] = [
    // Steps, artifacts, a loop, tokens and the last words of one; and the lack of each in another.
    [read, write, read, read, read, { content: 'Now.', usage }, SUBMIT],
    [SUBMIT, SUBMIT, read, SUBMIT, read, read, write, SUBMIT],
    ['One.', 'Two.', [['read', '[]']], 'Three.', [['read', '[]']], 'Four.', 'Five.'],
    [write, SUBMIT, [['read', '[]']], 'One.', read, SUBMIT],
  ];
  const alone: unknown[] = [];
  for (const script of scripts) alone.push(traceOf(await runScript(built, script)));
  const together = await Promise.all(scripts.map((script) => runScript(built, script)));
  expect(together.map(traceOf)).toEqual(alone);
  expect(together.map(({ outcome }) => [outcome.status, outcome.turns])).toEqual([
    ['success', 7],
    ['success', 8],
    ['budget_exhausted', 4],
    ['success', 6],
  ]);
});

/** All that a run leaves behind. */
function traceOf({ outcome, trail, model, events }: RunRecord): object {
  return { outcome, trail: trail.entries, requests: model.requests, events };
}

test('mixed mistakes end on the budget that was exceeded, not on the turns (D-20)', async () => {
  const built = buildPlan([{ id: 'read' }, END]);
  const bad = [['read', '[]']] as const;
  const { outcome } = await runScript(built, ['text', bad, 'text', bad, 'text']);
  expect(outcome).toMatchObject({
    status: 'budget_exhausted',
    failure_class: 'validation_retries_exhausted',
    turns: 5,
  });
});

test('a run out of turns names the mistake that took most of them (D-20)', async () => {
  const built = buildPlan([{ id: 'read' }, END], {
    budgets: { max_iterations: 5, max_validation_retries: 10 },
  });
  const { outcome } = await runScript(built, ['text', 'text', [['read', '[]']], 'text', 'text']);
  expect(outcome.failure_class).toBe('iterations_exhausted');
  expect(outcome.failure_message).toBe(
    'The run used its 5 model turns without an accepted terminal call; most often they were replies without a usable tool call (4).',
  );
});

test('a model that is away suspends the run, and the resumed run goes on', async () => {
  const built = buildPlan([{ id: 'read' }, END]);
  const clock = manualClock();
  const log = memoryOperationLog({ clock, ids: sequentialIds() });
  const down = {
    kind: 'failed',
    category: 'connection',
    message: 'Nobody listens.',
    retryable: true,
    sent: false,
  } as const;
  const first = scriptedClient([[['read', { path: 'a' }]], down]);
  const suspended = runPlan(
    built.reference,
    runOptions(built, { clock, model: first, operations: log }),
  );
  await expect(suspended).rejects.toMatchObject({
    code: 'operation/suspended',
    details: { reason: 'unavailable', failure: { code: 'connection' } },
  });
  const { outcome, model, events } = await runScript(built, [[], SUBMIT], { log: log.resume() });
  expect(outcome).toMatchObject({ status: 'success', turns: 2 });
  expect(model.requests).toHaveLength(1);
  expect(events.map((event) => [event.kind, event.replayed])).toEqual([
    ['turn-started', true],
    ['model-replied', true],
    ['call-started', true],
    ['call-ended', true],
    ['turn-started', false],
    ['model-replied', false],
    ['call-started', false],
    ['call-ended', false],
    ['run-ended', false],
  ]);
});

test('a request that the model can never take ends the run', async () => {
  const { outcome } = await runScript(buildPlan([END]), [
    {
      kind: 'failed',
      category: 'invalid_request',
      message: 'The model has no tools.',
      retryable: false,
      sent: true,
    },
  ]);
  expect(outcome).toMatchObject({
    status: 'failed',
    failure_class: 'model_failed',
    failure_message: 'The model has no tools.',
    turns: 0,
  });
});

test('the deadline of the log ends the run with a status of its own', async () => {
  const built = buildPlan([{ id: 'wait' }, END]);
  const clock = manualClock();
  const log = memoryOperationLog({ clock, ids: sequentialIds(), deadlineMs: 1000 });
  const { outcome } = await runScript(built, [[['wait']], SUBMIT], {
    log,
    onEvent: (event) => {
      if (event.kind === 'call-ended') clock.advance(1000);
    },
  });
  expect(outcome).toMatchObject({
    status: 'deadline',
    failure_class: 'deadline_expired',
    turns: 1,
  });
});

test('missing grants are named before anything happens', async () => {
  const built = buildPlan([{ id: 'read' }, END]);
  const { outcome, model } = await runScript(built, [SUBMIT], { grants: ['terminal.intent'] });
  expect(outcome).toMatchObject({ status: 'failed', failure_class: 'plan_invalid' });
  expect(outcome.failure_message).toContain('workspace.read');
  expect(model.requests).toEqual([]);
});

test('a plan whose tools are gone is refused before the model is asked', async () => {
  const built = buildPlan([{ id: 'read' }, END]);
  const other = buildPlan([END]);
  const { outcome, model } = await runScript({ ...built, snapshot: other.snapshot }, [SUBMIT]);
  expect(outcome).toMatchObject({ status: 'failed', failure_class: 'plan_invalid' });
  expect(outcome.failure_message).toContain('read (test.read@1)');
  expect(model.requests).toEqual([]);
});

test('a listener that throws ends the run with its error and spoils no record', async () => {
  const built = buildPlan([{ id: 'read' }, END]);
  const clock = manualClock();
  const log = memoryOperationLog({ clock, ids: sequentialIds() });
  const broken = runScript(built, [[['read', { path: 'a' }]], SUBMIT], {
    log,
    onEvent: (event) => {
      if (event.kind === 'call-started') throw new TypeError('broken listener');
    },
  });
  await expect(broken).rejects.toThrow('broken listener');
  const { outcome, model } = await runScript(built, [[], SUBMIT], { log: log.resume() });
  expect(outcome.status).toBe('success');
  expect(model.requests).toHaveLength(1);
});
