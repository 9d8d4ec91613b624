import { type JsonSchema, normalizeSchema, validateJson } from '@millforge/contracts';
import { repairArguments } from '@millforge/guard/repair';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

const SCHEMA = schema({
  type: 'object',
  additionalProperties: false,
  required: ['path'],
  properties: {
    path: { type: 'string' },
    line: { type: 'integer' },
    ratio: { type: 'number' },
    force: { type: 'boolean' },
    mode: { type: 'string', enum: ['Fast', 'slow', 'SLOW'] },
    level: { type: 'integer', enum: [1, 2] },
    fixed: { const: 'Yes' },
    tags: { type: 'array', items: { type: 'string' } },
    lines: { type: 'array', items: { type: 'integer' } },
    range: {
      type: 'object',
      additionalProperties: false,
      required: ['from'],
      properties: { from: { type: 'integer' }, to: { type: 'integer' } },
    },
  },
});
const EMPTY = schema({ type: 'object', additionalProperties: false });

function schema(raw: object, version: '1.0' | '1.1' = '1.0'): JsonSchema {
  const normal = normalizeSchema(raw, '', { version });
  if (!normal.ok) throw new Error(normal.message);
  return normal.value;
}

test('arguments that match are left alone, numbers that are whole included', () => {
  expect(repairArguments('{"path":"a\\n\\t","line":2.0}', SCHEMA)).toEqual({
    ok: true,
    value: { path: 'a\n\t', line: 2 },
    repairs: [],
  });
});

test.each([
  ['a number in a text', { line: '7' }, { line: 7 }, '$.line number-from-text'],
  ['a fraction in a text', { ratio: '0.25' }, { ratio: 0.25 }, '$.ratio number-from-text'],
  ['an exponent in a text', { ratio: '1e3' }, { ratio: 1000 }, '$.ratio number-from-text'],
  ['a boolean in a text', { force: 'True' }, { force: true }, '$.force boolean-from-text'],
  ['the case of a member', { mode: 'fast' }, { mode: 'Fast' }, '$.mode enum-case'],
  ['the case of a constant', { fixed: 'yes' }, { fixed: 'Yes' }, '$.fixed enum-case'],
  ['a member that is a number', { level: '2' }, { level: 2 }, '$.level number-from-text'],
  ['a scalar for a list', { tags: 'x' }, { tags: ['x'] }, '$.tags array-of-one'],
  ['a list in a text', { tags: '["x"]' }, { tags: ['x'] }, '$.tags array-from-text'],
  [
    'an object in a text',
    { range: '{"from":1}' },
    { range: { from: 1 } },
    '$.range object-from-text',
  ],
  ['null for something optional', { line: null }, {}, '$.line null-removed'],
  [
    'null deep inside',
    { range: { from: 1, to: null } },
    { range: { from: 1 } },
    '$.range.to null-removed',
  ],
])('repairs %s', (...row) => {
  const [, given, expected, repair] = row;
  const text = JSON.stringify({ path: 'a', ...given });
  const repaired = repairArguments(text, SCHEMA);
  expect(repaired).toMatchObject({ ok: true, value: { path: 'a', ...expected } });
  expect(repaired.ok && Object.keys(repaired.value)).toEqual(['path', ...Object.keys(expected)]);
  expect(repaired.ok && repaired.repairs.map(({ path, kind }) => `${path} ${kind}`)).toEqual([
    repair,
  ]);
});

test('repairs an item inside a list that was a text', () => {
  expect(repairArguments('{"path":"a","lines":"[\\"1\\",2]"}', SCHEMA)).toMatchObject({
    ok: true,
    value: { lines: [1, 2] },
    repairs: [{ kind: 'array-from-text' }, { path: '$.lines[0]', kind: 'number-from-text' }],
  });
});

test.each([
  ['a number with a leading zero', { line: '007' }, '$.line'],
  ['a number with a space', { line: ' 7' }, '$.line'],
  ['a fraction where an integer is due', { line: '7.5' }, '$.line'],
  ['more digits than a number holds', { line: '12345678901234567890' }, '$.line'],
  ['a fraction that would be rounded', { ratio: '1.00000000000000000001' }, '$.ratio'],
  ['a fraction that would vanish', { ratio: '1e-400' }, '$.ratio'],
  ['a word that is no boolean', { force: 'yes' }, '$.force'],
  ['a member whose case is ambiguous', { mode: 'Slow' }, '$.mode'],
  ['a number where a text is due', { path: 7 }, '$.path'],
  ['null for something required', { path: null }, '$.path'],
  ['an object for a list', { tags: { a: 1 } }, '$.tags'],
  ['a list in a text that was cut', { tags: '["x","y' }, '$.tags'],
  ['a list in a text that is not JSON', { tags: " ['x']" }, '$.tags'],
  ['an unknown property', { extra: 1 }, '$.extra'],
])('leaves %s alone and says where', (_name, given, path) => {
  const text = JSON.stringify({ path: 'a', ...given });
  expect(repairArguments(text, SCHEMA)).toMatchObject({ ok: false, problem: 'schema', path });
});

