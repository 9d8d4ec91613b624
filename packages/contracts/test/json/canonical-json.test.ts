import { canonicalJson, type ExactJson, JsonFloat, MillforgeError } from '@millforge/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

const F = (value: number): JsonFloat => new JsonFloat(value);
const bare = (value: ExactJson): string => canonicalJson(value, { newline: false });

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (MillforgeError.is(error)) return error.code;
    throw error;
  }
  return 'none';
}

test('writes the vector of the format byte for byte', () => {
  const value = {
    b: 1,
    a: [
      F(1),
      F(0.00001),
      F(-0),
      F(1e16),
      'caf\u00e9 \u{1f642} \u2028 \u007f / \\ " \n\t\u0001',
      null,
      true,
      [],
      {},
    ],
    '\u{1f600}': 2,
    '\uffff': 3,
    A: -5,
  };
  const expected =
    '{"A":-5,"a":[1.0,1e-05,-0.0,1e+16,"caf\\u00e9 \\ud83d\\ude42 \\u2028 \\u007f / \\\\ \\" \\n\\t\\u0001",' +
    'null,true,[],{}],"b":1,"\\uffff":3,"\\ud83d\\ude00":2}\n';
  expect(canonicalJson(value)).toBe(expected);
  expect(expected).toHaveLength(144);
});

test('escapes DEL and everything outside ASCII, and no slash', () => {
  expect(canonicalJson({ b: [true, null, '\u00e9\u007f/'], a: 1 })).toBe(
    '{"a":1,"b":[true,null,"\\u00e9\\u007f/"]}\n',
  );
});

test.each([
  ['1.0', F(1)],
  ['0.65', 0.65],
  ['0.65', F(0.65)],
  ['0.0001', 0.0001],
  ['1e-05', 0.00001],
  ['1.5e-07', 1.5e-7],
  ['1000000000000000.0', F(1e15)],
  ['1e+16', F(1e16)],
  ['1.2345678901234567e+20', F(123456789012345670000)],
  ['1e+100', F(1e100)],
  ['-1e-100', -1e-100],
  ['0.30000000000000004', 0.1 + 0.2],
  ['5e-324', 5e-324],
  ['0.0', F(0)],
  ['-0.0', F(-0)],
  ['0', -0],
  ['100000000000000000000', 1e20],
  ['1000000000000000000000', 1e21],
  ['-9223372036854775809', -9223372036854775809n],
])('writes the number %s', (text, value) => {
  expect(bare(value)).toBe(text);
});

test('sorts keys by code point, also among many keys', () => {
  const keys = Array.from({ length: 30 }, (_, index) => `k${index}`);
  const shuffled = ['\u{1f600}', '\uffff', ...keys.toReversed(), '__proto__', '10', '9'];
  const value = Object.fromEntries(shuffled.map((key) => [key, null]));
  const written = [...bare(value).matchAll(/"((?:[^"\\]|\\.)*)":/g)].map(([, key]) => key);
  expect(written).toEqual([
    '10',
    '9',
    '__proto__',
    ...keys.toSorted(),
    '\\uffff',
    '\\ud83d\\ude00',
  ]);
});

test.each([
  ['NaN', { a: [Number.NaN] }, 'json/non-finite', '/a/0'],
  ['an infinite float', [F(Number.POSITIVE_INFINITY)], 'json/non-finite', '/0'],
  ['undefined in an object', { a: undefined }, 'json/not-json', '/a'],
  ['a hole in an array', Object.assign([1], { length: 3 }), 'json/not-json', '/1'],
  ['a function', { f: () => 1 }, 'json/not-json', '/f'],
  ['a symbol', Symbol('x'), 'json/not-json', '/'],
  ['a date', { at: new Date(0) }, 'json/not-json', '/at'],
  ['a map', new Map(), 'json/not-json', '/'],
  ['an object that imitates a float', Object.create(JsonFloat.prototype), 'json/not-json', '/'],
])('refuses %s and says where it is', (...[, value, code, path]) => {
  const act = (): string => canonicalJson(value as ExactJson);
  expect(codeOf(act)).toBe(code);
  expect(act).toThrow(`at ${path}.`);
});

test('refuses cycles, shallow and deep', () => {
  const small: { [key: string]: ExactJson } = { a: 1 };
  small['self'] = [small];
  expect(codeOf(() => canonicalJson(small))).toBe('json/not-json');
  const long: ExactJson[] = [];
  let inner = long;
  for (let depth = 0; depth < 1000; depth++) {
    const next: ExactJson[] = [];
    inner.push(next);
    inner = next;
  }
  inner.push(long);
  expect(() => canonicalJson(long)).toThrow('a cycle');
});

test('writes a value that is reached twice', () => {
  const shared = { a: [1] };
  expect(bare([shared, shared, shared.a])).toBe('[{"a":[1]},{"a":[1]},[1]]');
});

test('writes nesting far deeper than the call stack', () => {
  const depth = 100_000;
  let arrays: ExactJson = [1];
  for (let level = 1; level < depth; level++) arrays = [arrays, 2];
  expect(bare(arrays)).toBe('['.repeat(depth) + '1]' + ',2]'.repeat(depth - 1));
  let objects: ExactJson = {};
  for (let level = 0; level < depth; level++) objects = { z: level, a: objects };
  const text = bare(objects);
  expect(text.startsWith('{"a":{"a":{"a":')).toBe(true);
  expect(text.endsWith(`"z":${depth - 2}},"z":${depth - 1}}`)).toBe(true);
});

test('is read back by JSON.parse as the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value as ExactJson);
      expect(text).toMatch(/^[\x20-\x7e]*\n$/);
      // JSON.parse keeps the sign of a float zero, which plain numbers do not have here.
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('writes any string as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(JSON.parse(bare({ [text]: text }))).toEqual(
        JSON.parse(JSON.stringify({ [text]: text })),
      );
    }),
  );
});

test('is what the slow definition says, for any value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      expect(bare(value as ExactJson)).toBe(slow(JSON.parse(JSON.stringify(value))));
    }),
  );
});

test('escapes long texts like short ones, wherever a pair of surrogates falls', () => {
  const units = fc.constantFrom(
    'a',
    '\n',
    '"',
    '\u007f',
    '\u00e9',
    '\uffff',
    '\u{1f642}',
    '\ud800',
  );
  const long = fc
    .array(units, { minLength: 1, maxLength: 9 })
    .map((part) => part.join('').repeat(3000));
  fc.assert(
    fc.property(long, (text) => {
      expect(bare([text, text])).toBe(slow([text, text]));
    }),
    { numRuns: 30 },
  );
});

/** The format as its definition reads: one character after the other, and keys compared as code points. */
function slow(value: ExactJson): string {
  if (typeof value === 'string') return `"${value.split('').map(slowUnit).join('')}"`;
  if (typeof value !== 'object' || value === null) return bare(value);
  if (Array.isArray(value)) return `[${value.map(slow).join()}]`;
  const entries = Object.entries(value).map(([key, item]) => ({
    key,
    item,
    rank: codePoints(key),
  }));
  entries.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return `{${entries.map(({ key, item }) => `${slow(key)}:${slow(item)}`).join()}}`;
}

function codePoints(text: string): string {
  return Array.from(text, (point) =>
    (point.codePointAt(0) ?? 0).toString(16).padStart(6, '0'),
  ).join('');
}

function slowUnit(unit: string): string {
  const short = SHORT_ESCAPES[unit];
  if (short !== undefined) return short;
  return unit >= ' ' && unit <= '~'
    ? unit
    : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const SHORT_ESCAPES: { readonly [unit: string]: string } = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};
