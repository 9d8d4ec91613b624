import { compileHarness } from '@millforge/compiler';
import type { JsonObject } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { findings, graphOf, harness, inputFor } from '../support/harness.ts';

function faults(source: JsonObject, request: object = {}): readonly string[] {
  return findings(source, { request: { grants: [], ...request } }).map(
    ({ code, path }) => `${code} ${path}`,
  );
}

const DONE = { terminal_result: 'DONE' };

test('collects everything in which source and request disagree', () => {
  const request = {
    expectedHarnessId: 'other',
    stageKindId: 'other',
    legalTerminalResults: ['OTHER'],
  };
  expect(faults(harness(), request)).toEqual([
    'MF-S029 /graph/nodes/0/terminal_result',
    'MF-S027 /harness_id',
    'MF-S028 /stage_scope/stage_kind_ids',
  ]);
});

test.each<[string, JsonObject, { legal?: readonly string[]; path: string }]>([
  [
    'a result that two nodes end with, at the later one',
    graphOf({ a: DONE, b: DONE }),
    { path: '/graph/nodes/1/terminal_result' },
  ],
  [
    'an artifact policy for a result that no node has',
    harness({ artifacts: { required_by_terminal: { OTHER: ['a'] } } }),
    { path: '/artifacts/required_by_terminal/0/terminal_result' },
  ],
  [
    'a legal result that no node has',
    harness(),
    { legal: ['DONE', 'OTHER'], path: '/graph/nodes' },
  ],
])('reports %s', (_, source, { legal, path }) => {
  const request = legal === undefined ? {} : { legalTerminalResults: legal };
  expect(faults(source, request)).toEqual([`MF-S029 ${path}`]);
});

test('looks for secrets in every text and repeats none', () => {
  const secret = `ghp_${'x1'.repeat(18)}`;
  const prompt = { ...(harness()['prompt'] as JsonObject), system_instructions: `Use ${secret}.` };
  const result = compileHarness(harness({ prompt }), inputFor(harness()));
  expect(result.diagnostics).toMatchObject([
    { code: 'MF-S026', path: '/prompt/system_instructions' },
  ]);
  expect(JSON.stringify(result)).not.toContain(secret);
});

test('lets prose about passwords and tokens pass', () => {
  const system_instructions = 'Ask for the password: required. A token: something the user has.';
  const prompt = { ...(harness()['prompt'] as JsonObject), system_instructions };
  expect(faults(harness({ prompt }))).toEqual([]);
});

test('says nothing about the request while the source lacks its form', () => {
  expect(faults(harness({ harness_version: 0 }), { expectedHarnessId: 'other' })).toEqual([
    'MF-S020 /harness_version',
  ]);
});

test.each<[JsonObject, object, string]>([
  [harness(), { expectedHarnessId: 'other' }, "The request expects 'other'."],
  [harness(), { stageKindId: 'tset' }, "Did you mean 'test'?"],
  [harness(), { stageKindId: 'x' }, "The request asks for 'x': add it here, or ask for 'test'."],
  [harness(), { legalTerminalResults: ['DONNE'] }, "Did you mean 'DONNE'?"],
  [harness(), { legalTerminalResults: ['OTHER'] }, "Known here: 'OTHER'."],
  [
    harness(),
    { legalTerminalResults: ['DONE', 'OTHER'] },
    "No node ends with 'OTHER': give one that terminal_result, or do not ask for it.",
  ],
])('hints at what request and source could agree on: %#', (source, request, hint) => {
  const found = findings(source, { request: { grants: [], ...request } });
  expect(found.map((diagnostic) => diagnostic.hint)).toEqual([hint]);
});