test('never invents a required value', () => {
  expect(repairArguments('{}', SCHEMA)).toMatchObject({
    ok: false,
    path: '$.path',
    received: 'nothing',
  });
  expect(repairArguments('', SCHEMA)).toMatchObject({ ok: false, path: '$.path' });
});

test('takes an empty text for an empty object only where nothing is required', () => {
  expect(repairArguments(' ', EMPTY)).toEqual({
    ok: true,
    value: {},
    repairs: [{ path: '$', kind: 'empty-text' }],
  });
});

test('takes an object that was encoded twice', () => {
  expect(repairArguments(JSON.stringify('{"path":"a"}'), SCHEMA)).toMatchObject({
    ok: true,
    value: { path: 'a' },
    repairs: [{ path: '$', kind: 'object-from-text' }],
  });
});

test.each([
  ['[1]', 'object', 'array'],
  ['null', 'object', 'null'],
  ['7', 'object', 'number'],
  ['"text"', 'object', 'string'],
  ['{"path":', 'json', 'text'],
  ["{'path':'it's'}", 'json', 'text'],
  ['{"path":"a","path":"b"}', 'json', 'text'],
  ['{"path":"a"} trailing', 'json', 'text'],
])('refuses %s, which is no object of arguments', (text, problem, received) => {
  expect(repairArguments(text, SCHEMA)).toMatchObject({ ok: false, problem, path: '$', received });
});

test('names the list that is due where a scalar is no item of it', () => {
  const lines = {
    type: 'object',
    additionalProperties: false,
    properties: { lines: { type: 'array', items: { type: 'integer' } } },
    required: ['lines'],
  } as const;
  expect(repairArguments('{"lines":"x"}', lines)).toMatchObject({
    ok: false,
    path: '$.lines',
    expected: 'array',
    received: 'string',
  });
});

test('survives a hundred thousand brackets, also inside a text', () => {
  const deep = '['.repeat(100_000);
  expect(repairArguments(deep, SCHEMA).ok).toBe(false);
  expect(repairArguments(JSON.stringify(deep), SCHEMA).ok).toBe(false);
  expect(repairArguments(JSON.stringify({ path: 'a', tags: deep }), SCHEMA)).toMatchObject({
    ok: false,
    path: '$.tags',
  });
  const nested = `{"path":"a","range":${'{"a":'.repeat(900)}1${'}'.repeat(900)}}`;
  expect(repairArguments(nested, SCHEMA).ok).toBe(false);
});

test('mends nothing of an object with hundreds of keys that nobody asked for, unless they may stay', () => {
  const unknown = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`key_${at}`, at]));
  const text = JSON.stringify({ path: 'a', Line: '1', ...unknown });
  expect(repairArguments(text, SCHEMA)).toMatchObject({ ok: false, path: '$.Line' });
  const kept = JSON.stringify({ path: 'a', line: 1, ...unknown });
  expect(repairArguments(kept, SCHEMA, { keepUnknown: true })).toMatchObject({ ok: true });
  const few = JSON.stringify({ path: 'a', Line: '1', key_0: 0 });
  expect(repairArguments(few, SCHEMA)).toMatchObject({ ok: false, path: '$.key_0' });
});

test('treats __proto__ as a name like any other', () => {
  const repaired = repairArguments('{"path":"a","line":"1","__proto__":{"x":1}}', SCHEMA);
  expect(repaired).toMatchObject({ ok: false, path: '$.__proto__' });
});

