import { compileHarness } from '@millforge/compiler';
import type { JsonObject } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { findings, graphOf, harness, inputFor } from '../support/harness.ts';

const OTHER = { node_id: 'other' };
const ANY_OF = { prerequisites: [{ any_of: [OTHER, { node_id: 'more' }] }] };

function nodeWith(fields: JsonObject, parts: JsonObject = {}) {
  const nodes = { node: fields, other: {}, more: {}, x: { terminal_result: 'DONE' } };
  return graphOf(nodes, parts);
}

const BUDGETS = harness()['budgets'] as JsonObject;

test.each<[string, JsonObject, string]>([
  ['model_tool_name', nodeWith({ model_tool_name: 'n' }), '/graph/nodes/0/model_tool_name'],
  ['required_for', nodeWith({ required_for: ['DONE'] }), '/graph/nodes/0/required_for'],
  ['calls', nodeWith({ calls: { max: 1 } }), '/graph/nodes/0/calls'],
  ['disposition', nodeWith({ disposition: 'failed' }), '/graph/nodes/0/disposition'],
  ['any_of', nodeWith(ANY_OF), '/graph/nodes/0/prerequisites/0/any_of'],
  [
    'observed_limits',
    harness({ budgets: { ...BUDGETS, observed_limits: { tool_calls: 1 } } }),
    '/budgets/observed_limits',
  ],
  [
    'capability_constraints',
    harness({ capability_constraints: { 'a.b': { max_bytes: 1 } } }),
    '/capability_constraints',
  ],
])('a source of version 1.0 that uses %s is told of version 1.1', (name, source, path) => {
  expect(findings(source)).toMatchObject([
    { code: 'MF-S021', path, hint: `Write schema_version: "1.1" to use ${name}.` },
  ]);
});

const V11 = { schema_version: '1.1' };

test.each<[string, JsonObject, string]>([
  [
    'a name with a space',
    nodeWith({ model_tool_name: 'a b' }, V11),
    'MF-S022 /graph/nodes/0/model_tool_name',
  ],
  [
    'a result in lower case',
    nodeWith({ required_for: ['done'] }, V11),
    'MF-S022 /graph/nodes/0/required_for',
  ],
  ['no calls at all', nodeWith({ calls: { max: 0 } }, V11), 'MF-S020 /graph/nodes/0/calls/max'],
  [
    'more needed than allowed',
    nodeWith({ calls: { min: 3, max: 2 } }, V11),
    'MF-S020 /graph/nodes/0/calls',
  ],
  [
    'an unknown disposition',
    nodeWith({ disposition: 'ok' }, V11),
    'MF-S020 /graph/nodes/0/disposition',
  ],
  [
    'two kinds of obligation',
    nodeWith({ required: true, required_for: ['DONE'] }, V11),
    'MF-S020 /graph/nodes/0/required',
  ],
  [
    'one alternative',
    nodeWith({ prerequisites: [{ any_of: [OTHER] }] }, V11),
    'MF-S020 /graph/nodes/0/prerequisites/0/any_of',
  ],
  [
    'alternatives inside alternatives',
    nodeWith({ prerequisites: [{ any_of: [OTHER, { any_of: [OTHER] }] }] }, V11),
    'MF-S021 /graph/nodes/0/prerequisites/0/any_of/1/any_of',
  ],
])('refuses %s', (_, source, expected) => {
  const found = findings(source).map((one) => `${one.code} ${one.path}`);
  expect(found).toContain(expected);
});

test.each<[string, JsonObject, string]>([
  ['a constraint of nothing', { 'a.b': {} }, 'MF-S020 /capability_constraints/0/constraints'],
  [
    'a glob that climbs',
    { 'a.b': { paths: ['../x'] } },
    'MF-S020 /capability_constraints/0/constraints/paths',
  ],
  [
    'a host with a port',
    { 'a.b': { hosts: ['a.test:80'] } },
    'MF-S020 /capability_constraints/0/constraints/hosts',
  ],
  [
    'an id in upper case',
    { 'A.b': { max_bytes: 1 } },
    'MF-S022 /capability_constraints/0/capability_id',
  ],
])('refuses %s', (_, capability_constraints, expected) => {
  const source = harness({ ...V11, capability_constraints });
  expect(findings(source).map((one) => `${one.code} ${one.path}`)).toEqual([expected]);
});

test('an unknown version is the only thing said of a document that uses version 1.1', () => {
  const source = nodeWith({ ...ANY_OF, calls: { max: 2 } }, { schema_version: '1.2' });
  expect(findings(source)).toMatchObject([
    { code: 'MF-S020', path: '/schema_version', hint: 'Expected the text "1.0" or "1.1".' },
  ]);
});

test('what was read is accepted again, as the list form that it has', () => {
  const constrained = { 'a.b': { paths: ['src/**'] } };
  const source = nodeWith(
    { ...ANY_OF, calls: { max: 2 }, tool_ref: 'test.node@1' },
    { ...V11, capability_constraints: constrained },
  );
  let model: JsonObject = {};
  const onPhase = ({ name, print }: { name: string; print: () => string }) => {
    if (name === 'read') model = JSON.parse(print()).harness;
  };
  const first = compileHarness(source, inputFor(source, { onPhase }));
  expect(model).toMatchObject({ schema_version: '1.1' });
  expect(compileHarness(model, inputFor(source)).diagnostics).toEqual(first.diagnostics);
});
