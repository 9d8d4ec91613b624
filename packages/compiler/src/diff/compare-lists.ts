import type { ChangeValue } from './plan-diff.ts';

/** What the second list has and the first has not. */
export function addedTo(before: readonly string[], after: readonly string[]): readonly string[] {
  const known = new Set(before);
  return after.filter((item) => !known.has(item));
}

/** What the first list has and the second has not. */
export function removedFrom(
  before: readonly string[],
  after: readonly string[],
): readonly string[] {
  return addedTo(after, before);
}

/** Whether two values are equal; lists by their items in order. */
export function isSame(left: ChangeValue, right: ChangeValue): boolean {
  if (typeof left !== 'object' || typeof right !== 'object') return left === right;
  if (left === null || right === null) return left === right;
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
