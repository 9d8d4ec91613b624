import { createStepGate, type StepNode, type StepState } from '@millforge/guard/steps';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

function node(node_id: string, fields: Partial<StepNode> = {}): StepNode {
  return {
    node_id,
    model_tool_name: `${node_id}_tool`,
    required: false,
    terminal_result: null,
    prerequisites: [],
    ...fields,
  };
}

const plain = (node_id: string, same?: string) => ({
  node_id,
  argument_matches:
    same === undefined ? [] : [{ prerequisite_argument: same, current_argument: same }],
});

const gate = createStepGate([
  node('read'),
  node('fetch'),
  node('write', { prerequisites: [{ any_of: [plain('read', 'path'), plain('fetch')] }] }),
  node('test', { calls: { min: 2, max: 3 }, required_for: ['DONE'] }),
  node('report', { required: true }),
  node('submit', { terminal_result: 'DONE' }),
  node('block', { terminal_result: 'BLOCKED' }),
]);

function after(...successes: readonly (readonly [string, unknown?])[]): StepState {
  return successes.reduce(
    (state, [nodeId, args = {}]) => gate.record(gate.recordCall(state, nodeId), nodeId, args),
    gate.initial,
  );
}

function verdictOn(state: StepState, nodeId: string, args: unknown = {}) {
  return gate.check(state, [{ nodeId, arguments: args }]).calls[0];
}

test('one alternative is enough, with the arguments that it ties', () => {
  const path = { path: 'a' };
  expect(verdictOn(after(['read', path]), 'write', path)?.unmet).toEqual([]);
  expect(verdictOn(after(['fetch']), 'write', path)?.unmet).toEqual([]);
  expect(verdictOn(after(['read', { path: 'b' }]), 'write', path)?.unmet).toEqual([
    {
      anyOf: [
        { tool: 'read_tool', matching: [{ earlier: 'path', current: 'path' }] },
        { tool: 'fetch_tool', matching: [] },
      ],
    },
  ]);
});

test('every alternative has a decision of its own', () => {
  expect(verdictOn(after(['fetch']), 'write')?.decisions).toEqual([
    { node_id: 'read', satisfied: false },
    { node_id: 'fetch', satisfied: true },
  ]);
});

test('a node may be required before some terminals only', () => {
  const reported = after(['report']);
  expect(gate.check(reported, [{ nodeId: 'block', arguments: {} }]).premature).toBeNull();
  expect(gate.check(reported, [{ nodeId: 'submit', arguments: {} }]).premature).toEqual({
    terminal: 'submit_tool',
    pending: ['test_tool (2 more times)'],
  });
});

test('any terminal of a reply that is too early refuses the reply', () => {
  const calls = ['block', 'submit'].map((nodeId) => ({ nodeId, arguments: {} }));
  expect(gate.check(after(['report']), calls).premature?.terminal).toBe('submit_tool');
});

test('successes below the least number keep a node pending', () => {
  const once = after(['report'], ['test']);
  const submit = [{ nodeId: 'submit', arguments: {} }];
  expect(gate.check(once, submit).premature?.pending).toEqual(['test_tool']);
  const twice = gate.record(gate.recordCall(once, 'test'), 'test', {});
  expect(gate.check(twice, submit).premature).toBeNull();
});

test('one call more than allowed is refused, whatever came of the others', () => {
  let state = gate.initial;
  for (let call = 0; call < 3; call++) {
    expect(verdictOn(state, 'test')?.spent).toBeNull();
    state = gate.recordCall(state, 'test');
  }
  expect(verdictOn(state, 'test')?.spent).toBe(3);
});

test('a node without bounds is not counted, and the state stays the same', () => {
  const once = after(['read', { path: 'a' }]);
  expect(gate.recordCall(once, 'read')).toBe(once);
  expect(gate.initial.counts).toEqual([{ performed: 0, succeeded: 0 }]);
  expect(JSON.parse(JSON.stringify(after(['test'])))).toEqual(after(['test']));
});

test('the state is a fold: the same successes in any order lead to the same verdicts', () => {
  const success = fc.constantFrom('read', 'fetch', 'test', 'report');
  const asked = ['write', 'submit', 'block', 'test'].map((nodeId) => ({ nodeId, arguments: {} }));
  fc.assert(
    fc.property(fc.array(success), fc.infiniteStream(fc.nat()), (ids, ranks) => {
      const shuffled = ids
        .map((id) => ({ id, rank: ranks.next().value ?? 0 }))
        .toSorted((left, right) => left.rank - right.rank)
        .map(({ id }) => id);
      expect(gate.check(fold(shuffled), asked)).toEqual(gate.check(fold(ids), asked));
    }),
  );
});

function fold(order: readonly string[]) {
  return after(...order.map((id) => [id] as const));
}
