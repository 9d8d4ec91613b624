import { manualClock } from '@millforge/contracts/testing';
import { createModelClient } from '@millforge/models';
import { type ScriptedFault, startScriptedServer } from '@millforge/models/testing';
import { expect, test } from 'vitest';
import { buildPlan } from '../support/builder-plan.ts';
import { runScript } from '../support/scripted-run.ts';

const PLAN = buildPlan([
  {
    id: 'read',
    input: {
      type: 'object',
      additionalProperties: false,
      properties: { line: { type: 'integer' } },
      required: ['line'],
    },
  },
  { id: 'submit', terminal: 'COMPLETE' },
]);

/** The error of a server that could not parse what its model wrote. */
function unparsed(text: string): ScriptedFault {
  return { kind: 'status', status: 500, message: `Failed to parse input at pos 3: ${text}` };
}

function call(name: string, key: string, value: string): string {
  return `<tool_call>\n<function=${name}>\n<parameter=${key}>\n${value}\n</parameter>\n</function>\n</tool_call>`;
}

/** A run against a server that answers its requests with these errors, and then with the last reply. */
async function run(...texts: readonly string[]) {
  await using server = await startScriptedServer({
    replies: [
      ...texts.map((text) => ({ content: '', fault: unparsed(text) })),
      { tool_calls: [{ name: 'submit', arguments: '{"summary":"Done."}' }] },
    ],
  });
  const clock = manualClock();
  const profile = { profile_id: 'test.model', base_url: server.url, model: 'm', max_retries: 0 };
  const model = createModelClient({ profile, fetch, clock });
  const { outcome, trail } = await runScript(PLAN, [], { model });
  return { outcome, noted: trail.entries.map(({ type }) => type) };
}

test('calls that a server could not parse are performed where they are whole and fit (GE-11)', async () => {
  const { outcome, noted } = await run(call('read', 'line', '7'));
  expect(outcome).toMatchObject({ status: 'success', turns: 2, usage: { tool_calls: 2 } });
  expect(noted).toEqual(['arguments-repaired', 'terminal-accepted']);
});

test.each([
  ['cut', '<tool_call>\n<function=read>\n<parameter=line>\n7'],
  ['of another tool', call('erase', 'line', '7')],
  ['without what is required', '<function=read>\n</function>'],
  ['of another type', call('read', 'line', 'seven')],
])('calls that are %s are not performed, and the model is told (GE-11)', async (_what, text) => {
  const { outcome, noted } = await run(text);
  expect(outcome).toMatchObject({ status: 'success', turns: 2, usage: { tool_calls: 1 } });
  expect(noted).toEqual(['model-re-asked', 'terminal-accepted']);
});
