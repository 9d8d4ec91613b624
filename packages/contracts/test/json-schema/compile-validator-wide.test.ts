import {
  compileExplainer,
  compileValidator,
  JsonFloat,
  type JsonSchema,
  normalizeSchema,
  validateJson,
} from '@millforge/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cpuTimeOf } from './cpu-time.ts';
import { anyWideSchema } from './wide-schemas.ts';

function schemaOf(raw: unknown): JsonSchema {
  const result = normalizeSchema(raw, '/s', { root: 'any', version: '1.1' });
  if (!result.ok) throw new Error(result.message);
  return result.value;
}

function judge(schema: unknown, value: unknown): string | null {
  return validateJson(value, schemaOf(schema))?.message ?? null;
}

const TEXT = { type: 'string' };
const tagged = (kind: string, properties: object): object => ({
  type: 'object',
  additionalProperties: false,
  properties: { kind: { const: kind }, ...properties },
  required: ['kind'],
});
const CIRCLE = tagged('circle', { radius: { type: 'number', minimum: 0 } });
const BOX = tagged('box', { side: { type: 'number' } });

test.each<[string, object, unknown, string | null]>([
  ['a number at its minimum', { type: 'number', minimum: 3 }, 3, null],
  ['a number below', { type: 'number', minimum: 3 }, 2.9, '$ must be at least 3'],
  ['a number above', { type: 'integer', maximum: 3 }, 4, '$ must be at most 3'],
  [
    'a number at an open minimum',
    { type: 'number', exclusiveMinimum: 0.5 },
    0.5,
    '$ must be more than 0.5',
  ],
  [
    'a number at an open maximum',
    { type: 'number', exclusiveMaximum: 1 },
    1,
    '$ must be less than 1',
  ],
  [
    'a number that kept its kind',
    { type: 'number', minimum: new JsonFloat(1) },
    new JsonFloat(1),
    null,
  ],
  ['a large integer', { type: 'integer', maximum: 5 }, 2n ** 70n, '$ must be at most 5'],
  ['a text for a bounded number', { type: 'number', minimum: 3 }, '5', '$ must be number'],
  ['a short text', { type: 'string', minLength: 1 }, '', '$ must have at least 1 character'],
  ['a long text', { type: 'string', maxLength: 2 }, 'abc', '$ must have at most 2 characters'],
  ['characters outside the plane', { type: 'string', minLength: 2, maxLength: 2 }, '😀😀', null],
  [
    'one such character',
    { type: 'string', minLength: 2 },
    '😀',
    '$ must have at least 2 characters',
  ],
  [
    'many such characters',
    { type: 'string', maxLength: 2 },
    '😀😀😀',
    '$ must have at most 2 characters',
  ],
  ['a pattern', { type: 'string', pattern: '^a+$' }, 'ab', '$ must match the pattern ^a+$'],
  ['a pattern anywhere', { type: 'string', pattern: 'b' }, 'abc', null],
  [
    'a format',
    { type: 'string', format: 'date' },
    '2023-02-29',
    '$ must be a date such as 2024-02-29',
  ],
  [
    'an enum with another limit',
    { type: 'string', enum: ['a', 'bb'], maxLength: 1 },
    'bb',
    '$ must have at most 1 character',
  ],
  ['few items', { type: 'array', items: TEXT, minItems: 2 }, ['a'], '$ must have at least 2 items'],
  [
    'many items',
    { type: 'array', items: TEXT, maxItems: 1 },
    ['a', 1],
    '$ must have at most 1 item',
  ],
  [
    'a repeated item',
    { type: 'array', items: TEXT, uniqueItems: true },
    ['a', 'b', 'a'],
    '$[2] must not repeat an earlier item',
  ],
  [
    '1 and 1.0',
    { type: 'array', items: { type: 'number' }, uniqueItems: true },
    [1, new JsonFloat(1)],
    '$[1] must not repeat an earlier item',
  ],
  [
    '1 and "1" and true',
    {
      type: 'array',
      items: { anyOf: [{ type: 'integer' }, TEXT, { type: 'boolean' }] },
      uniqueItems: true,
    },
    [1, '1', true, 'true'],
    null,
  ],
  [
    'equal objects',
    {
      type: 'array',
      items: { type: 'object', additionalProperties: false, properties: { a: TEXT, b: TEXT } },
      uniqueItems: true,
    },
    [
      { a: 'x', b: 'y' },
      { b: 'y', a: 'x' },
    ],
    '$[1] must not repeat an earlier item',
  ],
  ['null for a nullable', { type: ['string', 'null'], minLength: 3 }, null, null],
  [
    'a short text for a nullable',
    { type: ['string', 'null'], minLength: 3 },
    'a',
    '$ must have at least 3 characters',
  ],
  ['a number for a nullable', { type: ['string', 'null'] }, 1, '$ must be string or null'],
  [
    'a nullable enum',
    { type: 'string', enum: ['a'], nullable: true },
    'b',
    '$ must be one of "a", null',
  ],
  ['undefined for a nullable', { type: ['string', 'null'] }, undefined, '$ must be string or null'],
  ['a choice', { oneOf: [{ const: 'a', title: 'A' }, { const: 1 }] }, 1, null],
  [
    'nothing of a choice',
    { oneOf: [{ const: 'a', title: 'A' }, { const: 1 }] },
    2,
    '$ must be one of "a", 1',
  ],
  ['the second alternative', { anyOf: [TEXT, { type: 'integer' }] }, 2, null],
  [
    'no alternative',
    { anyOf: [TEXT, { type: 'integer' }] },
    true,
    '$ must match one of 2 alternatives',
  ],
  [
    'the alternative of its type',
    { anyOf: [TEXT, { type: 'integer', minimum: 3 }] },
    1,
    '$ must be at least 3',
  ],
  [
    'the alternative that a constant names',
    { anyOf: [CIRCLE, BOX] },
    { kind: 'circle', radius: -1 },
    '$.radius must be at least 0',
  ],
  [
    'no alternative that a constant names',
    { anyOf: [CIRCLE, BOX] },
    { kind: 'x' },
    '$ must match one of 2 alternatives',
  ],
  [
    'two alternatives that might be meant',
    { anyOf: [CIRCLE, BOX] },
    {},
    '$ must match one of 2 alternatives',
  ],
])('judges %s', (...[, schema, value, message]) => {
  expect(judge(schema, value)).toBe(message);
});

