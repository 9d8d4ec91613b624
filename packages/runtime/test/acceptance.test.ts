import { expect, test } from 'vitest';
import { buildPlan, type NodeSpec } from './support/builder-plan.ts';
import { runScript, type Scripted } from './support/scripted-run.ts';

const BUILDER: readonly NodeSpec[] = [
  { id: 'inspect_request', required: true },
  { id: 'read_plan', required: true, after: ['inspect_request'] },
  { id: 'list_files', after: ['read_plan'] },
  { id: 'read_file', after: ['list_files'] },
  { id: 'apply_patch', required: true, after: ['read_file'] },
  { id: 'read_diff', after: ['apply_patch'] },
  { id: 'run_validator', after: ['read_diff'] },
  { id: 'write_patch_summary', after: ['apply_patch'], produces: ['patch.summary'] },
  { id: 'write_validation_results', after: ['run_validator'], produces: ['validation.results'] },
  {
    id: 'submit_patch',
    toolId: 'builtin.terminal.submit',
    terminal: 'BUILDER_COMPLETE',
    after: ['write_validation_results'],
  },
  {
    id: 'block_builder',
    toolId: 'builtin.terminal.escalate',
    terminal: 'BUILDER_BLOCKED',
    after: ['read_plan'],
  },
];

/** Blocking is for a run that cannot do the required work, so nothing is required there. */
const BLOCKABLE = BUILDER.map((node) => ({ ...node, required: false }));

const STEPS = BUILDER.slice(0, 9).map((node): Scripted => [[node.id]]);
const SUBMIT: Scripted = [['submit_patch', { summary: 'Mended.' }]];
const ARTIFACTS = { BUILDER_COMPLETE: ['patch.summary', 'validation.results'] };

test('S1: ten correct calls end with the submitted result', async () => {
  const { outcome, model, events } = await runScript(buildPlan(BUILDER, { artifacts: ARTIFACTS }), [
    ...STEPS,
    SUBMIT,
  ]);
  expect(outcome).toMatchObject({
    status: 'success',
    failure_class: null,
    terminal_result: 'BUILDER_COMPLETE',
    terminal_node_id: 'submit_patch',
    disposition: 'success',
    summary: 'Mended.',
    turns: 10,
    usage: { tool_calls: 10 },
  });
  expect(model.requests).toHaveLength(10);
  expect(events.filter((event) => event.kind === 'call-refused')).toEqual([]);
});

test('S2: a premature submission costs a turn and no call', async () => {
  const { outcome, trail } = await runScript(buildPlan(BUILDER, { artifacts: ARTIFACTS }), [
    SUBMIT,
    ...STEPS,
    SUBMIT,
  ]);
  expect(outcome).toMatchObject({ status: 'success', turns: 11, usage: { tool_calls: 10 } });
  expect(trail.entries.map(({ key, type }) => `${type} ${key}`)).toEqual([
    'call-refused refusal/1/0',
    'terminal-accepted terminal/11',
  ]);
});

test('S3: malformed arguments are corrected once', async () => {
  const { outcome, trail } = await runScript(buildPlan(BUILDER, { artifacts: ARTIFACTS }), [
    [['inspect_request', '{"path":']],
    ...STEPS,
    SUBMIT,
  ]);
  expect(outcome).toMatchObject({ status: 'success', turns: 11 });
  expect(trail.entries[0]).toMatchObject({ data: { code: 'invalid_arguments' } });
});

test('S4: submitting without the evidence it stands on uses up the prerequisites', async () => {
  const required = STEPS.slice(0, 5);
  const { outcome } = await runScript(buildPlan(BUILDER), [...required, SUBMIT, SUBMIT, SUBMIT]);
  expect(outcome).toMatchObject({
    status: 'budget_exhausted',
    failure_class: 'prerequisite_violations_exhausted',
    terminal_result: null,
    turns: 8,
  });
});

test('S5: malformed arguments again and again use up the tool errors', async () => {
  const { outcome } = await runScript(buildPlan(BUILDER), [[['inspect_request', '[1]']]]);
  expect(outcome).toMatchObject({
    status: 'budget_exhausted',
    failure_class: 'tool_errors_exhausted',
    turns: 3,
    usage: { tool_calls: 0 },
  });
});

test('S6: a hard failure of a tool ends the run', async () => {
  const [first, ...rest] = BUILDER;
  const built = buildPlan([
    {
      ...first,
      id: 'inspect_request',
      tool: {
        run: async () => ({ kind: 'failed', code: 'process_launch_error', text: 'No shell.' }),
      },
    },
    ...rest,
  ]);
  const { outcome } = await runScript(built, STEPS);
  expect(outcome).toMatchObject({ status: 'failed', failure_class: 'tool_failed', turns: 1 });
  expect(outcome.failure_message).toContain('No shell.');
});

test('S7: blocking is an accepted end that is no success', async () => {
  const { outcome } = await runScript(buildPlan(BLOCKABLE), [
    [['inspect_request']],
    [['read_plan']],
    [['block_builder', { summary: 'The plan contradicts itself.' }]],
  ]);
  expect(outcome).toMatchObject({
    status: 'blocked',
    disposition: 'escalated',
    terminal_result: 'BUILDER_BLOCKED',
    failure_class: null,
  });
});

test('S8: a tampered plan meets neither model nor tools', async () => {
  const built = buildPlan(BUILDER);
  const text = new TextDecoder().decode(built.reference.bytes).replace('Build it.', 'Break it.');
  const tampered = {
    ...built,
    reference: { ...built.reference, bytes: new TextEncoder().encode(text) },
  };
  const { outcome, model, events, trail } = await runScript(tampered, STEPS);
  expect(outcome).toMatchObject({
    status: 'failed',
    failure_class: 'plan_invalid',
    plan_sha256: built.reference.sha256,
    turns: 0,
  });
  expect(model.requests).toEqual([]);
  expect(trail.entries).toEqual([]);
  expect(events.map((event) => event.kind)).toEqual(['run-ended']);
});
