import {
  canonicalJson,
  JsonFloat,
  type JsonSchema,
  type NormalizeSchemaOptions,
  normalizeSchema,
  toSchema10,
  withoutAnnotations,
} from '@millforge/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cpuTimeOf } from './cpu-time.ts';
import { anyWideSchema } from './wide-schemas.ts';

const WIDE: NormalizeSchemaOptions = { root: 'any', version: '1.1' };

function normal(schema: unknown, options: NormalizeSchemaOptions = {}): JsonSchema {
  const result = normalizeSchema(schema, '/s', { ...WIDE, ...options });
  if (!result.ok) throw new Error(result.message);
  return result.value;
}

function refusal(schema: unknown): string {
  const result = normalizeSchema(schema, '/s', WIDE);
  return result.ok ? 'accepted' : result.message;
}

const closed = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});
const TEXT = { type: 'string' };

test.each<[string, object, object]>([
  ['bounds of a number', { type: 'number', minimum: 0.5, exclusiveMaximum: 2 }, {}],
  ['bounds of a text', { type: 'string', minLength: 0, maxLength: 3, pattern: '^a' }, {}],
  ['a format', { type: 'string', format: 'date' }, {}],
  ['bounds of an array', { type: 'array', items: TEXT, minItems: 1, maxItems: 1 }, {}],
  ['unique items', { type: 'array', items: TEXT, uniqueItems: true }, {}],
  ['words', { type: 'string', title: 't', description: 'd', default: 'x', examples: ['a'] }, {}],
  ['a type with null', { type: ['integer', 'null'], minimum: 1 }, {}],
  ['null before the type', { type: ['null', 'string'] }, { type: ['string', 'null'] }],
  ['a list of one type', { type: ['string'] }, TEXT],
  [
    'uniqueItems: false',
    { type: 'array', items: TEXT, uniqueItems: false },
    { type: 'array', items: TEXT },
  ],
  ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
  ['nullable: false', { type: 'string', nullable: false }, TEXT],
  [
    'nullable with an enum',
    { type: 'string', enum: ['a'], nullable: true },
    { type: ['string', 'null'], enum: ['a', null] },
  ],
  ['the type null', { type: 'null' }, { const: null }],
  ['const beside its type', { const: 1, type: 'integer' }, { const: 1 }],
  ['const null beside a nullable type', { const: null, type: ['string', 'null'] }, { const: null }],
  ['alternatives', { anyOf: [TEXT, { type: 'integer' }] }, {}],
  ['one alternative', { anyOf: [TEXT] }, TEXT],
  [
    'an alternative that is null',
    { anyOf: [{ type: 'null' }, { type: 'integer', description: 'i' }], title: 't' },
    { type: ['integer', 'null'], description: 'i', title: 't' },
  ],
  [
    'null beside two alternatives',
    { anyOf: [TEXT, { type: 'boolean' }], nullable: true },
    { anyOf: [TEXT, { type: 'boolean' }, { const: null }] },
  ],
  [
    'constants with words',
    { oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] },
    { oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] },
  ],
  [
    'constants without words',
    { oneOf: [{ const: 'a' }, { const: 'b' }] },
    { type: 'string', enum: ['a', 'b'] },
  ],
  [
    'constants of several types',
    { anyOf: [{ const: 'a' }, { const: 1 }, { const: null }] },
    { oneOf: [{ const: 'a' }, { const: 1 }, { const: null }] },
  ],
  [
    'a constant or null',
    { const: 'a', nullable: true },
    { type: ['string', 'null'], enum: ['a', null] },
  ],
  [
    'objects that a constant tells apart',
    {
      oneOf: [closed({ k: { const: 'a' } }, ['k']), closed({ k: { const: 'b' }, n: TEXT }, ['k'])],
    },
    {
      anyOf: [closed({ k: { const: 'a' } }, ['k']), closed({ k: { const: 'b' }, n: TEXT }, ['k'])],
    },
  ],
  [
    'references, with words of their own',
    {
      $schema: 'x',
      $id: 'y',
      $comment: 'z',
      $defs: { 'a/b': { type: 'string', title: 'T', description: 'inner' }, unused: 7 },
      ...closed({
        p: { $ref: '#/$defs/a~1b', description: 'outer' },
        q: { $ref: '#/$defs/a%2Fb' },
      }),
    },
    closed({
      p: { type: 'string', title: 'T', description: 'outer' },
      q: { type: 'string', title: 'T', description: 'inner' },
    }),
  ],
  [
    'a reference to a reference, nullable',
    {
      definitions: { a: { $ref: '#/definitions/b' }, b: { type: 'integer' } },
      ...closed({ p: { $ref: '#/definitions/a', nullable: true } }),
    },
    closed({ p: { type: ['integer', 'null'] } }),
  ],
  ['a default that is null', { type: ['string', 'null'], default: null }, {}],
])('takes %s', (_, schema, expected) => {
  expect(normal(schema)).toEqual(Object.keys(expected).length === 0 ? schema : expected);
});