test('what it accepts is valid, and what was valid comes back unchanged', () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  const written = fc.oneof(
    fc.record(
      {
        path: fc.oneof(fc.string(), json),
        line: fc.oneof(fc.integer(), fc.integer().map(String), json),
        tags: fc.oneof(fc.array(fc.string()), fc.string(), json),
        mode: fc.oneof(fc.constantFrom('Fast', 'fast', 'slow'), json),
      },
      { requiredKeys: [] },
    ),
    json,
  );
  fc.assert(
    fc.property(written, (value) => {
      const text = JSON.stringify(value);
      const repaired = repairArguments(text, SCHEMA);
      if (!repaired.ok) return;
      expect(validateJson(repaired.value, SCHEMA)).toBeNull();
      const parsed: unknown = JSON.parse(text);
      if (validateJson(parsed, SCHEMA) === null) {
        expect(repaired).toEqual({ ok: true, value: parsed, repairs: [] });
      } else {
        expect(repaired.repairs).not.toEqual([]);
      }
    }),
    { numRuns: 500 },
  );
});

test('never throws, whatever the text', () => {
  fc.assert(fc.property(fc.string(), (text) => void repairArguments(text, SCHEMA)));
});

const WIDE = schema(
  {
    type: 'object',
    additionalProperties: false,
    properties: {
      size: { anyOf: [{ type: 'integer' }, { type: 'string', enum: ['Auto'] }] },
      text: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      pair: { anyOf: [{ type: 'integer' }, { type: 'array', items: { type: 'integer' } }] },
      shape: {
        anyOf: [
          {
            type: 'object',
            additionalProperties: false,
            required: ['kind', 'radius'],
            properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
          },
          {
            type: 'object',
            additionalProperties: false,
            required: ['kind'],
            properties: { kind: { const: 'box' }, side: { type: ['number', 'null'] } },
          },
        ],
      },
      count: { type: ['integer', 'null'], minimum: 3 },
      tags: { type: ['array', 'null'], items: { type: 'string' } },
      inner: {
        type: ['object', 'null'],
        additionalProperties: false,
        properties: { n: { type: 'integer' } },
      },
      mode: { oneOf: [{ const: 'Fast', title: 'At once' }, { const: 2 }] },
    },
  },
  '1.1',
);

test.each<readonly [string, object, object, string]>([
  [
    'a number for the one alternative that takes it',
    { size: '7' },
    { size: 7 },
    '$.size number-from-text',
  ],
  [
    'the case of a member of an alternative',
    { size: 'auto' },
    { size: 'Auto' },
    '$.size enum-case',
  ],
  [
    'an object in a text for an alternative',
    { shape: '{"kind":"circle","radius":"2"}' },
    { shape: { kind: 'circle', radius: 2 } },
    '$.shape object-from-text $.shape.radius number-from-text',
  ],
  ['a number in a text beside null', { count: '7' }, { count: 7 }, '$.count number-from-text'],
  ['a scalar for a list beside null', { tags: 'x' }, { tags: ['x'] }, '$.tags array-of-one'],
  [
    'an object in a text beside null',
    { inner: '{"n":"1"}' },
    { inner: { n: 1 } },
    '$.inner object-from-text $.inner.n number-from-text',
  ],
  ['the case of a choice', { mode: 'fast' }, { mode: 'Fast' }, '$.mode enum-case'],
  ['a number of a choice', { mode: '2' }, { mode: 2 }, '$.mode number-from-text'],
  [
    'null where it is right',
    { count: null, tags: null, inner: null },
    { count: null, tags: null, inner: null },
    '',
  ],
  ['a text that an alternative takes', { text: '7' }, { text: '7' }, ''],
])('mends in a wider schema %s', (...[, given, value, repairs]) => {
  const repaired = repairArguments(JSON.stringify(given), WIDE);
  expect(repaired).toMatchObject({ ok: true, value });
  if (!repaired.ok) throw new Error('refused');
  expect(repaired.repairs.map(({ path, kind }) => `${path} ${kind}`).join(' ')).toBe(repairs);
});

test('a text that two alternatives read differently stays what it is', () => {
  const given = { pair: '7' };
  expect(repairArguments(JSON.stringify(given), WIDE)).toMatchObject({ ok: false });
});

test.each([
  ['keys', (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":0`).join()}}`],
  ['items', (count: number) => `{"a":[${'0,'.repeat(count - 2)}0]}`],
  ['items with a slip', (count: number) => `{'a':[${'0,'.repeat(count - 2)}0]}`],
])('takes 20,000 %s and not one more', (_, write) => {
  expect(repairArguments(write(20_000), null)).toMatchObject({ ok: true });
  expect(repairArguments(write(20_001), null)).toMatchObject({ ok: false, problem: 'json' });
});
