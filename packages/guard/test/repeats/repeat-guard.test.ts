import {
  checkRepeat,
  initialRepeatState,
  type RepeatLimits,
  recordResult,
} from '@millforge/guard/limits';
import { expect, test } from 'vitest';

/** The verdicts on calls that are made one after another; a blocked one is not performed. */
function verdicts(calls: readonly (readonly [string, string])[], limits?: RepeatLimits) {
  let state = initialRepeatState;
  return calls.map(([name, result]) => {
    const call = { name, arguments: { path: name } };
    const verdict = checkRepeat(state, call, limits);
    if (verdict.kind !== 'block') state = recordResult(state, call, result);
    return verdict.kind;
  });
}

function times<T>(count: number, ...items: readonly T[]): readonly T[] {
  return Array.from({ length: count }, () => items).flat();
}

test('the same call with the same result is remarked on, then refused', () => {
  expect(verdicts(times(5, ['read', 'a']))).toEqual(['fresh', 'fresh', 'warn', 'block', 'block']);
});

test('two calls in turn are a loop as well, and three', () => {
  const two = verdicts(times(4, ['read', 'a'], ['edit', 'error']));
  expect(two).toEqual(['fresh', 'fresh', 'fresh', 'fresh', 'warn', 'warn', 'block', 'block']);
  expect(verdicts(times(4, ['a', '1'], ['b', '2'], ['c', '3'])).slice(-3)).toEqual(
    times(3, 'block'),
  );
});

test('a result that differs, or a call between, makes it no loop', () => {
  expect(verdicts(['1', '2', '3', '4', '5'].map((result) => ['poll', result]))).toEqual(
    times(5, 'fresh'),
  );
  const tested = ['a', 'b', 'c', 'd'].flatMap(
    (edit) =>
      [
        ['test', 'red'],
        [edit, 'ok'],
      ] as const,
  );
  expect(verdicts(tested)).toEqual(times(8, 'fresh'));
});

test('other arguments are another call, in whatever order they stand', () => {
  let state = initialRepeatState;
  for (const args of [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
    { a: 1, b: 2 },
  ]) {
    state = recordResult(state, { name: 'read', arguments: args }, 'x');
  }
  expect(checkRepeat(state, { name: 'read', arguments: { b: 2, a: 1 } }).kind).toBe('block');
  expect(checkRepeat(state, { name: 'read', arguments: { a: 1, b: 3 } }).kind).toBe('fresh');
});

test("limits and exemptions are the caller's", () => {
  expect(verdicts(times(3, ['a', 'x']), { warnAfter: 1, blockAfter: 2 })).toEqual([
    'fresh',
    'warn',
    'block',
  ]);
  expect(verdicts(times(6, ['wait', 'x']), { exempt: ['wait'] })).toEqual(times(6, 'fresh'));
});

test('the state stays small and frozen, however long a run is', () => {
  let state = initialRepeatState;
  for (let turn = 0; turn < 100; turn++) {
    state = recordResult(state, { name: 'a', arguments: { turn } }, 'x');
  }
  expect(state.recent.length).toBeLessThanOrEqual(30);
  expect(Object.isFrozen(state.recent)).toBe(true);
});
