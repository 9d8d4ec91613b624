import { canonicalJson, normalizeSchema } from '@millforge/contracts';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { fromStandardSchema } from '../../src/json-schema/from-standard-schema.ts';

function normal(schema: unknown, side?: 'input' | 'output'): string {
  const raw = fromStandardSchema(schema, side);
  if (!raw.ok) return raw.message;
  const result = normalizeSchema(raw.value, '/s');
  return result.ok ? canonicalJson(result.value, { newline: false }) : result.message;
}

const shape = (required: string): string =>
  '{"additionalProperties":false,"properties":{"kind":{"const":"x"},"limit":{"type":"integer"},' +
  '"mode":{"enum":["a","b"],"type":"string"},"path":{"type":"string"},"tags":{"items":' +
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
  expect(normal(schema)).toBe(shape('"kind","path","tags"'));
  expect(normal(schema, 'output')).toBe(shape('"kind","mode","path","tags"'));
});

test.each([
  ['a bound', z.object({ n: z.number().int().max(5) }), '/s/properties/n/maximum is not accepted'],
  ['a pattern', z.object({ s: z.string().regex(/a/) }), '/s/properties/s/pattern is not'],
  ['a nullable', z.object({ s: z.string().nullable() }), '/s/properties/s/type must be one of'],
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
  expect(normal(schema)).toBe('/s/properties/mixed/anyOf is not an accepted schema keyword');
  const { mixed: _, ...properties } = schema.properties;
  expect(normal({ ...schema, properties })).toBe(
    '{"additionalProperties":false,"properties":{"u":{"enum":["a","b"],"type":"string"}},"required":["u"],"type":"object"}',
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
  expect(normal(odd)).toContain('"__proto__":{"type":"string"}');
  const cycle: { [key: string]: unknown } = { type: 'array' };
  cycle['items'] = cycle;
  expect(fromStandardSchema(cycle)).toMatchObject({ ok: false });
});