test.each([
  [
    'a number keyword on a text',
    { type: 'string', minimum: 1 },
    '/s/minimum is not accepted for type string',
  ],
  [
    'a text keyword on a number',
    { type: 'number', minLength: 1 },
    '/s/minLength is not accepted for type number',
  ],
  [
    'minItems on an object',
    { ...closed({}), minItems: 1 },
    '/s/minItems is not accepted for type object',
  ],
  [
    'a boolean as exclusive bound',
    { type: 'number', exclusiveMinimum: true },
    '/s/exclusiveMinimum must be a finite number',
  ],
  [
    'an infinite bound',
    { type: 'number', maximum: Number.POSITIVE_INFINITY },
    '/s/maximum must be a finite',
  ],
  ['bounds that cross', { type: 'number', minimum: 2, maximum: 1 }, '/s must leave a value'],
  [
    'bounds that touch and exclude',
    { type: 'number', minimum: 1, exclusiveMaximum: 1 },
    '/s must leave',
  ],
  [
    'no integer between bounds',
    { type: 'integer', exclusiveMinimum: 1, exclusiveMaximum: 2 },
    '/s must leave',
  ],
  ['a negative length', { type: 'string', minLength: -1 }, '/s/minLength must be an integer'],
  ['a fraction of a length', { type: 'string', maxLength: 1.5 }, '/s/maxLength must be an integer'],
  ['a float as count', { type: 'string', maxLength: new JsonFloat(1) }, '/s/maxLength must be'],
  [
    'lengths that cross',
    { type: 'string', minLength: 2, maxLength: 1 },
    '/s/minLength must not be more than maxLength',
  ],
  [
    'counts that cross',
    { type: 'array', items: TEXT, minItems: 2, maxItems: 1 },
    '/s/minItems must not be',
  ],
  [
    'uniqueItems as text',
    { type: 'array', items: TEXT, uniqueItems: 'yes' },
    '/s/uniqueItems must be true or',
  ],
  ['an unknown format', { type: 'string', format: 'iban' }, '/s/format must be one of date, '],
  ['a pattern of another type', { type: 'string', pattern: /a/ }, '/s/pattern must be a text'],
  [
    'a pattern that looks ahead',
    { type: 'string', pattern: '(?=a)' },
    '/s/pattern must not look ahead',
  ],
  ['two types', { type: ['string', 'integer'] }, '/s/type must be one of'],
  [
    'an enum without null under a nullable type',
    { type: ['string', 'null'], enum: ['a'] },
    '/s/enum must list null',
  ],
  ['const beside another type', { const: 1, type: 'string' }, '/s/type must be the type'],
  ['nullable as text', { type: 'string', nullable: 'yes' }, '/s/nullable must be true'],
  ['type beside anyOf', { type: 'string', anyOf: [TEXT] }, '/s/type is not accepted beside anyOf'],
  ['no alternative', { anyOf: [] }, '/s/anyOf must be a non-empty list'],
  ['an alternative twice', { anyOf: [TEXT, { ...TEXT, title: 'x' }] }, '/s/anyOf/1 repeats'],
  [
    'a constant twice',
    { oneOf: [{ const: 1 }, { const: new JsonFloat(1) }] },
    '/s/oneOf/1 repeats',
  ],
  ['a fault in an alternative', { anyOf: [TEXT, { type: 'x' }] }, '/s/anyOf/1/type must be'],
  [
    'more than 16 alternatives',
    { anyOf: Array.from({ length: 17 }, (_, index) => ({ type: 'string', minLength: index })) },
    '/s/anyOf must have at most 16',
  ],
  [
    'oneOf of types',
    { oneOf: [TEXT, { type: 'integer' }] },
    '/s/oneOf must be a list of constants; write anyOf',
  ],
  ['a remote reference', { $ref: 'https://x.example/a' }, '/s/$ref must be a local reference'],
  [
    'a reference to the root',
    closed({ a: { $ref: '#' } }),
    '/s/properties/a/$ref must not be recursive',
  ],
  ['a reference to nothing', { $ref: '#/$defs/a', $defs: {} }, '/s/$ref must name a definition'],
  ['an inherited definition', { $ref: '#/$defs/constructor', $defs: {} }, '/s/$ref must name'],
  [
    'a type beside a reference',
    { $ref: '#/$defs/a', $defs: { a: TEXT }, type: 'string' },
    '/s/type is not accepted beside $ref',
  ],
  [
    'a fault in a definition',
    { $ref: '#/$defs/a', $defs: { a: { type: 'x' } } },
    '/s/$defs/a/type must be',
  ],
  [
    'a definition of itself',
    { $ref: '#/$defs/a', $defs: { a: { type: 'array', items: { $ref: '#/$defs/a' } } } },
    '/s/$defs/a/items/$ref must not be recursive',
  ],
  [
    'definitions below the root',
    closed({ a: { ...TEXT, $defs: {} } }),
    '/s/properties/a/$defs is not an accepted',
  ],
  [
    'a keyword that nothing enforces',
    { type: 'number', multipleOf: 2 },
    '/s/multipleOf is not an accepted',
  ],
  ['a title that is no text', { ...TEXT, title: 1 }, '/s/title must be well-formed text'],
  [
    'half a surrogate pair',
    { ...TEXT, description: '\ud800' },
    '/s/description must be well-formed',
  ],
  [
    'a default of another type',
    { ...TEXT, default: 1 },
    '/s/default must match its schema: $ must be string',
  ],
  ['a default that is no JSON', { ...TEXT, default: () => 'x' }, '/s/default must be JSON'],
  [
    'an example of another type',
    { ...TEXT, examples: ['a', 1] },
    '/s/examples/1 must match its schema',
  ],
  ['examples that are no list', { ...TEXT, examples: 'a' }, '/s/examples must be a list'],
])('refuses %s', (_, schema, message) => {
  expect(refusal(schema)).toContain(message);
});

