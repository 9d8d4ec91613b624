import { compileHarness } from '@millforge/compiler';
import type { JsonObject, JsonValue } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { findings, graphOf, harness, inputFor } from '../support/harness.ts';

/** Code and path of every finding. */
function faults(parts: JsonObject): readonly string[] {
  return findings(harness(parts)).map(({ code, path }) => `${code} ${path}`);
}

function textFaults(text: string): readonly string[] {
  const { diagnostics } = compileHarness(text, inputFor(harness()));
  return diagnostics.map(({ code, path }) => `${code} ${path}`);
}

const NODE = { tool_ref: 'test.finish@1', terminal_result: 'DONE' };
const nodes = (value: JsonValue) => ({ graph: { nodes: value } });
const node = (fields: JsonObject) => nodes({ finish: { ...NODE, ...fields } });
const budgets = { ...(harness()['budgets'] as JsonObject) };
const context = { ...(harness()['context'] as JsonObject) };

test('compiles the harness that every case below departs from', () => {
  expect(findings(harness())).toEqual([]);
});

test.each<[string, JsonObject, string]>([
  ['an unknown version', { schema_version: '1.2' }, 'MF-S020 /schema_version'],
  ['a version that is a float', { schema_version: 1 }, 'MF-S020 /schema_version'],
  ['another kind', { kind: 'harness' }, 'MF-S020 /kind'],
  ['an id with upper case', { harness_id: 'Test.harness' }, 'MF-S022 /harness_id'],
  ['an id of 161 characters', { harness_id: 'a'.repeat(161) }, 'MF-S022 /harness_id'],
  ['a version as text', { harness_version: '1' }, 'MF-S020 /harness_version'],
  ['a version past the range', { harness_version: 2_147_483_648 }, 'MF-S020 /harness_version'],
  ['a null where a value belongs', { harness_version: null }, 'MF-S020 /harness_version'],
  ['no stages', { stage_scope: { stage_kind_ids: [] } }, 'MF-S022 /stage_scope/stage_kind_ids'],
  [
    'a repeated stage',
    { stage_scope: { stage_kind_ids: ['a', 'a'] } },
    'MF-S022 /stage_scope/stage_kind_ids',
  ],
  [
    'a stage that is a number',
    { stage_scope: { stage_kind_ids: ['a', 1] } },
    'MF-S022 /stage_scope/stage_kind_ids/1',
  ],
  ['a list for a mapping', { prompt: [] }, 'MF-S020 /prompt'],
  ['no artifacts at all', { artifacts: null }, 'MF-S020 /artifacts'],
  ['an unknown field of a budget', { budgets: { ...budgets, more: 1 } }, 'MF-S021 /budgets/more'],
  [
    'a budget of zero',
    { budgets: { ...budgets, max_iterations: 0 } },
    'MF-S024 /budgets/max_iterations',
  ],
  [
    'a budget past its range',
    { budgets: { ...budgets, max_tool_errors: 65 } },
    'MF-S024 /budgets/max_tool_errors',
  ],
  [
    'a budget as a truth value',
    { budgets: { ...budgets, max_iterations: true } },
    'MF-S024 /budgets/max_iterations',
  ],
  ['budgets as text', { budgets: 'many' }, 'MF-S024 /budgets'],
  [
    'another strategy',
    { context: { ...context, strategy_id: 'x' } },
    'MF-S025 /context/strategy_id',
  ],
  [
    'too few tokens',
    { context: { ...context, budget_tokens: 255 } },
    'MF-S025 /context/budget_tokens',
  ],
  [
    'falling thresholds',
    { context: { ...context, phase_thresholds: [0.9, 0.7, 1] } },
    'MF-S025 /context/phase_thresholds',
  ],
  [
    'a threshold of zero',
    { context: { ...context, phase_thresholds: [0, 0.7, 1] } },
    'MF-S025 /context/phase_thresholds',
  ],
  [
    'two thresholds',
    { context: { ...context, phase_thresholds: [0.7, 1] } },
    'MF-S025 /context/phase_thresholds',
  ],
  ['a graph without nodes', { graph: {} }, 'MF-S020 /graph/nodes'],
  ['an empty graph', nodes({}), 'MF-S020 /graph/nodes'],
  ['a node that is null', nodes({ finish: null }), 'MF-S023 /graph/nodes/0/tool_ref'],
  ['a node id in the body under a key', node({ node_id: 'finish' }), 'MF-S020 /graph'],
  ['a key that is no node id', nodes({ Finish: NODE }), 'MF-S022 /graph/nodes/0/node_id'],
  ['a record without a node id', nodes([NODE]), 'MF-S022 /graph/nodes/0/node_id'],
  [
    'two records with one node id',
    nodes([
      { ...NODE, node_id: 'a' },
      { ...NODE, node_id: 'a', terminal_result: null },
    ]),
    'MF-S022 /graph/nodes',
  ],
  [
    'a tool without a version',
    node({ tool_ref: 'test.finish' }),
    'MF-S023 /graph/nodes/0/tool_ref',
  ],
  ['a tool of version 01', node({ tool_ref: 'test.finish@01' }), 'MF-S023 /graph/nodes/0/tool_ref'],
  ['a truth value as text', node({ required: 'no' }), 'MF-S020 /graph/nodes/0/required'],
  [
    'prerequisites as a mapping',
    node({ prerequisites: {} }),
    'MF-S020 /graph/nodes/0/prerequisites',
  ],
  [
    'a result in lower case',
    node({ terminal_result: 'done' }),
    'MF-S022 /graph/nodes/0/terminal_result',
  ],
  ['a repeated artifact', node({ produces: ['a', 'a'] }), 'MF-S022 /graph/nodes/0/produces'],
  ['an artifact as a number', node({ produces: [1] }), 'MF-S022 /graph/nodes/0/produces/0'],
  [
    'two matches that name one argument',
    node({
      prerequisites: [{ node_id: 'a', argument_matches: { x: 'z', y: 'z' } }],
    }),
    'MF-S020 /graph/nodes/0/prerequisites/0/argument_matches',
  ],
  [
    'a match of something that is no argument',
    node({ prerequisites: [{ node_id: 'a', argument_matches: { 'x y': 'z' } }] }),
    'MF-S022 /graph/nodes/0/prerequisites/0/argument_matches/0/prior_argument',
  ],
  [
    'a terminal policy in lower case',
    { artifacts: { required_by_terminal: { done: ['a'] } } },
    'MF-S022 /artifacts/required_by_terminal/0/terminal_result',
  ],
  [
    'a terminal policy without artifacts',
    { artifacts: { required_by_terminal: { DONE: [] } } },
    'MF-S022 /artifacts/required_by_terminal/0/artifact_ids',
  ],
])('refuses %s', (_, parts, expected) => {
  expect(faults(parts)).toEqual([expected]);
});

