import { compileHarness } from '@millforge/compiler';
import type { JsonObject } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { checkArguments } from '../../src/check/check-arguments.ts';
import { toHarnessGraph } from '../../src/check/harness-graph.ts';
import type { ResolvedHarness } from '../../src/resolve/resolved-harness.ts';
import { findings, graphOf, harness, inputFor, objectSchema, tool } from '../support/harness.ts';
import { worded } from '../support/worded.ts';

const TEXT = { type: 'string' };

function messages(matches: JsonObject, prior: JsonObject, current: JsonObject): readonly string[] {
  const source = graphOf({
    a: {},
    b: { prerequisites: [{ node_id: 'a', argument_matches: matches }] },
    x: { terminal_result: 'DONE' },
  });
  const tools = [
    tool('test.a', { input_schema: objectSchema(prior) }),
    tool('test.b', { input_schema: objectSchema(current) }),
  ];
  return findings(source, { tools }).map(({ code, message, related }) => {
    expect([code, related]).toEqual(['MF-G012', ['a']]);
    return message;
  });
}

test.each<[string, JsonObject, JsonObject]>([
  ['equal schemas', { id: TEXT }, { key: TEXT }],
  [
    'schemas that differ in annotations only',
    { id: { ...TEXT, description: 'An id.' } },
    { key: { ...TEXT, default: 'x' } },
  ],
  [
    'objects written in another order',
    { id: objectSchema({ a: TEXT, b: TEXT }) },
    { key: { ...objectSchema({ b: TEXT, a: TEXT }), required: ['b', 'a'] } },
  ],
])('accepts %s', (_, prior, current) => {
  expect(messages({ id: 'key' }, prior, current)).toEqual([]);
});

test.each<[string, { prior: JsonObject; current: JsonObject; answer: string[] }]>([
  [
    'an unknown prior argument',
    {
      prior: { other: TEXT },
      current: { key: TEXT },
      answer: ['Argument match references unknown prerequisite argument.'],
    },
  ],
  [
    'an unknown current argument',
    {
      prior: { id: TEXT },
      current: {},
      answer: ['Argument match references unknown current argument.'],
    },
  ],
  [
    'an optional prior argument',
    {
      prior: { 'id?': TEXT },
      current: { key: TEXT },
      answer: ['Prerequisite argument match source must be required.'],
    },
  ],
  [
    'an optional current argument',
    {
      prior: { id: TEXT },
      current: { 'key?': TEXT },
      answer: ['Current argument match target must be required.'],
    },
  ],
  [
    'another type',
    {
      prior: { id: TEXT },
      current: { key: { type: 'integer' } },
      answer: ['Argument match schemas are not compatible.'],
    },
  ],
  [
    'an enum in another order',
    {
      prior: { id: { ...TEXT, enum: ['a', 'b'] } },
      current: { key: { ...TEXT, enum: ['b', 'a'] } },
      answer: ['Argument match schemas are not compatible.'],
    },
  ],
])('refuses %s', (_, { prior, current, answer }) => {
  expect(messages({ id: 'key' }, prior, current)).toEqual(answer);
});

function schemaNamed(name: string): JsonObject {
  return JSON.parse(`{"${name}":{"type":"string"}}`);
}

test('matches arguments named __proto__ and constructor', () => {
  const matches = JSON.parse('{"__proto__":"constructor"}');
  const current = schemaNamed('constructor');
  expect(messages(matches, schemaNamed('__proto__'), current)).toEqual([]);
  expect(messages(matches, {}, current)).toHaveLength(1);
});

test('looks only at the top level of the input schema', () => {
  expect(
    messages({ id: 'key' }, { outer: objectSchema({ id: TEXT }) }, { key: TEXT }),
  ).toHaveLength(1);
});

test('reports arguments that fan out and in besides their other faults', () => {
  const source = graphOf({
    a: {},
    b: {
      prerequisites: [
        {
          node_id: 'a',
          argument_matches: [{ prior_argument: 'p', current_argument: 'c' }],
        },
      ],
    },
    x: { terminal_result: 'DONE' },
  });
  const tools = [
    tool('test.a', { input_schema: objectSchema({ p: TEXT, q: TEXT }) }),
    tool('test.b', { input_schema: objectSchema({ c: TEXT, d: TEXT }) }),
  ];
  const resolved = resolvedBy(source, tools);
  const fanning = {
    ...resolved,
    nodes: resolved.nodes.map((node) => ({
      ...node,
      source: {
        ...node.source,
        prerequisites: node.source.prerequisites.map((item) => ({
          node_id: 'any_of' in item ? '' : item.node_id,
          argument_matches: [
            { prior_argument: 'q', current_argument: 'd' },
            { prior_argument: 'p', current_argument: 'd' },
            { prior_argument: 'p', current_argument: 'c' },
          ],
        })),
      },
    })),
  };
  const found = checkArguments(fanning, toHarnessGraph(fanning)).map(worded);
  expect(found.map(({ message }) => message)).toEqual([
    'Argument match fans out from one prerequisite argument.',
    'Argument match fans in to one current argument.',
  ]);
});

test('skips matches on invalid edges and between tools that did not resolve', () => {
  const match = { argument_matches: { id: 'key' } };
  const source = graphOf({
    a: { tool_ref: 'test.a@2' },
    b: {
      prerequisites: [
        { node_id: 'a', ...match },
        { node_id: 'b', ...match },
      ],
    },
    x: { terminal_result: 'DONE' },
  });
  const codes = findings(source, { tools: [tool('test.a')] }).map(({ code }) => code);
  expect(codes).toEqual(['MF-R002', 'MF-G002']);
});

/** What resolving makes of a harness, caught on its way. */
function resolvedBy(source: JsonObject, tools: JsonObject[]): ResolvedHarness {
  let caught = '';
  compileHarness(source, {
    ...inputFor(harness(), { tools }),
    onPhase: ({ name, print }) => {
      if (name === 'resolve') caught = print();
    },
  });
  return JSON.parse(caught);
}
