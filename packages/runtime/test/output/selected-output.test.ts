import { digest } from '@millforge/contracts';
import type { SelectedOutputRequirement } from '@millforge/runtime';
import { expect, test } from 'vitest';
import { buildPlan, schemaOf } from '../support/builder-plan.ts';
import { resultsOf, runScript, type Scripted } from '../support/scripted-run.ts';

const PLAN = buildPlan(
  [
    { id: 'read' },
    { id: 'submit', terminal: 'COMPLETE' },
    { id: 'block', terminal: 'BLOCKED' },
    { id: 'hand', terminal: 'HANDED', input: schemaOf({ candidate: 'string' }) },
  ],
  { requestContext: true },
);

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    answer: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
  },
  required: ['answer'],
};

const asked = (changes: Partial<SelectedOutputRequirement> = {}): SelectedOutputRequirement => ({
  terminalResult: 'COMPLETE',
  required: true,
  schema: SCHEMA,
  ...changes,
});

const submit = (more: object = {}): Scripted => [['submit', { summary: 'Done.', ...more }]];

async function outcomeOf(script: readonly Scripted[], output = asked()) {
  const run = await runScript(PLAN, script, { outputs: [output] });
  return { ...run.outcome, record: run };
}

test('a terminal brings its structured result, with the digest of the schema', async () => {
  const { selected_output, status, record } = await outcomeOf([
    submit({ candidate: { answer: 7, tags: ['a'] } }),
  ]);
  expect(status).toBe('success');
  expect(selected_output).toEqual({
    present: true,
    schema_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    value: { answer: 7, tags: ['a'] },
  });
  const [request] = record.model.requests;
  const tool = request?.tools.find(({ name }) => name === 'submit');
  expect(tool?.parameters).toMatchObject({
    properties: { candidate: { type: 'object' } },
    required: ['candidate', 'summary'],
  });
  const block = request?.tools.find(({ name }) => name === 'block');
  expect(JSON.stringify(block?.parameters)).not.toContain('candidate');
  expect(request?.messages[1]?.content).toContain('"candidate_transport":"terminal_tool_argument"');
});

test('null is a value, and something else than an absent result or none that was asked for', async () => {
  const schema = { anyOf: [{ type: 'null' }, { type: 'string' }] };
  const optional = asked({ schema, required: false });
  const value = await outcomeOf([submit({ candidate: null })], optional);
  expect(value.selected_output).toMatchObject({ present: true, value: null });
  const absent = await outcomeOf([submit()], optional);
  expect(absent.selected_output).toEqual({
    present: false,
    schema_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const other = await outcomeOf([[['block', { summary: 'No.' }]]], optional);
  expect(other.selected_output).toBeNull();
});

test('the digest is of the normal form, whatever the order of the schema', async () => {
  const { selected_output } = await outcomeOf([submit({ candidate: 'x' })], {
    ...asked({ schema: { type: 'string' } }),
  });
  expect(selected_output?.schema_sha256).toBe(digest({ type: 'string' }));
});

test.each([
  ['is missing', {}, 'candidate'],
  ['has another type', { candidate: 'seven' }, 'candidate'],
  ['lacks a property', { candidate: { tags: [] } }, 'answer'],
  ['has too many items', { candidate: { answer: 1, tags: ['a', 'b', 'c'] } }, 'tags'],
])(
  'a structured result that %s is refused with its place, and asked for again',
  async (_, more, place) => {
    const { status, selected_output, record } = await outcomeOf([
      submit(more),
      submit({ candidate: { answer: null } }),
    ]);
    expect(resultsOf(record.model).get('call_1_0')).toContain(place);
    expect(status).toBe('success');
    expect(selected_output).toMatchObject({ value: { answer: null } });
  },
);

test('the tool of the terminal does not see the structured result', async () => {
  const { record } = await outcomeOf([submit({ candidate: { answer: 1 } })]);
  const called = record.events.find((event) => event.kind === 'call-ended');
  expect(called).toMatchObject({ text: 'submit done {"summary":"Done."}' });
});

test.each([
  ['a result that the plan does not have', asked({ terminalResult: 'DONE' })],
  ['a tool with an argument of that name', asked({ terminalResult: 'HANDED' })],
  ['a schema outside of the subset', asked({ schema: { type: 'string', pattern: '(?=x)' } })],
])('%s is a mistake of the host', async (_, output) => {
  await expect(outcomeOf([submit()], output)).rejects.toMatchObject({
    code: 'runtime/invalid-output',
  });
});

test('one result that is asked for twice is a mistake of the host', async () => {
  const twice = runScript(PLAN, [submit()], { outputs: [asked(), asked()] });
  await expect(twice).rejects.toMatchObject({ code: 'runtime/invalid-output' });
});

test('a run that ends without a terminal carries what it had done', async () => {
  const outcome = await outcomeOf([[['read', { path: 'a.ts' }]], { content: 'I have read it.' }]);
  expect(outcome).toMatchObject({
    status: 'budget_exhausted',
    selected_output: null,
    partial_work: {
      succeeded_node_ids: ['read'],
      artifact_ids: [],
      last_text: 'I have read it.',
    },
  });
  expect((await outcomeOf([submit({ candidate: { answer: 1 } })])).partial_work).toBeNull();
});
