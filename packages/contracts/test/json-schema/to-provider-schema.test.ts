import {
  type JsonSchema,
  type JsonValue,
  normalizeSchema,
  SCHEMA_DIALECTS,
  toPlainJson,
  toProviderSchema,
  validateJson,
} from '@millforge/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { instanceOf } from './schema-instances.ts';
import { anyWideSchema } from './wide-schemas.ts';

test('a form accepts whatever the schema accepts, in every dialect', () => {
  fc.assert(
    fc.property(
      anyWideSchema.chain((raw) => {
        const schema = normal({ ...ROOT, properties: { it: raw, other: raw }, required: ['it'] });
        return fc.tuple(fc.constant(schema), instanceOf(schema));
      }),
      ([schema, value]) => {
        // The law says nothing about values that are not accepted; the generator gives few.
        fc.pre(validateJson(value, schema) === null);
        for (const dialect of SCHEMA_DIALECTS) {
          const form = toProviderSchema(schema, dialect);
          const told = dialect === 'openai-strict' ? withNulls(value, schema) : value;
          expect(validateJson(told, normal(form.schema)), dialect).toBeNull();
        }
      },
    ),
    { numRuns: Number(process.env['MILLFORGE_PROPERTY_RUNS'] ?? 300) },
  );
});

test('a form has no keyword that its dialect does not take', () => {
  fc.assert(
    fc.property(anyWideSchema, (raw) => {
      const schema = normal({ ...ROOT, properties: { it: raw } });
      const strict = JSON.stringify(toProviderSchema(schema, 'openai-strict').schema);
      expect(strict).not.toMatch(/"(?:oneOf|const|minLength|maxLength|uniqueItems|default)":/u);
      const grammar = JSON.stringify(toProviderSchema(schema, 'grammar').schema);
      expect(grammar).not.toMatch(/"(?:oneOf|uniqueItems)":|"format":"(?:ipv4|uri|email)"/u);
    }),
  );
});

test('hints are handed on as they are', () => {
  const schema = normal({ ...ROOT, properties: { it: EVERYTHING } });
  for (const dialect of ['openai', 'anthropic'] as const) {
    expect(toProviderSchema(schema, dialect)).toEqual({ schema, changes: [], fault: null });
  }
});

test('every keyword that is left out or said otherwise is told with its place', () => {
  const schema = normal({ ...ROOT, properties: { it: EVERYTHING }, required: ['it'] });
  const told = (dialect: 'openai-strict' | 'grammar'): readonly string[] =>
    toProviderSchema(schema, dialect).changes.map(({ path, kind }) => `${kind} ${path}`);
  expect(told('openai-strict')).toEqual([
    'nullable /properties/it/properties/choice',
    'rewritten /properties/it/properties/choice/oneOf',
    'rewritten /properties/it/properties/choice/oneOf/0/const',
    'rewritten /properties/it/properties/choice/oneOf/1/const',
    'rewritten /properties/it/properties/choice/oneOf/2/const',
    'nullable /properties/it/properties/code',
    'dropped /properties/it/properties/code/maxLength',
    'nullable /properties/it/properties/link',
    'dropped /properties/it/properties/link/default',
    'dropped /properties/it/properties/link/format',
    'nullable /properties/it/properties/list',
    'dropped /properties/it/properties/list/uniqueItems',
    'nullable /properties/it/properties/share',
  ]);
  expect(told('grammar')).toEqual([
    'rewritten /properties/it/properties/choice/oneOf',
    'dropped /properties/it/properties/code/maxLength',
    'dropped /properties/it/properties/link/format',
    'dropped /properties/it/properties/list/maxItems',
    'dropped /properties/it/properties/list/uniqueItems',
    'dropped /properties/it/properties/share/minimum',
  ]);
});

test.each([
  ['^[a-c]{1,3}$', true],
  ['[a-c]', false],
  ['^a|b$', false],
  ['^(a|b)$', true],
  ['^[|^$]$', true],
  ['^\\d+$', false],
  ['^a\\.b$', true],
])('a grammar is given the pattern %s: %s', (pattern, isKept) => {
  const schema = normal({ ...ROOT, properties: { it: { type: 'string', pattern } } });
  const { schema: form } = toProviderSchema(schema, 'grammar');
  expect(JSON.stringify(form).includes('"pattern"')).toBe(isKept);
});

test('a dialect that cannot take a schema says why', () => {
  const odd = normal({ ...ROOT, properties: { 'a b': { type: 'string' } } });
  expect(toProviderSchema(odd, 'anthropic')).toMatchObject({ schema: null, changes: [] });
  expect(toProviderSchema(odd, 'anthropic').fault).toContain('a b');
  expect(toProviderSchema(odd, 'openai').schema).toEqual(odd);
  let deep: object = { type: 'string' };
  for (let level = 0; level < 11; level++) deep = { type: 'array', items: deep };
  const nested = normal({ ...ROOT, properties: { deep } });
  expect(toProviderSchema(nested, 'openai-strict').fault).toContain('deeper than 10');
  const scalar = normalizeSchema({ type: 'string' }, '', { root: 'any' });
  if (scalar.ok) expect(toProviderSchema(scalar.value, 'openai').schema).toBeNull();
});

test('the same schema has the same form', () => {
  const schema = normal({ ...ROOT, properties: { it: EVERYTHING } });
  expect(toProviderSchema(schema, 'grammar')).toBe(toProviderSchema(schema, 'grammar'));
});

const ROOT = { type: 'object', additionalProperties: false };
const EVERYTHING = {
  ...ROOT,
  properties: {
    choice: { oneOf: [{ const: 'a', title: 'A' }, { const: 2 }, { const: null }] },
    code: { type: 'string', pattern: '^[a-z]+$', maxLength: 9 },
    link: { type: 'string', format: 'uri', default: 'http://a.example' },
    list: { type: 'array', items: { type: 'integer' }, maxItems: 5000, uniqueItems: true },
    share: { type: 'number', minimum: 0 },
  },
};

function normal(raw: unknown): JsonSchema {
  const result = normalizeSchema(raw, '', { version: '1.1', unfitAnnotations: 'drop' });
  if (!result.ok) throw new Error(`${result.message}: ${JSON.stringify(raw)}`);
  return result.value;
}

/** The value as a strict server has to write it: null where an optional property is absent. */
function withNulls(value: JsonValue, schema: JsonSchema): JsonValue {
  if ('anyOf' in schema) {
    const meant = schema.anyOf.find((one) => validateJson(value, one) === null);
    return meant === undefined ? value : withNulls(value, meant);
  }
  if (value === null || typeof value !== 'object') return value;
  if ('items' in schema && Array.isArray(value)) {
    return value.map((item: JsonValue) => withNulls(item, schema.items));
  }
  if (!('properties' in schema)) return value;
  const members = new Map(Object.entries(value));
  return Object.fromEntries(
    Object.entries(schema.properties).map(([name, property]) => {
      const member = members.get(name);
      return [name, member === undefined ? null : withNulls(toPlainJson(member), property)];
    }),
  );
}