test('never echoes a value', () => {
  const secret = 'sk-0123456789abcdef0123';
  for (const schema of [
    { type: 'string', maxLength: 3 },
    { type: 'string', pattern: '^a$' },
    { type: 'string', format: 'email' },
    { type: 'string', enum: ['a'] },
    { anyOf: [{ type: 'integer' }, { type: 'string', maxLength: 1 }] },
    { oneOf: [{ const: 'a' }, { const: 1 }] },
  ]) {
    expect(JSON.stringify(validateJson(secret, schemaOf(schema)))).not.toContain(secret);
  }
});

test('accepts what was made for a schema, and refuses it once it is broken', () => {
  fc.assert(
    fc.property(anyWideSchema, fc.gen(), (raw, gen) => {
      const schema = schemaOf(raw);
      const validate = compileValidator(schema);
      const value = gen(fitting, schema);
      expect(validate(value)).toBe(null);
      for (const wrong of broken(value, schema)) expect(validate(wrong)).not.toBe(null);
    }),
    { numRuns: 100 },
  );
});

test('says the same of a value whether it is looked at quickly or closely', () => {
  fc.assert(
    fc.property(anyWideSchema, fc.gen(), (raw, gen) => {
      const schema = schemaOf(raw);
      const quick = compileValidator(schema);
      const close = compileExplainer(schema);
      const value = gen(fitting, schema);
      const others = [gen(fc.anything, {}), gen(fc.jsonValue, {}), new JsonFloat(1), 1n, null];
      for (const one of [value, inherited(value), ...broken(value, schema), ...others]) {
        expect(quick(one)).toEqual(close(one));
      }
    }),
    { numRuns: 200 },
  );
});