test('keeps 4.0 apart from 4, and takes 1 for a threshold', () => {
  const text = JSON.stringify(harness());
  expect(textFaults(text.replace('"max_iterations":8', '"max_iterations":8.0'))).toEqual([
    'MF-S024 /budgets/max_iterations',
  ]);
  expect(textFaults(text.replace('0.75,1]', '1,1.0]'))).toEqual([]);
});

test('collects all faults of form and sorts them by where they stand', () => {
  const { graph: _, ...rest } = harness({ harness_version: 0, budgets: {} });
  expect(textFaults(JSON.stringify({ extra: 1, ...rest }, null, 1))).toEqual([
    'MF-S020 /graph',
    'MF-S021 /extra',
    'MF-S020 /harness_version',
    'MF-S024 /budgets/max_iterations',
    'MF-S024 /budgets/max_premature_terminal_attempts',
    'MF-S024 /budgets/max_prerequisite_violations',
    'MF-S024 /budgets/max_tool_errors',
    'MF-S024 /budgets/max_validation_retries',
  ]);
});

test('leads to line and column, and says what was expected', () => {
  const text = JSON.stringify(harness({ harness_version: 0 }), null, 2);
  const [found] = compileHarness(text, inputFor(harness())).diagnostics;
  expect(found).toMatchObject({
    span: { line: 5, column: 3 },
    logicalPath: 'in-memory',
    hint: 'Expected an integer from 1 to 2147483647.',
    fields: [{ key: 'field_path', value: '/harness_version' }],
  });
});

test('leads from the list form of a mapping to the key that was written', () => {
  const text = JSON.stringify(graphOf({ finish: NODE, b: { required: 1 } }), null, 2);
  const line = text.split('\n').findIndex((row) => row.includes('"required"')) + 1;
  const [found] = compileHarness(text, inputFor(harness())).diagnostics;
  expect(found).toMatchObject({ path: '/graph/nodes/1/required', span: { line } });
});

