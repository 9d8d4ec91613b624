import { canonicalJson, normalizeSchema } from '@millforge/contracts';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { fromStandardSchema } from '../../src/json-schema/from-standard-schema.ts';

const recursive = z.object({
  get next(): z.ZodOptional<typeof recursive> {
    return z.optional(recursive);
  },
});

function normal(schema: unknown, side?: 'input' | 'output'): string {
  const raw = fromStandardSchema(schema, side);
  if (!raw.ok) return raw.message;
  const result = normalizeSchema(raw.value, '/s', { version: '1.1' });
  return result.ok ? canonicalJson(result.value, { newline: false }) : result.message;
}

const shape = (required: string, mode = ''): string =>
  '{"additionalProperties":false,"properties":{"kind":{"const":"x"},"limit":{"type":"integer"},' +
  `"mode":{${mode}"enum":["a","b"],"type":"string"},"path":{"description":"Where to look.","type":"string"},"tags":{"items":` +
  '{"additionalProperties":false,"properties":{"id":{"type":"number"}},"required":["id"],"type":"object"},' +
  `"type":"array"}},"required":[${required}],"type":"object"}`;

test('takes a zod schema as it is written', () => {
  const schema = z.object({
    path: z.string().describe('Where to look.'),
    limit: z.number().int().optional(),
    mode: z.enum(['a', 'b']).default('a'),
    kind: z.literal('x'),
    tags: z.array(z.object({ id: z.number() })),
  });
  expect(normal(schema)).toBe(shape('"kind","path","tags"', '"default":"a",'));
  expect(normal(schema, 'output')).toBe(shape('"kind","mode","path","tags"', '"default":"a",'));
});

test.each([
  ['a tuple', z.object({ s: z.tuple([z.int()]) }), '/s/properties/s/prefixItems is not'],
  [
    'two patterns',
    z.object({ s: z.string().regex(/a/).regex(/b/) }),
    '/s/properties/s/allOf is not',
  ],
  ['a multiple', z.object({ n: z.int().multipleOf(2) }), '/s/properties/n/multipleOf is not'],
  [
    'a record',
    z.object({ r: z.record(z.string(), z.int()) }),
    '/s/properties/r/propertyNames is not',
  ],
  [
    'a look ahead',
    z.object({ s: z.string().regex(/(?=a)b/) }),
    '/s/properties/s/pattern must not look',
  ],
  ['recursion', recursive, 'must not be recursive'],
  ['an open object', z.looseObject({}), '/s/additionalProperties must be false'],
  ['a date', z.object({ d: z.date() }), 'has no JSON Schema form: '],
  [
    'a library without JSON Schema',
    { '~standard': { version: 1, vendor: 'x' } },
    'comes from a library',
  ],
  ['a number', 1, 'must be a JSON Schema object'],
  ['nothing', undefined, 'must be a JSON Schema object'],
])('leaves or refuses what the subset lacks: %s', (_, schema, message) => {
  expect(normal(schema)).toContain(message);
});

test('takes plain JSON Schema with symbols beside it, as typebox makes it', () => {
  const schema = {
    [Symbol('Kind')]: 'Object',
    type: 'object',
    title: 'T',
    required: ['u'],
    properties: {
      u: {
        anyOf: [
          { const: 'a', type: 'string' },
          { const: 'b', type: 'string' },
        ],
      },
      mixed: { anyOf: [{ const: 'a' }, { type: 'string' }] },
    },
  };
  expect(normal(schema)).toBe(
    '{"additionalProperties":false,"properties":{"mixed":{"anyOf":[{"const":"a"},{"type":"string"}]},' +
      '"u":{"enum":["a","b"],"type":"string"}},"required":["u"],"title":"T","type":"object"}',
  );
});

test('takes a function that carries a schema, as arktype makes it', () => {
  const schema = Object.assign(() => null, {
    '~standard': {
      version: 1,
      vendor: 'x',
      jsonSchema: { input: ({ target }: { target: string }) => ({ $id: target, type: 'object' }) },
    },
  });
  expect(fromStandardSchema(schema)).toEqual({
    ok: true,
    value: { type: 'object', additionalProperties: false },
  });
});

test('keeps property names whatever they are, and survives cycles', () => {
  const odd = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string","title":"t"}}}',
  );
  expect(normal(odd)).toContain('"__proto__":{"title":"t","type":"string"}');
  const cycle: { [key: string]: unknown } = { type: 'array' };
  cycle['items'] = cycle;
  expect(fromStandardSchema(cycle)).toMatchObject({ ok: false });
});

test.each([
  ['bounds', z.number().min(1).lt(5), { type: 'number', minimum: 1, exclusiveMaximum: 5 }],
  ['a positive integer', z.int().positive(), { type: 'integer', exclusiveMinimum: 0 }],
  ['lengths', z.string().min(1).max(9), { type: 'string', minLength: 1, maxLength: 9 }],
  ['a pattern', z.string().regex(/^a+$/), { type: 'string', pattern: '^a+$' }],
  ['a beginning', z.string().startsWith('a'), { type: 'string', pattern: '^a.*' }],
  ['a URL', z.url(), { type: 'string', format: 'uri' }],
  ['a host name', z.hostname(), { type: 'string', format: 'hostname' }],
  ['a nullable', z.string().nullable(), { type: ['string', 'null'] }],
  ['a nullable enum', z.enum(['a']).nullable(), { type: ['string', 'null'], enum: ['a', null] }],
  ['null', z.null(), { const: null }],
  [
    'literals with words',
    z.union([z.literal('a').describe('x'), z.literal('b')]),
    { oneOf: [{ const: 'a', description: 'x' }, { const: 'b' }] },
  ],
  [
    'a union',
    z.union([z.int(), z.boolean()]),
    { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
  ],
  [
    'an array',
    z.array(z.string()).min(1).max(3),
    { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3 },
  ],
])('keeps of zod %s', (_, inner, expected) => {
  const text = normal(z.object({ x: inner }));
  expect(JSON.parse(text)).toMatchObject({ properties: { x: expected } });
});

test.each([
  ['email', z.email()],
  ['uuid', z.uuid()],
  ['date', z.iso.date()],
  ['date-time', z.iso.datetime()],
  ['ipv4', z.ipv4()],
  ['ipv6', z.ipv6()],
])('takes the format %s of zod with the pattern that zod writes beside it', (format, inner) => {
  const text = normal(z.object({ x: inner }));
  expect(JSON.parse(text)).toMatchObject({
    properties: { x: { format, pattern: expect.anything() } },
  });
});

test('makes alternatives of a discriminated union of zod', () => {
  const union = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a'), n: z.int() }),
    z.object({ kind: z.literal('b') }),
  ]);
  expect(normal(z.object({ x: union }))).toContain('"x":{"anyOf":[{"additionalProperties":false,');
});
