import { canonicalJson, JsonFloat, normalizeSchema } from '@millforge/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

const object = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});

function normal(schema: unknown): string {
  const result = normalizeSchema(schema, '/input_schema', { root: 'any' });
  return result.ok ? canonicalJson(result.value, { newline: false }) : result.message;
}

test('drops annotations, sorts required and keeps the order of an enum', () => {
  const schema = {
    description: 'd',
    type: 'object',
    required: ['z', 'a'],
    additionalProperties: false,
    properties: {
      z: { type: 'string', enum: ['strict', 'loose'], default: 'strict' },
      a: { type: 'array', items: { type: 'integer', description: 'i' } },
    },
  };
  expect(normal(schema)).toBe(
    '{"additionalProperties":false,"properties":{"a":{"items":{"type":"integer"},"type":"array"},' +
      '"z":{"enum":["strict","loose"],"type":"string"}},"required":["a","z"],"type":"object"}',
  );
});

test('always writes properties and required of an object', () => {
  expect(normal({ type: 'object', additionalProperties: false })).toBe(
    '{"additionalProperties":false,"properties":{},"required":[],"type":"object"}',
  );
});

test('freezes the normal form and leaves the input alone', () => {
  const input = object({ a: { type: 'string' } });
  const result = normalizeSchema(input, '/s');
  expect(Object.isFrozen(input)).toBe(false);
  expect(result.ok && Object.isFrozen(result.value)).toBe(true);
});

test('keeps number kinds of constants and enums', () => {
  expect(normal({ const: new JsonFloat(1) })).toBe('{"const":1.0}');
  expect(normal({ type: 'number', enum: [1, new JsonFloat(2), 0.5] })).toBe(
    '{"enum":[1,2.0,0.5],"type":"number"}',
  );
});

test('keeps a property named __proto__ and its like', () => {
  const input = JSON.parse(
    '{"type":"object","additionalProperties":false,"properties":{"__proto__":{"type":"string"},"constructor":{"type":"integer"}},"required":["__proto__"]}',
  );
  expect(normal(input)).toBe(
    '{"additionalProperties":false,"properties":{"__proto__":{"type":"string"},"constructor":{"type":"integer"}},"required":["__proto__"],"type":"object"}',
  );
  const missing = normalizeSchema(object({}, ['constructor']), '/s');
  expect(missing).toMatchObject({ ok: false, path: '/s/required/0' });
});