test('leads to an item of a list that stands under a terminal result', () => {
  const artifacts = { declared_artifact_ids: ['a'], required_by_terminal: { DONE: ['a', 1] } };
  const text = JSON.stringify(harness({ artifacts }), null, 2);
  const line = text.split('\n').lastIndexOf('        1') + 1;
  const [found] = compileHarness(text, inputFor(harness())).diagnostics;
  expect(found).toMatchObject({
    path: '/artifacts/required_by_terminal/0/artifact_ids/1',
    span: { line, column: 9 },
  });
});

test('keeps the order of integer-like keys', () => {
  const text = '{"graph":{"nodes":{"b":{"tool_ref":1},"2":{"tool_ref":2}}}}';
  expect(textFaults(text)).toContain('MF-S022 /graph/nodes/1/node_id');
});

test('accepts __proto__ as an argument and refuses it as a field', () => {
  const text = JSON.stringify(harness());
  expect(textFaults(text.replace('{', '{"__proto__":1,'))).toEqual(['MF-S021 /__proto__']);
  const matches = '{"node_id":"a","argument_matches":{"__proto__":"__proto__"}}';
  const matched = text.replace(
    '"terminal_result"',
    `"prerequisites":[${matches}],"terminal_result"`,
  );
  expect(textFaults(matched)).toEqual(['MF-G001 /graph/nodes/0/prerequisites/0']);
});

test('does not repeat a secret that stands as a key (B-44)', () => {
  const key = `sk-${'a1'.repeat(20)}`;
  const report = JSON.stringify(findings(harness({ [key]: 1 })));
  expect(report).toContain('MF-S021');
  expect(report).not.toContain(key);
});

test('bounds the pointer to a key of 60,000 bytes', () => {
  const [found] = findings(harness({ ['k'.repeat(60_000)]: 1 }));
  expect(found?.path.length).toBeLessThanOrEqual(512);
});

function many(count: number): JsonObject {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`n${index}`, { tool_ref: `test.n${index}@1` }]),
  );
}

test('accepts 512 nodes, and no more', () => {
  expect(faults(nodes({ ...many(511), finish: NODE }))).toEqual([]);
  expect(faults(nodes({ ...many(512), finish: NODE }))).toEqual(['MF-S020 /graph/nodes']);
});

test.each<[string, JsonObject, string]>([
  [
    'a key that is missing',
    { kind: null },
    'Expected the text "millforge_harness" in quotes, found null.',
  ],
  ['a nearby key', { harness_verison: 1 }, "Did you mean 'harness_version'?"],
  ['a key of a node', node({ require: true }), "Did you mean 'required'?"],
  [
    'a key that resembles nothing',
    { stage_scope: { stage_kind_ids: ['a'], zebra: 1 } },
    'Known here: stage_kind_ids.',
  ],
  [
    'another kind of value',
    { harness_version: '1' },
    'Expected an integer from 1 to 2147483647, found text.',
  ],
  [
    'a wrong item of a list',
    node({ produces: ['a', 'B'] }),
    'Expected a list of which each is an artifact id, such as score_card; item 2 is not.',
  ],
  [
    'a repeated item of a list',
    node({ produces: ['a', 'b', 'a'] }),
    'Expected a list without repetitions; item 3 stands there before.',
  ],
])('hints at %s', (_, parts, hint) => {
  expect(findings(harness(parts)).map((found) => found.hint)).toEqual([hint]);
});

test('says of a missing key that it is missing', () => {
  const { graph: _, harness_id: __, ...rest } = harness();
  const found = findings(rest);
  expect(found.map(({ code, path, hint }) => [code, path, hint])).toEqual([
    ['MF-S020', '/graph', "Add the missing key 'graph': a mapping with nodes."],
    [
      'MF-S022',
      '/harness_id',
      "Add the missing key 'harness_id': a dotted id, such as docs.notes.search.",
    ],
  ]);
});

test('tells a version without quotes from a wrong one', () => {
  const text = JSON.stringify(harness()).replace('"schema_version":"1.0"', '"schema_version":1.0');
  const [found] = compileHarness(text, inputFor(harness())).diagnostics;
  expect(found?.hint).toBe(
    'Expected the text "1.0" or "1.1" in quotes, found a number with a decimal point or an exponent.',
  );
});
