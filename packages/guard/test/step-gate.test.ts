import { createStepGate, type StepNode } from '@millforge/guard/steps';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

type After = string | readonly [node: string, ...matches: (readonly [string, string])[]];

function node(
  node_id: string,
  options: { after?: readonly After[]; required?: boolean; ends?: true } = {},
): StepNode {
  return {
    node_id,
    model_tool_name: `${node_id}_tool`,
    required: options.required ?? false,
    terminal_result: options.ends ? node_id.toUpperCase() : null,
    prerequisites: (options.after ?? []).map((one) => {
      if (typeof one === 'string') return { node_id: one, argument_matches: [] };
      const [id, ...matches] = one;
      return {
        node_id: id,
        argument_matches: matches.map(([prerequisite_argument, current_argument]) => ({
          prerequisite_argument,
          current_argument,
        })),
      };
    }),
  };
}

const gate = createStepGate([
  node('read'),
  node('write', { after: [['read', ['path', 'target']]], required: true }),
  node('move', { after: [['read', ['path', 'from'], ['rev', 'rev']]] }),
  node('check', { after: ['write'], required: true }),
  node('submit', { ends: true }),
  node('block', { ends: true }),
]);

function satisfied(
  nodeId: string,
  args: unknown,
  successes: readonly (readonly [string, unknown])[],
) {
  let state = gate.initial;
  for (const [id, input] of successes) state = gate.record(state, id, input);
  const [verdict] = gate.check(state, [{ nodeId, arguments: args }]).calls;
  return verdict?.unmet.length === 0;
}

test('a terminal before the required steps refuses the reply, whatever stands beside it', () => {
  const state = gate.record(gate.initial, 'write', {});
  const { premature } = gate.check(state, [
    { nodeId: 'check', arguments: {} },
    { nodeId: 'submit', arguments: {} },
  ]);
  expect(premature).toEqual({ terminal: 'submit_tool', pending: ['check_tool'] });
});

test('a terminal passes once every required step has succeeded', () => {
  const state = gate.record(gate.record(gate.initial, 'write', {}), 'check', {});
  expect(gate.check(state, [{ nodeId: 'block', arguments: null }]).premature).toBeNull();
});

test('a plain prerequisite asks for any success', () => {
  expect(satisfied('check', {}, [])).toBe(false);
  expect(satisfied('check', {}, [['write', { target: 'z' }]])).toBe(true);
});

test('any earlier success may match, not only the latest (D-02)', () => {
  const reads = [
    ['read', { path: 'a' }],
    ['read', { path: 'b' }],
  ] as const;
  expect(satisfied('write', { target: 'a' }, reads)).toBe(true);
  expect(satisfied('write', { target: 'b' }, reads)).toBe(true);
  expect(satisfied('write', { target: 'c' }, reads)).toBe(false);
});

test('all arguments must agree with one and the same success', () => {
  const reads = [
    ['read', { path: 'a', rev: 1 }],
    ['read', { path: 'b', rev: 2 }],
  ] as const;
  expect(satisfied('move', { from: 'a', rev: 1 }, reads)).toBe(true);
  expect(satisfied('move', { from: 'a', rev: 2 }, reads)).toBe(false);
});

test('an absent argument matches nothing, and null matches null (D-20)', () => {
  expect(satisfied('write', {}, [['read', {}]])).toBe(false);
  expect(satisfied('write', { target: null }, [['read', {}]])).toBe(false);
  expect(satisfied('write', {}, [['read', { path: null }]])).toBe(false);
  expect(satisfied('write', { target: null }, [['read', { path: null }]])).toBe(true);
});

test.each([
  ['7', 7, false],
  [1, 1.0, true],
  [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
  [['a', 'b'], ['b', 'a'], false],
  ['', null, false],
  [false, 0, false],
])('compares %j with %j deeply and strictly', (left, right, equal) => {
  expect(satisfied('write', { target: right }, [['read', { path: left }]])).toBe(equal);
});

test.each([[null], ['text'], [7], [['path']], [undefined]])(
  'arguments that are %j match nothing and do no harm',
  (args) => {
    expect(satisfied('write', args, [['read', args]])).toBe(false);
  },
);

test('inherited names are no arguments', () => {
  const inherited = createStepGate([
    node('read'),
    node('write', { after: [['read', ['constructor', 'constructor']]] }),
  ]);
  const state = inherited.record(inherited.initial, 'read', {});
  const { calls } = inherited.check(state, [{ nodeId: 'write', arguments: {} }]);
  expect(calls[0]?.unmet).toHaveLength(1);
});

test('says which tool and which arguments are missing', () => {
  const [verdict] = gate.check(gate.initial, [
    { nodeId: 'write', arguments: { target: 'a' } },
  ]).calls;
  expect(verdict).toEqual({
    unmet: [{ tool: 'read_tool', matching: [{ earlier: 'path', current: 'target' }] }],
    spent: null,
    decisions: [{ node_id: 'read', satisfied: false }],
  });
});

test('the state is plain, frozen, and the same when nothing is new', () => {
  const once = gate.record(gate.initial, 'read', { path: 'a' });
  expect(gate.record(once, 'read', { path: 'a' })).toBe(once);
  expect(Object.isFrozen(once)).toBe(true);
  expect(gate.initial.succeeded).toEqual([]);
  expect(JSON.parse(JSON.stringify(once))).toEqual(once);
});

test('unknown nodes are a mistake of the caller', () => {
  expect(() => gate.check(gate.initial, [{ nodeId: 'nowhere', arguments: {} }])).toThrow(
    expect.objectContaining({ code: 'guard/unknown-node' }),
  );
  expect(() => gate.record(gate.initial, 'nowhere', {})).toThrow(
    expect.objectContaining({ code: 'guard/unknown-node' }),
  );
  expect(() => createStepGate([node('a', { after: [['b', ['x', 'x']]] })])).toThrow(
    expect.objectContaining({ code: 'guard/unknown-node' }),
  );
});

test('order and repetition of successes do not matter', () => {
  const success = fc.tuple(
    fc.constant('read'),
    fc.record({ path: fc.constantFrom('a', 'b', 'c') }),
  );
  fc.assert(
    fc.property(fc.array(success), fc.constantFrom('a', 'b', 'c'), (successes, target) => {
      const expected = successes.some(([, { path }]) => path === target);
      expect(satisfied('write', { target }, successes)).toBe(expected);
      expect(satisfied('write', { target }, successes.toReversed())).toBe(expected);
      expect(satisfied('write', { target }, [...successes, ...successes])).toBe(expected);
    }),
  );
});
