import { expect } from 'vitest';

// A float keeps its number in a private field, which the comparison of structures does not see: without this,
// any two floats would be equal.
expect.addEqualityTesters([
  (left, right) => {
    const [a, b] = [numberOf(left), numberOf(right)];
    if (a === null && b === null) return undefined;
    return a !== null && b !== null && Object.is(a, b);
  },
]);

/** Goes by the name of the class: a test may hold a float of the built package and one of the source. */
function numberOf(value: unknown): number | null {
  if (typeof value !== 'object' || value === null || !('value' in value)) return null;
  return value.constructor.name === 'JsonFloat' && typeof value.value === 'number'
    ? value.value
    : null;
}
