import { expect, test } from 'vitest';
import { buildPlan, schemaOf } from '../support/builder-plan.ts';
import { resultsOf, runScript } from '../support/scripted-run.ts';

const END = { id: 'submit', terminal: 'COMPLETE' };
const SUBMIT = [['submit', { summary: 'Done.' }]] as const;

test('arguments that are JSON at least are answered in the words of the tool, where it has some', async () => {
  const input = schemaOf({ line: 'integer' });
  const tool = { explainArguments: () => 'Lines are numbers.' };
  const built = buildPlan([{ id: 'read', input, tool }, END]);
  const { model } = await runScript(built, [
    [['read', { line: 'seven' }]],
    [['read', { line: 7 }]],
    SUBMIT,
  ]);
  expect(resultsOf(model).get('call_1_0')).toBe('Lines are numbers.');
});

test('arguments that the schema refuses are answered with path and type, and traced (D-01)', async () => {
  const built = buildPlan([{ id: 'read', input: schemaOf({ line: 'integer' }) }, END]);
  const { model, outcome, trail } = await runScript(built, [
    [['read', { line: 'seven' }]],
    [['read', { line: 7 }]],
    SUBMIT,
  ]);
  expect(outcome).toMatchObject({ status: 'success', usage: { tool_calls: 2 } });
  expect(resultsOf(model).get('call_1_0')).toMatch(
    /^\[invalid_arguments\] .*\$\.line.*integer.*string/,
  );
  expect(trail.entries[0]).toMatchObject({
    type: 'call-refused',
    data: {
      trace: { status: 'not_executed', certainty: 'not_attempted', output_sha256: null },
    },
  });
});

test('the model is shown the compiled schema, unchanged (D-07)', async () => {
  const built = buildPlan([{ id: 'read', input: schemaOf({ line: 'integer' }, ['line']) }, END]);
  const { model } = await runScript(built, [SUBMIT]);
  expect(model.requests[0]?.tools.map((tool) => tool.parameters)).toEqual(
    built.plan.nodes.map((node) => node.input_schema),
  );
});

test('nothing behind an accepted terminal is performed, and the first terminal stands (D-01a)', async () => {
  const performed: string[] = [];
  const run = async () => {
    performed.push('write');
    return { kind: 'done', text: 'written' } as const;
  };
  const built = buildPlan([
    { id: 'write', tool: { run } },
    END,
    { id: 'reject', terminal: 'REJECTED' },
  ]);
  const { outcome, trail, events } = await runScript(built, [
    [
      ['submit', { summary: 'First.' }],
      ['write', { path: 'a' }],
      ['reject', { summary: 'Second.' }],
    ],
  ]);
  expect(outcome).toMatchObject({ terminal_result: 'COMPLETE', summary: 'First.' });
  expect(performed).toEqual([]);
  expect(trail.entries.map((entry) => entry.key)).toEqual([
    'terminal/1',
    'skipped/1/1',
    'skipped/1/2',
  ]);
  expect(events.at(-2)).toMatchObject({ kind: 'call-refused', code: 'run_ended' });
});

test('any earlier success satisfies a prerequisite, not only the latest (D-02)', async () => {
  const built = buildPlan([
    { id: 'read' },
    { id: 'write', after: [{ node: 'read', same: 'path' }] },
    END,
  ]);
  const { outcome, trail } = await runScript(built, [
    [['read', { path: 'a' }]],
    [['read', { path: 'b' }]],
    [['write', { path: 'a' }]],
    SUBMIT,
  ]);
  expect(outcome).toMatchObject({ status: 'success', usage: { tool_calls: 4 } });
  expect(trail.entries.filter((entry) => entry.type === 'call-refused')).toEqual([]);
});

test('a call may stand on one before it in the same reply (D-02)', async () => {
  const built = buildPlan([
    { id: 'read' },
    { id: 'write', after: [{ node: 'read', same: 'path' }] },
    END,
  ]);
  const { outcome } = await runScript(built, [
    [
      ['read', { path: 'a' }],
      ['write', { path: 'a' }],
      ['submit', { summary: 'Done.' }],
    ],
  ]);
  expect(outcome).toMatchObject({ status: 'success', turns: 1, usage: { tool_calls: 3 } });
});

test('a tool that runs into its own time limit fails softly and the run goes on (D-04)', async () => {
  const built = buildPlan([
    {
      id: 'slow',
      tool: { run: async () => ({ kind: 'failed', code: 'timeout', text: 'Over 60 s.' }) },
    },
    END,
  ]);
  const { outcome, model } = await runScript(built, [
    [['slow']],
    [['slow']],
    [['slow']],
    [['slow']],
    SUBMIT,
  ]);
  expect(outcome.status).toBe('success');
  expect(resultsOf(model).get('call_1_0')).toBe('[timeout] Over 60 s.');
});

test('a provider that reuses its call ids gets own ids back, unique in the run (D-06)', async () => {
  const built = buildPlan([{ id: 'read' }, END]);
  const twice = {
    tool_calls: [
      { id: 'call_0', name: 'read', arguments: '{"path":"a"}' },
      { id: 'call_0', name: 'read', arguments: '{"path":"b"}' },
    ],
  };
  const { outcome, model } = await runScript(built, [twice, twice, SUBMIT]);
  expect(outcome.status).toBe('success');
  expect([...resultsOf(model).keys()]).toEqual(['call_1_0', 'call_1_1', 'call_2_0', 'call_2_1']);
});

test.each([
  ['COMPLETE', 'success', 'success'],
  ['BLOCKED', 'blocked', 'blocked'],
  ['REJECTED', 'rejected', 'rejected'],
  ['PLAN_BLOCKED', 'success', 'success'],
  ['CHECKER_REJECTED', 'success', 'success'],
] as const)(
  'the result %s means %s, and nothing is guessed from a suffix (D-14)',
  async (...row) => {
    const [terminal, disposition, status] = row;
    const built = buildPlan([{ id: 'submit', terminal }]);
    const { outcome } = await runScript(built, [SUBMIT]);
    expect(outcome).toMatchObject({ disposition, status, terminal_result: terminal });
  },
);

test('the tool of a terminal says what its acceptance means (D-14)', async () => {
  const built = buildPlan([
    { id: 'refuse', terminal: 'CHECKER_REJECTED', toolId: 'builtin.terminal.reject' },
  ]);
  const { outcome } = await runScript(built, [[['refuse', { summary: 'No.' }]]]);
  expect(outcome).toMatchObject({ disposition: 'rejected', status: 'rejected' });
});

test('an argument that is absent on both sides does not match (D-20)', async () => {
  const built = buildPlan([
    { id: 'read' },
    { id: 'write', after: [{ node: 'read', same: 'path' }] },
    END,
  ]);
  const { outcome, model } = await runScript(built, [[['read', {}]], [['write', {}]], SUBMIT]);
  expect(outcome).toMatchObject({ status: 'success', usage: { tool_calls: 2 } });
  expect(resultsOf(model).get('call_2_0')).toContain('[prerequisite_denied]');
});
