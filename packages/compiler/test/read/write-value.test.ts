import { compileHarness, type HarnessInput } from '@millforge/compiler';
import { expect, test } from 'vitest';
import { harness, inputFor } from '../support/harness.ts';

const input = inputFor(harness());

// A JavaScript program may give anything.
function first(value: unknown) {
  const { diagnostics } = compileHarness(value as HarnessInput, input);
  expect(diagnostics).toHaveLength(1);
  return diagnostics[0];
}

function deep(levels: number): object {
  let value: object = {};
  for (let level = 1; level < levels; level += 1) value = { a: value };
  return value;
}

function throwing(): never {
  throw new RangeError('password: hunter2hunter2');
}

const cycle: { [key: string]: unknown } = harness();
cycle['artifacts'] = { all: [cycle] };

test.each<[string, unknown, string]>([
  ['a bigint', { ...harness(), harness_version: 1n }, 'MF-S020 /harness_version'],
  ['a bigint as id', { ...harness(), harness_id: 1n }, 'MF-S022 /harness_id'],
  ['a bigint as budget', { budgets: { max_iterations: 1n } }, 'MF-S024 /budgets/max_iterations'],
  ['a value that contains itself', cycle, 'MF-S010 /artifacts/all/0'],
  ['50,000 levels', deep(50_000), `MF-S010 /${Array(32).fill('a').join('/')}`],
  ['a million items', { a: Array(1_000_000).fill(0) }, 'MF-S010 /a/9999'],
  ['a text past the limit', { a: { b: 'x'.repeat(65_537) } }, 'MF-S010 /a/b'],
  ['too many texts', Array(9_000).fill('x'.repeat(65_000)), 'MF-S003 /'],
  ['a function', { 'a/b': throwing }, 'MF-S011 /a~1b'],
  ['a symbol', { a: [Symbol('x')] }, 'MF-S011 /a/0'],
  ['an infinity', { a: Number.POSITIVE_INFINITY }, 'MF-S011 /a'],
  ['nothing', undefined, 'MF-S011 /'],
  ['nothing in a list', { a: [undefined] }, 'MF-S011 /a/0'],
  ['a number', 1, 'MF-S012 /'],
])('answers %s with a finding about the value', (_, value, answer) => {
  const found = first(value);
  expect(`${found?.code} ${found?.path}`).toBe(answer);
});

test.each<[string, unknown, string]>([
  ['getter', { a: Object.defineProperty({}, 'b', { get: throwing, enumerable: true }) }, '/a/b'],
  ['toJSON', { a: { toJSON: throwing } }, '/a'],
  ['list of keys', { a: new Proxy({}, { ownKeys: throwing }) }, '/a'],
  ['prototype', new Proxy({}, { getPrototypeOf: throwing, has: throwing }), '/'],
])('answers a %s that throws, and repeats nothing of what it says', (_, value, path) => {
  const found = first(value);
  expect(found).toMatchObject({ code: 'MF-S011', path });
  expect(found?.hint).toContain('RangeError');
  expect(JSON.stringify(found)).not.toContain('hunter2');
});

test('answers a proxy that was revoked', () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(first({ a: proxy })).toMatchObject({ code: 'MF-S011', path: '/a' });
  expect(first(proxy)).toMatchObject({ code: 'MF-S011', path: '/' });
});

test('answers what throws a value that throws again', () => {
  const worse = Object.defineProperty(new Error('x'), 'constructor', { get: throwing });
  const hostile = {
    get a(): never {
      throw worse;
    },
  };
  expect(first(hostile)).toMatchObject({ code: 'MF-S011', path: '/a' });
});

test('accepts what is shared, left out, or has a form of its own in JSON', () => {
  const shared = { tool_ref: 'test.a@1' };
  const source = {
    ...harness(),
    graph: {
      nodes: { a: shared, b: { ...shared, tool_ref: 'test.b@1' }, finish: undefined },
    },
  };
  const nodes = { ...source.graph.nodes, finish: { toJSON: () => DONE } };
  const made = { ...source, graph: { nodes }, note: undefined };
  const plain = { ...harness(), graph: { nodes: { ...source.graph.nodes, finish: DONE } } };
  const given = inputFor(plain);
  const [left, right] = [made, plain].map((value) => compileHarness(value as HarnessInput, given));
  expect(right?.ok).toBe(true);
  expect(left).toEqual(right);
});

const DONE = { tool_ref: 'test.finish@1', terminal_result: 'DONE' };