test('leaves out unfit annotations where it is told to', () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  const schema = closed({
    a: { ...TEXT, title: 1, description: 'd', default: 1, examples: ['x', 2] },
    b: { ...TEXT, default: cycle, examples: 7 },
    c: { ...TEXT, description: 'x'.repeat(70_000) },
  });
  expect(normal(schema, { unfitAnnotations: 'drop' })).toEqual(
    closed({ a: { ...TEXT, description: 'd', examples: ['x'] }, b: TEXT, c: TEXT }),
  );
});

test('counts annotations in the size, or drops all of them', () => {
  const names = Array.from({ length: 1000 }, (_, index) => `p${index}`);
  const schema = closed(
    Object.fromEntries(names.map((name) => [name, { ...TEXT, description: 'ü'.repeat(20) }])),
  );
  expect(refusal(schema)).toBe('/s must not take more than 65,536 bytes');
  expect(normal(schema, { unfitAnnotations: 'drop' })).toEqual(
    closed(Object.fromEntries(names.map((name) => [name, TEXT]))),
  );
});

const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => {
    const next = { $ref: `#/$defs/d${index + 1}` };
    return [`d${index}`, closed({ a: next, b: next, c: next })];
  }),
);
const chain = Object.fromEntries(
  Array.from({ length: 5000 }, (_, index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }]),
);

