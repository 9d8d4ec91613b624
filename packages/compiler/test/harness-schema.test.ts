import { readFileSync } from 'node:fs';
import { compileHarness } from '@millforge/compiler';
import { type JsonObject, type JsonValue, toPlainJson } from '@millforge/contracts';
import { parseSource } from '@millforge/source';
import { expect, test } from 'vitest';
import { fixtureNames, readFixture } from './support/fixtures.ts';
import { findings, graphOf, harness } from './support/harness.ts';
import { fitsSchema } from './support/json-schema-draft-07.ts';

const schema = JSON.parse(readFileSync(new URL('../harness.schema.json', import.meta.url), 'utf8'));

function fits(source: JsonValue): boolean {
  return fitsSchema(source, schema);
}

/** Whether the compiler finds that a document has its form. */
function hasForm(source: JsonObject): boolean {
  return findings(source).every(({ code }) => !FORM_CODES.test(code));
}

const FORM_CODES = /^MF-S02[0-5]$/;
// A schema cannot tell 8.0 from 8, nor that a list of numbers does not fall.
const NOT_EXPRESSIBLE = ['budget-invalid.invalid', 'context-policy-invalid.invalid'];

const { valid, invalid } = fixtureNames();

test.each([...valid, ...invalid])('judges the form of %s as the compiler does', (name) => {
  const { source, input } = readFixture(name);
  const parsed = parseSource({ logicalPath: name, format: 'yaml', content: source });
  if (parsed.source === null) return;
  const { diagnostics } = compileHarness(source, input);
  const isRight = diagnostics.every(({ code }) => !FORM_CODES.test(code));
  const value = toPlainJson(parsed.source.value);
  expect(fits(value)).toBe(isRight || NOT_EXPRESSIBLE.includes(name));
});

const LATER = { schema_version: '1.1' };
const DONE = { terminal_result: 'DONE' };
const needing = (prerequisite: JsonValue) =>
  graphOf({ a: {}, b: {}, x: { ...DONE, prerequisites: [prerequisite] } }, LATER);

test.each<[string, JsonObject]>([
  ['a small harness', harness()],
  [
    'nodes as a list',
    harness({ graph: { nodes: [{ node_id: 'x', tool_ref: 'test.x@1', ...DONE }] } }),
  ],
  ['no nodes', harness({ graph: { nodes: {} } })],
  ['a key that is no node id', harness({ graph: { nodes: { X: { tool_ref: 'test.x@1' } } } })],
  ['a list of nodes without ids', harness({ graph: { nodes: [{ tool_ref: 'test.x@1' }] } })],
  ['an unknown key', harness({ more: 1 })],
  ['an unknown key of a node', graphOf({ x: { ...DONE, more: 1 } })],
  ['a tool without a version', graphOf({ x: { ...DONE, tool_ref: 'test.x' } })],
  ['a result that is null', graphOf({ x: DONE, y: { terminal_result: null } })],
  ['a repeated artifact', graphOf({ x: { ...DONE, produces: ['a', 'a'] } })],
  [
    'a prompt of spaces',
    harness({
      prompt: { policy_id: 'a', system_instructions: ' ', include_request_context: true },
    }),
  ],
  ['an id of 161 characters', harness({ harness_id: 'a'.repeat(161) })],
  [
    'two thresholds',
    harness({ context: { ...(harness()['context'] as JsonObject), phase_thresholds: [0.5, 1] } }),
  ],
  ['a version that nobody knows', harness({ schema_version: '2.0' })],
  ['matches as a mapping', needing({ node_id: 'a', argument_matches: { p: 'q' } })],
  [
    'matches as a list',
    needing({ node_id: 'a', argument_matches: [{ prior_argument: 'p', current_argument: 'q' }] }),
  ],
  [
    'a match of something that is no argument',
    needing({ node_id: 'a', argument_matches: { 'p q': 'q' } }),
  ],
  ['alternatives', needing({ any_of: [{ node_id: 'a' }, { node_id: 'b' }] })],
  ['one alternative', needing({ any_of: [{ node_id: 'a' }] })],
  [
    'alternatives in version 1.0',
    { ...needing({ any_of: [{ node_id: 'a' }, { node_id: 'b' }] }), schema_version: '1.0' },
  ],
  ['a name for the model', graphOf({ x: { ...DONE, model_tool_name: 'end' } }, LATER)],
  ['a name for the model in version 1.0', graphOf({ x: { ...DONE, model_tool_name: 'end' } })],
  ['obligations of one end', graphOf({ a: { required_for: ['DONE'] }, x: DONE }, LATER)],
  ['obligations of one end in version 1.0', graphOf({ a: { required_for: ['DONE'] }, x: DONE })],
  ['call bounds', graphOf({ a: { calls: { max: 3 } }, x: DONE }, LATER)],
  ['call bounds of zero', graphOf({ a: { calls: { max: 0 } }, x: DONE }, LATER)],
  ['a meaning', graphOf({ x: { ...DONE, disposition: 'blocked' } }, LATER)],
  ['a meaning that nobody knows', graphOf({ x: { ...DONE, disposition: 'fine' } }, LATER)],
  [
    'an observed limit',
    harness({
      ...LATER,
      budgets: { ...(harness()['budgets'] as JsonObject), observed_limits: { tool_calls: 3 } },
    }),
  ],
  [
    'an observed limit in version 1.0',
    harness({
      budgets: { ...(harness()['budgets'] as JsonObject), observed_limits: { tool_calls: 3 } },
    }),
  ],
  [
    'constraints',
    harness({
      ...LATER,
      capability_constraints: { net: { hosts: ['*.example.org'], max_bytes: 9 } },
    }),
  ],
  [
    'constraints as a list',
    harness({
      ...LATER,
      capability_constraints: [{ capability_id: 'net', constraints: { paths: ['src/**'] } }],
    }),
  ],
  ['constraints of nothing', harness({ ...LATER, capability_constraints: { net: {} } })],
  ['constraints in version 1.0', harness({ capability_constraints: { net: { max_bytes: 9 } } })],
  [
    'demands as a list',
    harness({
      artifacts: {
        declared_artifact_ids: ['a'],
        required_by_terminal: [{ terminal_result: 'DONE', artifact_ids: ['a'] }],
      },
    }),
  ],
  ['a demand of nothing', harness({ artifacts: { required_by_terminal: { DONE: [] } } })],
])('judges %s as the compiler does', (_, source) => {
  expect(fits(source)).toBe(hasForm(source));
});

test('knows every key that the compiler names as known', () => {
  const places: readonly (readonly [JsonObject, readonly string[]])[] = [
    [harness({ ...LATER, zz: 1 }), propertiesOf(schema)],
    [graphOf({ x: { ...DONE, zz: 1 } }, LATER), propertiesOf(schema.definitions.node_record)],
  ];
  for (const [source, known] of places) {
    const hint = findings(source).find(({ code }) => code === 'MF-S021')?.hint ?? '';
    const named = hint.replace(/^Known here: (.*)\.$/, '$1').split(', ');
    expect(named.toSorted()).toEqual(known.toSorted());
  }
});

test('lets an editor see an empty mapping where YAML writes nothing', () => {
  expect(fits({ ...harness(), artifacts: null })).toBe(true);
});

function propertiesOf({ properties }: { readonly properties: object }): readonly string[] {
  return Object.keys(properties);
}
