import { expect, test } from 'vitest';
import { buildPlan } from './support/builder-plan.ts';
import { resultsOf, runScript } from './support/scripted-run.ts';

const END = { id: 'submit', terminal: 'COMPLETE' };
const SUBMIT = [['submit', { summary: 'Done.' }]] as const;

test('text again and again ends the run on the reply after the limit', async () => {
  const { outcome, model } = await runScript(
    buildPlan([{ id: 'read' }, END], { budgets: { max_validation_retries: 3 } }),
    ['text'],
  );
  expect(outcome).toMatchObject({ failure_class: 'validation_retries_exhausted', turns: 4 });
  const nudges = model.requests.at(-1)?.messages.filter((message) => message.role === 'user');
  expect(new Set(nudges?.slice(1).map((message) => message.content)).size).toBe(3);
});

test('text, an unknown tool and text again are forgiven by one valid call', async () => {
  const { outcome } = await runScript(
    buildPlan([{ id: 'read' }, END], { budgets: { max_validation_retries: 3 } }),
    ['text', [['reed']], 'text', [['read']], 'text', 'text', 'text', SUBMIT],
  );
  expect(outcome).toMatchObject({ status: 'success', turns: 8 });
});

test('an unknown name is answered with the nearest names first', async () => {
  const { model } = await runScript(
    buildPlan([{ id: 'list_files' }, { id: 'read_file' }, { id: 'write_file' }, END]),
    [[['functions.reedFile']], SUBMIT],
  );
  expect(resultsOf(model).get('call_1_0')).toContain('read_file, write_file, list_files, submit');
  expect(model.requests[1]?.messages[2]).toMatchObject({
    tool_calls: [{ name: 'functions_reedFile' }],
  });
});

test('a valid call beside an unknown one is performed', async () => {
  const { outcome, model } = await runScript(buildPlan([{ id: 'read' }, END]), [
    [['read', { path: 'a' }], ['nothing']],
    SUBMIT,
  ]);
  expect(outcome).toMatchObject({ status: 'success', usage: { tool_calls: 2 } });
  expect(resultsOf(model).get('call_1_0')).toBe('read done {"path":"a"}');
  expect(resultsOf(model).get('call_1_1')).toContain('[not_found]');
});

test('a terminal too early is refused more sharply each time, then ends the run', async () => {
  const { outcome, model } = await runScript(buildPlan([{ id: 'read', required: true }, END]), [
    SUBMIT,
  ]);
  expect(outcome).toMatchObject({ failure_class: 'premature_terminals_exhausted', turns: 4 });
  const [first, second, third] = [...resultsOf(model).values()];
  expect(first).toContain('submit is not available yet');
  expect(second).not.toContain('submit');
  expect(third).toContain('DO NOT CALL submit');
});

test('a step and its terminal in one reply are both refused', async () => {
  const both = [['read'], ['submit', { summary: 'Done.' }]] as const;
  const { outcome, model } = await runScript(buildPlan([{ id: 'read', required: true }, END]), [
    both,
    [['read']],
    both,
  ]);
  expect(outcome).toMatchObject({ status: 'success', turns: 3, usage: { tool_calls: 3 } });
  const results = resultsOf(model);
  expect(results.get('call_1_0')).toBe(results.get('call_1_1'));
});

test('an unrelated success resets the row of violations but not the prerequisite', async () => {
  const edit = [['edit', { path: 'b' }]] as const;
  const { outcome } = await runScript(
    buildPlan([{ id: 'read' }, { id: 'edit', after: [{ node: 'read', same: 'path' }] }, END]),
    [edit, [['read', { path: 'a' }]], edit, edit, edit],
  );
  expect(outcome).toMatchObject({ failure_class: 'prerequisite_violations_exhausted', turns: 5 });
});

const throwing = { run: () => Promise.reject(new Error('disk on fire')) };

test('a call that failed is no prerequisite, and no required step, of another', async () => {
  let isBroken = true;
  const run = async () => {
    if (isBroken) throw new Error('disk on fire');
    return { kind: 'done', text: 'read' } as const;
  };
  const mend = async () => {
    isBroken = false;
    return { kind: 'done', text: 'mended' } as const;
  };
  const { outcome, model } = await runScript(
    buildPlan([
      { id: 'read', required: true, tool: { run } },
      { id: 'edit', after: [{ node: 'read', same: 'path' }] },
      { id: 'mend', tool: { run: mend } },
      END,
    ]),
    [
      [['read', { path: 'a' }]],
      [['edit', { path: 'a' }]],
      SUBMIT,
      [['mend']],
      [['read', { path: 'a' }]],
      [['edit', { path: 'a' }]],
      SUBMIT,
    ],
  );
  const results = resultsOf(model);
  expect(results.get('call_1_0')).toContain('[implementation_error]');
  expect(results.get('call_2_0')).toContain('read');
  expect(results.get('call_3_0')).toContain('submit is not available yet');
  expect(results.get('call_6_0')).toBe('edit done {"path":"a"}');
  expect(outcome).toMatchObject({ status: 'success', turns: 7 });
});

