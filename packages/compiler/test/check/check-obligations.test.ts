import { compileHarness } from '@millforge/compiler';
import type { CapabilityConstraints, JsonObject } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { findings, graphOf, inputFor, needs, summaries, tool } from '../support/harness.ts';

const V11 = { schema_version: '1.1' };

function anyOf(...ids: readonly string[]): JsonObject {
  return { prerequisites: [{ any_of: ids.map((node_id) => ({ node_id })) }] };
}

function found(nodes: Parameters<typeof graphOf>[0], parts: JsonObject = {}) {
  return summaries(findings(graphOf(nodes, { ...V11, ...parts })));
}

const DONE = { terminal_result: 'DONE' };
const STUCK = { terminal_result: 'STUCK' };

test('a node that is required for some results need not come before the others', () => {
  const a = { required_for: ['DONE'] };
  expect(found({ a, x: { ...DONE, ...needs('a') }, y: STUCK })).toEqual([]);
  expect(found({ a, x: DONE, y: { ...STUCK, ...needs('a') } })).toEqual(['MF-G006 x +a']);
});

test('a required node that only one alternative needs does not come before the terminal', () => {
  const nodes = { a: { required: true }, b: {}, c: anyOf('a', 'b'), x: { ...DONE, ...needs('c') } };
  expect(found(nodes)).toEqual(['MF-G006 x +a']);
  expect(found({ ...nodes, b: needs('a') })).toEqual([]);
});

test('one alternative that can run is enough', () => {
  const nodes = { a: {}, b: anyOf('a', 'gone'), x: { ...DONE, ...needs('b') } };
  expect(found(nodes)).toContain('MF-G001 b prerequisite=gone');
});

test.each<[string, Parameters<typeof graphOf>[0], readonly string[]]>([
  ['twice in a group', { a: {}, b: anyOf('a', 'a'), x: DONE }, ['MF-G003 b prerequisite=a']],
  [
    'beside a group',
    {
      a: {},
      c: {},
      b: {
        prerequisites: [{ node_id: 'a' }, { any_of: [{ node_id: 'a' }, { node_id: 'c' }] }],
      },
      x: DONE,
    },
    ['MF-G003 b prerequisite=a'],
  ],
  ['itself', { a: {}, b: anyOf('a', 'b'), x: DONE }, ['MF-G002 b']],
  ['a terminal', { a: {}, b: anyOf('a', 'x'), x: DONE }, ['MF-G013 b +x']],
  [
    'in a cycle, although there is a way around it',
    { a: {}, b: anyOf('a', 'c'), c: needs('b'), x: DONE },
    ['MF-G004 b +c'],
  ],
])('an alternative may not be named %s', (_, nodes, expected) => {
  expect(found(nodes)).toEqual(expected);
});

test('points at the alternative that is wrong', () => {
  const [diagnostic] = findings(graphOf({ a: {}, b: anyOf('a', 'aa'), x: DONE }, V11));
  expect(diagnostic?.path).toBe('/graph/nodes/1/prerequisites/0/any_of/1');
});

test.each<[string, Parameters<typeof graphOf>[0], string]>([
  ['an unknown result', { a: { required_for: ['DNE'] } }, 'MF-G014 a terminal_result=DNE'],
  ['a least number alone', { a: { calls: { min: 2 } } }, 'MF-G015 a'],
  ['bounds of a terminal', { y: { ...STUCK, calls: { max: 1 } } }, 'MF-G016 y'],
  ['a terminal that is required', { y: { ...STUCK, required_for: ['DONE'] } }, 'MF-G008 y'],
  ['a disposition in the middle', { a: { disposition: 'failed' } }, 'MF-G017 a'],
])('refuses %s', (_, nodes, expected) => {
  expect(found({ ...nodes, x: { ...DONE, ...needs() } })).toContain(expected);
});

test('several nodes may bind one tool when their names differ', () => {
  const twice = { tool_ref: 'test.a@1' };
  const named = { ...twice, model_tool_name: 'again' };
  expect(found({ a: {}, b: named, x: DONE })).toEqual([]);
  expect(found({ a: {}, b: twice, x: DONE })).toEqual(['MF-R006 a +b model_tool_name=test_a']);
  const [old] = findings(graphOf({ a: {}, b: twice, x: DONE }));
  expect(old).toMatchObject({ code: 'MF-R005', hint: expect.stringContaining('"1.1"') });
});

test('what a tool can produce needs no declaration when no node says that it does', () => {
  const tools = [tool('test.a', { produced_artifact_ids: ['draft', 'log'] })];
  const artifacts = { declared_artifact_ids: ['draft'] };
  const nodes = { a: { produces: ['draft'] }, x: DONE };
  const source = graphOf(nodes, { ...V11, artifacts });
  const result = compileHarness(source, inputFor(source, { tools }));
  expect(result.ok && result.plan.nodes[0]?.produced_artifact_ids).toEqual(['draft']);
  expect(summaries(findings(graphOf(nodes, { artifacts }), { tools }))).toEqual([
    'MF-A001 a artifact_id=log',
  ]);
});

const READ = tool('test.a', { required_capabilities: ['file.read'] });

test.each<[string, { stated: JsonObject; constraints: CapabilityConstraints }, readonly string[]]>([
  [
    'the same entries',
    { stated: { paths: ['src/**'] }, constraints: { paths: ['src/**', 'docs/**'] } },
    [],
  ],
  [
    'an entry more',
    { stated: { paths: ['src/**', 'etc/**'] }, constraints: { paths: ['src/**'] } },
    ['MF-C003 capability_id=file.read constraint=paths'],
  ],
  [
    'more bytes',
    { stated: { max_bytes: 10 }, constraints: { max_bytes: 9 } },
    ['MF-C003 capability_id=file.read constraint=max_bytes'],
  ],
  [
    'a kind that the grant leaves open',
    { stated: { max_bytes: 10 }, constraints: { paths: ['src/**'] } },
    [],
  ],
])('holds constraints against the grant: %s', (_, { stated, constraints }, expected) => {
  const source = graphOf(
    { a: {}, x: DONE },
    { ...V11, capability_constraints: { 'file.read': stated } },
  );
  const grants = [{ capabilityId: 'file.read', constraints }];
  const diagnostics = findings(source, { tools: [READ], request: { grants } });
  expect(summaries(diagnostics)).toEqual(expected);
});

test('a grant with constraints changes nothing in a plan', () => {
  const source = graphOf({ a: {}, x: DONE }, V11);
  const plans = [['file.read'], [{ capabilityId: 'file.read', constraints: { max_bytes: 1 } }]].map(
    (grants) => compileHarness(source, inputFor(source, { tools: [READ], request: { grants } })),
  );
  expect(plans.map((result) => result.ok && result.sha256)).toEqual(
    plans.map(() => plans[0]?.ok && plans[0].sha256),
  );
  expect(plans[0]?.ok).toBe(true);
});

test.each<[string, unknown, string]>([
  ['an unknown key', { capabilityId: 'a.b', limits: {} }, '/capability_envelope/grants/0'],
  [
    'an unknown constraint',
    { capabilityId: 'a.b', constraints: { files: [] } },
    '/capability_envelope/grants/0/constraints/files',
  ],
  ['a number', 7, '/capability_envelope/grants/0/capability_id'],
])('refuses a grant that is %s', (_, grant, pointer) => {
  const source = graphOf({ x: DONE });
  // A program in plain JavaScript may hand in anything.
  const grants = [grant] as readonly string[];
  expect(summaries(findings(source, { request: { grants } }))).toEqual([
    `MF-S018 field_path=${pointer}`,
  ]);
});