test.each<[string, object, boolean]>([
  ['without a prototype', Object.assign(Object.create(null), { a: 1 }), true],
  [
    'of a class',
    new (class {
      a = 1;
    })(),
    false,
  ],
  ['that inherits from another', Object.create({ a: 1 }), false],
  ['with a property that every object inherits', { a: 1, constructor: 1 }, false],
  ['with an own __proto__', JSON.parse('{"a":1,"__proto__":{}}'), false],
])('an object %s is judged by what it is', (_what, value, isRight) => {
  const schema = schemaOf({
    type: 'object',
    additionalProperties: false,
    properties: { a: { type: 'integer' } },
    required: ['a'],
  });
  expect(validateJson(value, schema) === null).toBe(isRight);
});

test('looks at every item of a long list once', () => {
  const schema = schemaOf({
    type: 'array',
    items: { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^[a-z]+$', minLength: 1 }] },
    uniqueItems: true,
  });
  const value = Array.from({ length: 100_000 }, (_, index) => index);
  const spent = cpuTimeOf(() => {
    expect(validateJson(value, schema)).toBe(null);
  });
  expect(spent).toBeLessThan(1500);
});

/** The same names and values, none of them the object's own; plain all the same, as in another realm. */
function inherited(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.create(
    Object.create(null, Object.getOwnPropertyDescriptors(value)) as object,
  ) as unknown;
}

function fitting(schema: JsonSchema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if ('oneOf' in schema) return fc.constantFrom(...schema.oneOf.map((member) => member.const));
  if ('anyOf' in schema) return fc.oneof(...schema.anyOf.map(fitting));
  if ('properties' in schema) {
    const entries = Object.entries(schema.properties);
    return fc
      .tuple(...entries.map(([, property]) => fitting(property)))
      .map((values) => Object.fromEntries(entries.map(([name], at) => [name, values[at]])));
  }
  const real = 'items' in schema ? items(schema) : scalar(schema);
  return typeof schema.type === 'string' ? real : fc.oneof(real, fc.constant(null));
}

function items(schema: Extract<JsonSchema, { items: unknown }>): fc.Arbitrary<unknown> {
  const { minItems = 0, maxItems = 4 } = schema;
  return fc.array(fitting(schema.items), { minLength: minItems, maxLength: maxItems });
}

function scalar(schema: Extract<JsonSchema, { enum?: unknown }>): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if ('pattern' in schema) return fc.constantFrom('a', 'bc', 'cab');
  if ('format' in schema) return fc.ipV4();
  if ('minLength' in schema) {
    const length = schema.minLength ?? 0;
    return fc.string({
      unit: 'grapheme-ascii',
      minLength: length,
      maxLength: schema.maxLength ?? length,
    });
  }
  const low =
    'minimum' in schema
      ? schema.minimum
      : 'exclusiveMinimum' in schema
        ? schema.exclusiveMinimum
        : 0;
  const type = typeof schema.type === 'string' ? schema.type : schema.type[0];
  if (type === 'boolean') return fc.boolean();
  if (type === 'string') return fc.string();
  return fc.nat(3).map((step) => Number(low) + 1 + step);
}

/** Values that differ from a right one in one place so that the schema must refuse them. */
function broken(value: unknown, schema: JsonSchema): readonly unknown[] {
  const wrong: unknown[] = [undefined, Number.NaN, new Map()];
  if ('anyOf' in schema || 'oneOf' in schema || 'const' in schema) return wrong;
  if ('minimum' in schema && typeof schema.minimum === 'number') wrong.push(schema.minimum - 1);
  if ('maximum' in schema && typeof schema.maximum === 'number') wrong.push(schema.maximum + 1);
  if ('exclusiveMinimum' in schema) wrong.push(schema.exclusiveMinimum);
  if ('exclusiveMaximum' in schema) wrong.push(schema.exclusiveMaximum);
  if ('maxLength' in schema) wrong.push('x'.repeat((schema.maxLength ?? 0) + 1));
  if ('pattern' in schema) wrong.push('', 'abcd', 'd');
  if ('items' in schema && Array.isArray(value) && schema.maxItems !== undefined) {
    wrong.push(Array(schema.maxItems + 1).fill(value[0]));
  }
  if ('properties' in schema && typeof value === 'object') {
    wrong.push({ ...value, surplus: 1 });
    const [name] = schema.required;
    if (name !== undefined) {
      wrong.push(Object.fromEntries(Object.entries(value ?? {}).filter(([key]) => key !== name)));
    }
  }
  return wrong;
}
