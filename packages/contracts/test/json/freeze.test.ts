import { deepFreeze } from '@millforge/contracts';
import { expect, test } from 'vitest';

test('freezes a document to the leaves and returns it', () => {
  const document = { a: [{ b: { c: 1 } }], d: Object.freeze({ e: [1] }) };
  expect(deepFreeze(document)).toBe(document);
  expect(Object.isFrozen(document.a[0]?.b)).toBe(true);
  expect(Object.isFrozen(document.d.e)).toBe(true);
});

test('survives cycles and depth', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = [cycle];
  expect(Object.isFrozen(deepFreeze(cycle).self)).toBe(true);
  let deep: unknown[] = [];
  for (let level = 0; level < 100_000; level++) deep = [deep];
  expect(Object.isFrozen(deepFreeze(deep))).toBe(true);
});

test('leaves instances and functions as they are', () => {
  const parts = { bytes: new Uint8Array(2), map: new Map([[1, { a: 1 }]]), act: () => 1, n: 1 };
  deepFreeze(parts);
  expect(Object.isFrozen(parts.map)).toBe(false);
  expect(Object.isFrozen(parts.act)).toBe(false);
  parts.bytes[0] = 7;
  expect(parts.bytes[0]).toBe(7);
  expect(deepFreeze(null)).toBe(null);
});
