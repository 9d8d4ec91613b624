import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sameJson } from '../src/same-json.ts';

test('agrees with the comparison of sorted texts', () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(value, value, (left, right) => {
      const [a, b] = [JSON.parse(JSON.stringify(left)), JSON.parse(JSON.stringify(right))];
      expect(sameJson(a, structuredClone(a))).toBe(true);
      expect(sameJson(a, b)).toBe(sorted(a) === sorted(b));
    }),
  );
});

test.each([
  [{ a: 1 }, { a: 1, b: 2 }],
  [{ a: 1 }, { b: 1 }],
  [[], {}],
  [[1], [1, 2]],
  [null, {}],
  [{ toString: 1 }, { a: 1 }],
])('tells %j from %j', (left, right) => {
  expect(sameJson(left, right)).toBe(false);
  expect(sameJson(right, left)).toBe(false);
});

test('accepts any depth', () => {
  expect(sameJson(deep(), deep())).toBe(true);
});

function deep() {
  let value: readonly unknown[] = [];
  for (let level = 0; level < 100_000; level++) value = [value];
  return JSON.parse('[]').concat([value]);
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
