import { expect, test } from 'vitest';
import { buildPlan } from '../support/builder-plan.ts';
import { runScript } from '../support/scripted-run.ts';

const PLAN = buildPlan([{ id: 'read' }, { id: 'submit', terminal: 'COMPLETE' }]);
const CALL = { id: 'call_0', name: 'read', arguments: '{}' };
const SUBMIT = { id: 'call_1', name: 'submit', arguments: '{"summary":"Done."}' };
const OPAQUE = '[{"signature":"of the provider"}]';
const SCRIPT = [
  { tool_calls: [CALL], reasoning: 'First read.', continuation: OPAQUE },
  { tool_calls: [SUBMIT] },
];

test('a continuation goes back with the message of its reply, and nowhere else', async () => {
  const { model, events, trail, outcome } = await runScript(PLAN, SCRIPT);
  expect(outcome.status).toBe('success');
  const [, said] = model.requests[1]?.messages.slice(1) ?? [];
  expect(said).toMatchObject({ role: 'assistant', continuation: OPAQUE });
  expect(JSON.stringify({ events, trail: trail.entries, outcome })).not.toContain('signature');
});

test('a run that is replayed sends the same continuation', async () => {
  const first = await runScript(PLAN, SCRIPT);
  const again = await runScript(PLAN, [SCRIPT[0] ?? '', 'never asked'], {
    log: first.log.resume(),
  });
  expect(again.outcome).toEqual(first.outcome);
  expect(again.model.requests).toEqual([]);
});

test('a continuation that is no text is refused like any other broken promise of a client', async () => {
  const broken = JSON.parse('{"continuation":[1]}');
  const { outcome } = await runScript(PLAN, [{ tool_calls: [CALL], ...broken }]);
  expect(outcome).toMatchObject({ status: 'failed', failure_class: 'model_failed' });
});
