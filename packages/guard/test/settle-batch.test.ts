import {
  type BatchReport,
  type GuardPolicy,
  type GuardState,
  initialGuardState,
  settleBatch,
} from '@millforge/guard';
import { exhaustedIterations } from '@millforge/guard/limits';
import { expect, test } from 'vitest';

const CLEAN: BatchReport = {
  performedCalls: 1,
  unusableArguments: false,
  failedCall: false,
  unmetPrerequisite: false,
  prematureTerminal: false,
};

const policy: GuardPolicy = {
  mode: 'strict',
  budgets: {
    validation_retries: 1,
    tool_errors: 2,
    prerequisite_violations: 2,
    premature_terminals: 3,
  },
  terminals: [],
};

function settleAll(batches: readonly Partial<BatchReport>[], from = initialGuardState) {
  let state: GuardState = from;
  const budgets = batches.map((batch) => {
    const settled = settleBatch(state, { policy, batch: { ...CLEAN, ...batch } });
    state = settled.state;
    return settled.exhausted?.budget ?? null;
  });
  return { state, budgets };
}

test.each([
  ['failedCall', 'tool_errors', 2],
  ['unusableArguments', 'tool_errors', 2],
  ['unmetPrerequisite', 'prerequisite_violations', 2],
  ['prematureTerminal', 'premature_terminals', 3],
] as const)('%s uses up %s on the one after the limit', (mistake, budget, limit) => {
  const batches = Array.from({ length: limit + 1 }, () => ({ [mistake]: true }));
  const { budgets } = settleAll(batches);
  expect(budgets).toEqual([...Array.from({ length: limit }, () => null), budget]);
});

test('a batch is charged once, however many of its calls failed', () => {
  const { state } = settleAll([{ failedCall: true, unusableArguments: true, performedCalls: 5 }]);
  expect(state.consecutive.tool_errors).toBe(1);
});

test('only a clean batch that performed something forgives', () => {
  const failed = { failedCall: true };
  expect(settleAll([failed, failed, {}, failed, failed]).budgets.at(-1)).toBeNull();
  expect(settleAll([failed, failed, { performedCalls: 0 }, failed]).budgets.at(-1)).toBe(
    'tool_errors',
  );
  expect(settleAll([failed, failed, { unmetPrerequisite: true }, failed]).budgets.at(-1)).toBe(
    'tool_errors',
  );
});

test('of two budgets that are over at once, the one charged more often is named (D-20)', () => {
  const failed = { failedCall: true };
  const both = { failedCall: true, unmetPrerequisite: true };
  expect(settleAll([failed, {}, both, both, both]).budgets.at(-1)).toBe('tool_errors');
});

test('the end of the turns names no mistake where there was none', () => {
  expect(exhaustedIterations(initialGuardState, 5)).toEqual({
    budget: 'iterations',
    limit: 5,
    message: 'The run used its 5 model turns without an accepted terminal call.',
  });
});
