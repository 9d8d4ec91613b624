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
  ['^[+-]?[0-9]+\\$$', true],
  ['^([a-z]+|[0-9]{2,})(\\.[a-z\\]]{1,3})*$', true],
  // What stands otherwise in JSON than in the text, a grammar would have to escape.
  ['^.*$', false],
  ['^[^a]$', false],
  ['^a"b$', false],
  ['^["a]$', false],
  ['^[ -~]$', false],
  ['^\\\\$', false],
  ['^[\\\\a]$', false],
  ['^a\tb$', false],
  // Escapes, groups and quantifiers that not every one of them knows.
  ['^a\\/b$', false],
  ['^[a\\-z]$', false],
  ['^(?:a|b)$', false],
  ['^(?<name>a)$', false],
  ['^a+?$', false],
  ['^(a|)$', false],
  ['^()$', false],
  ['^$', false],
  ['^(a|b)|c$', false],
])('a grammar is given the pattern %s: %s', (pattern, isKept) => {
  const schema = normal({ ...ROOT, properties: { it: { type: 'string', pattern } } });
  const { schema: form } = toProviderSchema(schema, 'grammar');
  expect(JSON.stringify(form).includes('"pattern"')).toBe(isKept);
});

test.each([
  ['length beside a format', { format: 'uuid', maxLength: 36 }, 'maxLength'],
  ['length beside a pattern', { pattern: '^[a-z]+$', minLength: 2 }, 'minLength'],
  ['a length that llama.cpp refuses', { maxLength: 2000 }, 'maxLength'],
])('a grammar is not given %s', (_, keywords, dropped) => {
  const schema = normal({ ...ROOT, properties: { it: { type: 'string', ...keywords } } });
  const { changes } = toProviderSchema(schema, 'grammar');
  expect(changes.map(({ keyword }) => keyword)).toEqual([dropped]);
});

test.each([{ maxLength: 1999 }, { format: 'uri', maxLength: 9 }, { pattern: 'a', maxLength: 9 }])(
  'a grammar is given the length where nothing else says what a text is: %o',
  (keywords) => {
    const schema = normal({ ...ROOT, properties: { it: { type: 'string', ...keywords } } });
    expect(JSON.stringify(toProviderSchema(schema, 'grammar').schema)).toContain('"maxLength"');
  },
);

test.each([
  [3, true],
  [-0.5, false],
  [1e20, false],
])('a grammar is given %d as bound of a whole number: %s', (value, isKept) => {
  const it = { type: 'integer', exclusiveMinimum: value };
  const { schema } = toProviderSchema(normal({ ...ROOT, properties: { it } }), 'grammar');
  expect(Object.keys(Object(schema?.['properties'])['it']).includes('exclusiveMinimum')).toBe(
    isKept,
  );
});

test.each([
  [1001, 1, 'lists more than 1000 values'],
  [251, 60, 'more than 15000 characters'],
  [250, 200, null],
  [1000, 3, null],
])('a strict server is given a list of %i values of %i characters: %s', (count, size, fault) => {
  const values = Array.from({ length: count }, (_, at) => String(at).padStart(size, 'x'));
  const schema = normal({ ...ROOT, properties: { it: { type: 'string', enum: values } } });
  const form = toProviderSchema(schema, 'openai-strict');
  if (fault === null) expect(form.fault).toBeNull();
  else expect(form.fault).toContain(fault);
  expect(toProviderSchema(schema, 'openai').fault).toBeNull();
});

test('a strict server is given constants as it is given lists: counted', () => {
  const constants = Array.from({ length: 1001 }, (_, at) => ({ const: at, title: `Number ${at}` }));
  const halves = [constants.slice(0, 500), constants.slice(500, 1000), constants.slice(1000)];
  const properties = Object.fromEntries(halves.map((oneOf, at) => [`p${at}`, { oneOf }]));
  expect(toProviderSchema(normal({ ...ROOT, properties }), 'openai-strict').fault).toContain(
    'lists more than 1000 values',
  );
});

test('hostile names of properties are names in every dialect', () => {
  const properties = Object.fromEntries([
    ['__proto__', { type: 'string' }],
    ['constructor', { type: 'integer' }],
    ['toString', { type: 'boolean' }],
  ]);
  const schema = normal({ ...ROOT, properties, required: ['__proto__'] });
  for (const dialect of SCHEMA_DIALECTS) {
    const { schema: form } = toProviderSchema(schema, dialect);
    expect(Object.keys(Object(form?.['properties']))).toEqual(Object.keys(properties));
    expect(Object.getPrototypeOf(Object(form?.['properties']))).toBe(Object.prototype);
  }
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
