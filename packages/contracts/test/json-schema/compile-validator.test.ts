import {
  compileValidator,
  JsonFloat,
  type JsonSchema,
  normalizeSchema,
  validateJson,
} from '@millforge/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

function schemaOf(raw: unknown): JsonSchema {
  const result = normalizeSchema(raw, '/s', { root: 'any' });
  if (!result.ok) throw new Error(result.message);
  return result.value;
}

const order = schemaOf({
  type: 'object',
  additionalProperties: false,
  properties: {
    n: { type: 'number' },
    i: { type: 'integer' },
    s: { type: 'string', enum: ['a', 'b'] },
    on: { type: 'boolean' },
    items: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        properties: { id: { type: 'string' } },
        required: ['id'],
      },
    },
  },
  required: ['n', 's'],
});

test.each([
  ['a right value', { n: 1.5, s: 'a', i: 3, on: false, items: [{ id: 'x' }] }, null],
  ['another type', [], '$ must be object'],
  ['null', null, '$ must be object'],
  ['an instance', new Map(), '$ must be object'],
  ['an absent property', { s: 'a' }, '$.n is required'],
  ['the first absent property', {}, '$.n is required'],
  ['an inherited property', Object.create({ n: 1, s: 'a' }), '$ must be object'],
  ['an unknown property, the first by name', { n: 1, s: 'a', z: 1, y: 2 }, '$.y is not allowed'],
  ['a name of the prototype', { n: 1, s: 'a', constructor: 1 }, '$.constructor is not allowed'],
  ['a text for a number', { n: '1', s: 'a' }, '$.n must be number'],
  ['a boolean for a number', { n: true, s: 'a' }, '$.n must be number'],
  ['NaN', { n: Number.NaN, s: 'a' }, '$.n must be number'],
  ['a fraction for an integer', { n: 1, s: 'a', i: 1.5 }, '$.i must be integer'],
  ['a boolean for an integer', { n: 1, s: 'a', i: true }, '$.i must be integer'],
  ['a number for a boolean', { n: 1, s: 'a', on: 0 }, '$.on must be boolean'],
  ['a value outside an enum', { n: 1, s: 'c' }, '$.s must be one of "a", "b"'],
  ['an object for an array', { n: 1, s: 'a', items: {} }, '$.items must be array'],
  [
    'a fault deep inside',
    { n: 1, s: 'a', items: [{ id: 'x' }, { id: 2 }] },
    '$.items[1].id must be string',
  ],
  [
    'the first of several faults, in the order of the value',
    { i: 'x', n: 'y', s: 'a' },
    '$.i must be integer',
  ],
])('judges %s', (_, value, message) => {
  expect(validateJson(value, order)?.message ?? null).toBe(message);
});

test('tells path, expectation and the type it received, never the value', () => {
  expect(validateJson({ n: 'sk-secret', s: 'a' }, order)).toEqual({
    path: '$.n',
    expected: 'number',
    received: 'string',
    message: '$.n must be number',
  });
  expect(validateJson({}, order)).toMatchObject({ path: '$.n', received: 'nothing' });
});

test('enforces constants (B-01)', () => {
  const schema = schemaOf({
    type: 'object',
    additionalProperties: false,
    properties: { kind: { const: 'a' }, none: { const: null }, one: { const: new JsonFloat(1) } },
  });
  expect(validateJson({ kind: 'a', none: null, one: 1 }, schema)).toBe(null);
  expect(validateJson({ kind: 'b' }, schema)?.message).toBe('$.kind must equal the constant');
  expect(validateJson({ none: 0 }, schema)?.message).toBe('$.none must equal the constant');
  expect(validateJson({ one: true }, schema)?.message).toBe('$.one must equal the constant');
});

test('understands numbers that kept their kind', () => {
  const validate = (type: string, value: unknown): boolean =>
    validateJson(value, schemaOf({ type })) === null;
  expect(validate('number', new JsonFloat(1))).toBe(true);
  expect(validate('integer', new JsonFloat(1))).toBe(false);
  expect(validate('integer', 2n ** 60n)).toBe(true);
  expect(validate('number', new JsonFloat(Number.POSITIVE_INFINITY))).toBe(false);
  expect(
    validateJson(new JsonFloat(1), schemaOf({ type: 'object', additionalProperties: false }))
      ?.message,
  ).toBe('$ must be object');
  expect(validateJson(new JsonFloat(2), schemaOf({ type: 'number', enum: [2] }))).toBe(null);
});

test('handles a property named __proto__', () => {
  const schema = schemaOf(
    JSON.parse(
      '{"type":"object","additionalProperties":false,"properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
    ),
  );
  expect(validateJson(JSON.parse('{"__proto__":"x"}'), schema)).toBe(null);
  expect(validateJson(JSON.parse('{"__proto__":1}'), schema)?.message).toBe(
    '$.__proto__ must be string',
  );
  expect(validateJson({}, schema)?.message).toBe('$.__proto__ is required');
});