test.each<[string, unknown]>([
  ['references that double at every level', { $defs: doubling, $ref: '#/$defs/d0' }],
  ['a long chain of references', { $defs: chain, $ref: '#/$defs/d0' }],
  ['a huge enum', { type: 'integer', enum: Array.from({ length: 500_000 }, (_, index) => index) }],
  [
    'a large text in many places',
    {
      $defs: { big: { ...TEXT, description: 'x'.repeat(60_000) } },
      ...closed(
        Object.fromEntries(
          Array.from({ length: 4000 }, (_, i) => [`p${i}`, { $ref: '#/$defs/big' }]),
        ),
      ),
    },
  ],
  [
    'a large default in many places',
    {
      $defs: { big: { type: 'array', items: TEXT, default: Array(9000).fill('x') } },
      ...closed(
        Object.fromEntries(
          Array.from({ length: 4000 }, (_, i) => [`p${i}`, { $ref: '#/$defs/big' }]),
        ),
      ),
    },
  ],
  [
    'nested alternatives',
    Array.from({ length: 60 }).reduce<object>((inner) => ({ anyOf: [inner, TEXT] }), TEXT),
  ],
])('refuses %s in bounded time', (_, schema) => {
  const spent = cpuTimeOf(() => {
    expect(refusal(schema)).not.toBe('accepted');
  });
  expect(spent).toBeLessThan(1000);
});

test('gives a normal form back unchanged, whatever the schema', () => {
  fc.assert(
    fc.property(anyWideSchema, (raw) => {
      const schema = normal(raw);
      expect(normal(schema)).toEqual(schema);
      const bare = withoutAnnotations(schema);
      expect(normal(bare)).toEqual(bare);
      expect(withoutAnnotations(bare)).toEqual(bare);
    }),
    { numRuns: 80 },
  );
});

test('forgets annotations so that schemas which differ in them only become one', () => {
  fc.assert(
    fc.property(anyWideSchema, (raw) => {
      const plain = canonicalJson(withoutAnnotations(normal(raw)));
      expect(canonicalJson(withoutAnnotations(normal(stripped(raw))))).toBe(plain);
    }),
    { numRuns: 80 },
  );
});

test('gives the form of version 1.0 or names the first keyword that it lacks', () => {
  fc.assert(
    fc.property(anyWideSchema, (raw) => {
      const schema = normal(raw);
      const narrow = toSchema10(schema, '/s');
      const strict = normalizeSchema(withoutAnnotations(schema), '/s', { root: 'any' });
      expect(narrow.ok).toBe(strict.ok);
      if (narrow.ok) expect(strict).toEqual({ ok: true, value: narrow.value });
    }),
    { numRuns: 80 },
  );
  const schema = normal(closed({ 'a/b': { type: 'integer', title: 't', minimum: 1 } }));
  expect(toSchema10(schema, '/s')).toEqual({
    ok: false,
    path: '/s/properties/a~1b/minimum',
    keyword: 'minimum',
  });
  expect(toSchema10(normal({ type: ['string', 'null'] }), '/s')).toEqual({
    ok: false,
    path: '/s/type',
    keyword: 'type',
  });
  const titled = normal({ oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] });
  expect(toSchema10(titled, '/s')).toEqual({
    ok: true,
    value: { type: 'string', enum: ['a', 'b'] },
  });
});

/** The schema as it was written, without its words. */
function stripped(raw: unknown): unknown {
  if (Array.isArray(raw)) return raw.map(stripped);
  if (typeof raw !== 'object' || raw === null) return raw;
  const words = new Set(['title', 'description', 'default', 'examples']);
  return Object.fromEntries(
    Object.entries(raw)
      .filter(([key]) => !words.has(key))
      .map(([key, value]) => [key, stripped(value)]),
  );
}
