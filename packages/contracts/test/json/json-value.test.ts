import { type ExactJson, JsonFloat, type JsonValue, toPlainJson } from '@millforge/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

test('drops number kinds and keeps everything else', () => {
  const exact: ExactJson = { a: [new JsonFloat(1), 5n, 'x', null, { b: true }] };
  expect(toPlainJson(exact)).toEqual({ a: [1, 5, 'x', null, { b: true }] });
});

test('keeps a property named __proto__', () => {
  const exact: ExactJson = JSON.parse('{"__proto__":{"a":1}}');
  const plain = toPlainJson(exact);
  expect(JSON.stringify(plain)).toBe('{"__proto__":{"a":1}}');
  expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
});

test('refuses an integer that a number cannot hold', () => {
  expect(() => toPlainJson([2n ** 53n])).toThrow(
    expect.objectContaining({ code: 'json/unsafe-integer' }),
  );
});

test('copies nesting far deeper than the call stack', () => {
  let value: ExactJson = new JsonFloat(1);
  for (let level = 0; level < 100_000; level++) value = [value];
  let plain: JsonValue = toPlainJson(value);
  let depth = 0;
  for (; Array.isArray(plain); depth++) plain = plain[0] ?? null;
  expect(depth).toBe(100_000);
  expect(plain).toBe(1);
});

test('gives plain values back unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(toPlainJson(value as ExactJson)).toEqual(value);
    }),
  );
});

test('knows a float by its brand, not by its prototype', () => {
  expect(new JsonFloat(2) instanceof JsonFloat).toBe(true);
  expect(Object.create(JsonFloat.prototype) instanceof JsonFloat).toBe(false);
  expect(JSON.stringify({ n: new JsonFloat(2.5) })).toBe('{"n":2.5}');
});

test('expectations tell floats apart by their number', () => {
  expect([new JsonFloat(1)]).toEqual([new JsonFloat(1)]);
  expect([new JsonFloat(1)]).not.toEqual([new JsonFloat(2)]);
  expect(new JsonFloat(-0)).not.toEqual(new JsonFloat(0));
  expect(new JsonFloat(1)).not.toEqual(1);
});