test('cuts the list of a large enum', () => {
  const members = Array.from({ length: 500 }, (_, index) => `member-${index}`);
  const message = validateJson('x', schemaOf({ type: 'string', enum: members }))?.message ?? '';
  expect(message.startsWith('$ must be one of "member-0", ')).toBe(true);
  expect(message.length).toBeLessThan(450);
});

test('agrees with a naive validator on any schema and value', () => {
  fc.assert(
    fc.property(anySchema, fc.context(), fc.gen(), (raw, context, gen) => {
      const schema = schemaOf(raw);
      const validate = compileValidator(schema);
      const value = gen(valueFor, schema);
      context.log(JSON.stringify(value));
      expect(validate(value)?.message ?? null).toBe(naive(value, schema, '$'));
    }),
    { numRuns: 300 },
  );
});

const scalarSchema = fc.oneof(
  fc.record({ type: fc.constantFrom('string', 'integer', 'number', 'boolean') }),
  fc.record({ const: fc.constantFrom(null, 'a', 1, 1.5, true) }),
  fc.constantFrom({ type: 'string', enum: ['a', 'b'] }, { type: 'integer', enum: [0, 2] }),
);

const { anySchema } = fc.letrec((tie) => ({
  anySchema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalarSchema,
    fc.record({ type: fc.constant('array'), items: tie('anySchema') }),
    fc
      .record({
        properties: fc.dictionary(fc.constantFrom('a', 'b', 'constructor'), tie('anySchema')),
        isRequired: fc.boolean(),
      })
      .map(({ properties, isRequired }) => ({
        type: 'object',
        additionalProperties: false,
        properties,
        required: isRequired ? Object.keys(properties) : [],
      })),
  ),
}));

/** Values that mostly fit, so that deep places are reached. */
function valueFor(schema: JsonSchema): fc.Arbitrary<unknown> {
  const wrong = fc.constantFrom<unknown>(null, 'a', 'c', 0, 1, 1.5, true, [], {}, undefined);
  return fc.oneof({ weight: 6, arbitrary: fitting(schema) }, { weight: 1, arbitrary: wrong });
}

function fitting(schema: JsonSchema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if ('oneOf' in schema || 'anyOf' in schema) return fc.constant(null);
  if ('items' in schema) return fc.array(valueFor(schema.items), { maxLength: 3 });
  if (!('properties' in schema)) {
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    const leaves = {
      string: fc.string(),
      integer: fc.integer(),
      number: fc.double(),
      boolean: fc.boolean(),
    };
    return typeof schema.type === 'string' ? leaves[schema.type] : fc.constant(null);
  }
  const entries = Object.entries(schema.properties).map(([name, property]) => [
    name,
    valueFor(property),
  ]);
  return fc
    .tuple(
      fc.record(Object.fromEntries(entries), { requiredKeys: [] }),
      fc.dictionary(fc.constantFrom('x', 'y'), fc.constant(1), { maxKeys: 1 }),
    )
    .map(([right, extra]) => ({ ...extra, ...right }));
}

function naive(value: unknown, schema: JsonSchema, path: string): string | null {
  if ('const' in schema) return value === schema.const ? null : `${path} must equal the constant`;
  if ('oneOf' in schema || 'anyOf' in schema) return null;
  if ('properties' in schema) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return `${path} must be object`;
    const entries = new Map(Object.entries(value));
    const absent = schema.required.find((name) => !entries.has(name));
    if (absent !== undefined) return `${path}.${absent} is required`;
    const unknown = [...entries.keys()]
      .filter((name) => !Object.hasOwn(schema.properties, name))
      .toSorted();
    if (unknown.length > 0) return `${path}.${unknown[0]} is not allowed`;
    for (const [name, item] of entries) {
      const property = Object.entries(schema.properties).find(([key]) => key === name)?.[1];
      const fault = property === undefined ? null : naive(item, property, `${path}.${name}`);
      if (fault !== null) return fault;
    }
    return null;
  }
  if ('items' in schema) {
    if (!Array.isArray(value)) return `${path} must be array`;
    return (
      value
        .map((item, index) => naive(item, schema.items, `${path}[${index}]`))
        .find((fault) => fault !== null) ?? null
    );
  }
  const isRight =
    schema.type === 'integer'
      ? Number.isInteger(value)
      : schema.type === 'number'
        ? Number.isFinite(value)
        : typeof value === schema.type;
  if (!isRight) return `${path} must be ${String(schema.type)}`;
  if (schema.enum === undefined || schema.enum.some((member) => member === value)) return null;
  return `${path} must be one of ${schema.enum.map((member) => JSON.stringify(member)).join(', ')}`;
}