test.each([
  ['a list', [], '', 'must be a schema object'],
  ['null', null, '', 'must be a schema object'],
  ['no type', {}, '/type', 'must be one of'],
  ['a null type', { type: 'null' }, '/type', 'must be one of'],
  ['a list of types', { type: ['string', 'null'] }, '/type', 'must be one of'],
  ['a reference', { $ref: '#/a' }, '/$ref', 'is not an accepted schema keyword'],
  [
    'a format',
    object({ url: { type: 'string', format: 'uri' } }),
    '/properties/url/format',
    'is not an accepted',
  ],
  [
    'minLength',
    { type: 'string', minLength: 1 },
    '/minLength',
    'is not an accepted schema keyword',
  ],
  [
    'maxLength',
    { type: 'string', maxLength: 1 },
    '/maxLength',
    'runtime does not enforce schema bounds',
  ],
  [
    'maxItems',
    { type: 'array', maxItems: 1 },
    '/maxItems',
    'runtime does not enforce schema bounds',
  ],
  [
    'maximum',
    { type: 'integer', maximum: 1 },
    '/maximum',
    'runtime does not enforce schema bounds',
  ],
  [
    'minimum',
    { type: 'integer', minimum: 1 },
    '/minimum',
    'runtime does not enforce schema bounds',
  ],
  ['const beside a type', { const: 1, type: 'integer' }, '/type', 'beside const'],
  ['a list as const', { const: [] }, '/const', 'must be a string'],
  ['NaN as const', { const: Number.NaN }, '/const', 'must be a string'],
  ['an empty enum', { type: 'string', enum: [] }, '/enum', 'non-empty list'],
  ['a null in an enum', { type: 'string', enum: [null] }, '/enum/0', 'of type string'],
  ['1.5 in an integer enum', { type: 'integer', enum: [1.5] }, '/enum/0', 'of type integer'],
  [
    '1.0 in an integer enum',
    { type: 'integer', enum: [new JsonFloat(1)] },
    '/enum/0',
    'of type integer',
  ],
  ['true in a number enum', { type: 'number', enum: [true] }, '/enum/0', 'of type number'],
  ['1 and 1.0 in one enum', { type: 'number', enum: [1, new JsonFloat(1)] }, '/enum/1', 'repeats'],
  [
    'an enum on an array',
    { type: 'array', items: { type: 'string' }, enum: [1] },
    '/enum',
    'type array',
  ],
  ['an enum on an object', { ...object({}), enum: [1] }, '/enum', 'type object'],
  ['an open object', { type: 'object' }, '/additionalProperties', 'must be false'],
  ['items on an object', { ...object({}), items: { type: 'string' } }, '/items', 'type object'],
  [
    'properties on an array',
    { type: 'array', items: {}, properties: {} },
    '/properties',
    'type array',
  ],
  ['an array without items', { type: 'array' }, '/items', 'must be a schema object'],
  ['items on a string', { type: 'string', items: {} }, '/items', 'type string'],
  ['an empty property name', object({ '': { type: 'string' } }), '/properties', 'empty name'],
  ['required that is absent', object({}, ['a']), '/required/0', 'one of the properties'],
  ['required twice', object({ a: { type: 'string' } }, ['a', 'a']), '/required/1', 'repeats'],
  ['a number as required', { ...object({}), required: [1] }, '/required/0', 'property name'],
  [
    'a name that needs escaping',
    object({ 'a/~': { type: 'x' } }),
    '/properties/a~1~0/type',
    'must be one of',
  ],
])('refuses %s', (...[, schema, path, reason]) => {
  const result = normalizeSchema(schema, '/input_schema', { root: 'any' });
  expect(result).toMatchObject({ ok: false, path: `/input_schema${path}` });
  expect(!result.ok && result.message).toContain(`/input_schema${path} `);
  expect(!result.ok && result.message).toContain(reason);
});

test('requires an object at the root unless told otherwise (B-30)', () => {
  for (const schema of [
    { type: 'string' },
    { const: 1 },
    { type: 'array', items: { type: 'string' } },
  ]) {
    expect(normalizeSchema(schema, '/s')).toMatchObject({ ok: false, path: '/s' });
    expect(normalizeSchema(schema, '/s', { root: 'any' }).ok).toBe(true);
  }
});

test('refuses more than 16 levels', () => {
  const nested = (levels: number): object =>
    levels === 1 ? { type: 'string' } : { type: 'array', items: nested(levels - 1) };
  expect(normalizeSchema(nested(16), '/s', { root: 'any' }).ok).toBe(true);
  expect(normalizeSchema(nested(17), '/s', { root: 'any' })).toMatchObject({ ok: false });
});

test('refuses more than 64 KiB, also when shared parts only unfold to it', () => {
  const wide = object(
    Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`p${index}`, { type: 'string' }]),
    ),
  );
  expect(normalizeSchema(wide, '/s')).toMatchObject({ ok: false, path: '/s' });
  let shared: object = { type: 'string' };
  for (let level = 0; level < 14; level++) {
    shared = object(Object.fromEntries('abcdefghij'.split('').map((name) => [name, shared])));
  }
  expect(normalizeSchema(shared, '/s')).toMatchObject({ ok: false });
});

test('survives a cyclic schema', () => {
  const cycle: { [key: string]: unknown } = { type: 'array' };
  cycle['items'] = cycle;
  expect(normalizeSchema(cycle, '/s', { root: 'any' })).toMatchObject({ ok: false });
});

test('gives a normal form back unchanged, and never throws', () => {
  fc.assert(
    fc.property(fc.anything(), (input) => {
      const result = normalizeSchema(input, '/s', { root: 'any' });
      if (result.ok) expect(normalizeSchema(result.value, '/s', { root: 'any' })).toEqual(result);
    }),
  );
});
