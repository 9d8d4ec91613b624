import { repairArguments } from '@millforge/guard/repair';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

/** A JSON value as a model of another mind writes it: in Python, with what else has one reading. */
function inPython(value: fc.JsonValue): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'string') return inApostrophes(value);
  if (typeof value === 'number') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((one) => `${inPython(one)}, `).join('')}]`;
  const entries = Object.entries(value).map(
    ([key, one]) => `${inApostrophes(key)}: ${inPython(one ?? null)},`,
  );
  return `{${entries.join(' ')}}`;
}

function inApostrophes(text: string): string {
  const inside = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inside}'`;
}

const object = fc.dictionary(
  fc.string({ unit: 'binary', maxLength: 6 }).filter((key) => !/\p{Surrogate}/u.test(key)),
  fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' }),
);

test('a dictionary of Python is the object that it means', () => {
  fc.assert(
    fc.property(object, (value) => {
      const text = inPython(value);
      const repaired = repairArguments(text, null);
      // Beyond what a number holds, and for a number that is no JSON, nothing is taken.
      if (repaired.ok) expect(repaired.value).toEqual(JSON.parse(JSON.stringify(value)));
      else expect(/\d{16}/.test(text)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  [`{'a': 'it\\'s "so"'}`, { a: 'it\'s "so"' }],
  [String.raw`{'a': 'C:\\new \\\' "'}`, { a: `C:\\new \\' "` }],
  ['{"a": "one\ntwo\ttab\u0001"}', { a: 'one\ntwo\ttab\u0001' }],
  [`{'a': "it's"}`, { a: "it's" }],
  ['{"a": [1, 2, ], }', { a: [1, 2] }],
])('%j has one reading', (text, value) => {
  expect(repairArguments(text, null)).toMatchObject({ ok: true, value });
});

test.each([
  ["{'a': 'it's'}"],
  ['{"a": "one\\\ntwo"}'],
  ['{a: 1}'],
  ['{"a": 1,, "b": 2}'],
  ['{"a" 1}'],
  ['{"a": NaN}'],
  ['{"a": "b"'],
  ['{"a": 01}'],
  ['{"a": 1} and more'],
  ["{'a': 1, 'a': 2}"],
])('%j has none, and is refused', (text) => {
  expect(repairArguments(text, null)).toMatchObject({ ok: false, problem: 'json' });
});