test('a tool that throws is reported to the model, and ends the run at the third time', async () => {
  const { outcome, model } = await runScript(buildPlan([{ id: 'read', tool: throwing }, END]), [
    [['read']],
  ]);
  expect(outcome).toMatchObject({ failure_class: 'tool_errors_exhausted', turns: 3 });
  expect(resultsOf(model).get('call_1_0')).toContain('[implementation_error]');
});

test('failures that alternate with successes never end the run', async () => {
  const [bad, good] = [[['break']] as const, [['read']] as const];
  const { outcome } = await runScript(
    buildPlan([{ id: 'break', tool: throwing }, { id: 'read' }, END]),
    [bad, good, bad, good, bad, good, bad, good, SUBMIT],
  );
  expect(outcome.status).toBe('success');
});

test('soft failures are never counted', async () => {
  const tool = {
    run: async () => ({ kind: 'failed', code: 'not_found', text: 'No file.' }) as const,
  };
  const { outcome, model } = await runScript(
    buildPlan([{ id: 'read', tool }, END], { budgets: { max_iterations: 10 } }),
    Array.from({ length: 10 }, (_, turn) => [['read', { path: `${turn}` }]] as const),
  );
  expect(outcome).toMatchObject({ failure_class: 'iterations_exhausted', turns: 10 });
  expect(resultsOf(model).get('call_9_0')).toBe('[not_found] No file.');
});

test('a terminal tool that throws does not end the run well', async () => {
  const { outcome } = await runScript(buildPlan([{ ...END, tool: throwing }]), [SUBMIT]);
  expect(outcome).toMatchObject({ failure_class: 'tool_errors_exhausted', turns: 3 });
});

test('an empty reply is asked again', async () => {
  const { outcome, model, events } = await runScript(buildPlan([END]), [
    { content: '  ', reasoning: 'Thinking about it.' },
    SUBMIT,
  ]);
  expect(outcome).toMatchObject({ status: 'success', turns: 2 });
  expect(events).toContainEqual({
    kind: 'model-re-asked',
    turn: 1,
    replayed: false,
    reason: 'empty',
  });
  expect(model.requests[1]?.messages.map((message) => message.role)).toEqual([
    'system',
    'user',
    'assistant',
    'user',
  ]);
});

test('a call that the output limit cut is told so, and its arguments never reach the history', async () => {
  const { outcome, model } = await runScript(buildPlan([{ id: 'write' }, END]), [
    {
      tool_calls: [{ id: 'x', name: 'write', arguments: '{"path":"a' }],
      finish_reason: 'length',
    },
    SUBMIT,
  ]);
  expect(outcome.status).toBe('success');
  expect(resultsOf(model).get('call_1_0')).toContain('cut at the output limit');
  expect(model.requests[1]?.messages[2]).toMatchObject({ tool_calls: [{ arguments: '{}' }] });
});

test('a terminal without its artifacts is refused with the tools that make them', async () => {
  const built = buildPlan([{ id: 'summarise', produces: ['patch.summary'] }, END], {
    artifacts: { COMPLETE: ['patch.summary'] },
  });
  const { outcome, model } = await runScript(built, [SUBMIT, [['summarise']], SUBMIT]);
  // The refused terminal was not performed.
  expect(outcome).toMatchObject({ status: 'success', turns: 3, usage: { tool_calls: 2 } });
  expect(resultsOf(model).get('call_1_0')).toMatch(
    /^\[terminal_intent_invalid\].*patch\.summary.*summarise/,
  );
});

test('a terminal that makes its artifact itself is accepted only when it did', async () => {
  let runs = 0;
  const run = async () => {
    runs += 1;
    return { kind: 'done', text: 'said', artifactIds: runs === 1 ? [] : ['report'] } as const;
  };
  const built = buildPlan([{ ...END, produces: ['report'], tool: { run } }], {
    artifacts: { COMPLETE: ['report'] },
  });
  const { outcome, model } = await runScript(built, [SUBMIT]);
  expect(outcome).toMatchObject({ status: 'success', turns: 2, usage: { tool_calls: 2 } });
  expect(resultsOf(model).get('call_1_0')).toMatch(/^\[terminal_intent_invalid\].*report/);
});

test('repairs are told to the trail by place and kind', async () => {
  const { trail, model } = await runScript(buildPlan([{ id: 'read' }, END]), [
    [['read', '{"path":null}']],
    SUBMIT,
  ]);
  expect(trail.entries[0]).toMatchObject({
    key: 'repair/1/0',
    type: 'arguments-repaired',
    data: { repairs: [{ path: '$.path', kind: 'null-removed' }] },
  });
  expect(model.requests[1]?.messages[2]).toMatchObject({
    tool_calls: [{ arguments: '{"path":null}' }],
  });
});

test('the request context holds stable facts only', async () => {
  const { model } = await runScript(buildPlan([END], { requestContext: true }), [SUBMIT]);
  expect(model.requests[0]?.messages[1]?.content).toBe(
    'Mend the test.\n\n--- millforge request context ---\n{"harness_id":"test.builder","harness_version":1,"run_id":"run_0001","stage_kind_ids":["builder"]}',
  );
});
