import { type ListedToolCatalog, toToolCatalog } from '@millforge/compiler';
import { type JsonObject, MillforgeError } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { objectSchema, tool } from '../support/harness.ts';

function refusal(given: Parameters<typeof toToolCatalog>[0]): string {
  try {
    toToolCatalog(given);
  } catch (error) {
    if (MillforgeError.is(error, 'compiler/invalid-catalog')) return error.message;
    throw error;
  }
  return '';
}

function documentOf(...tools: JsonObject[]): JsonObject {
  return { kind: 'tool_catalog', schema_version: '1.0', tools };
}

test('gives the one entry of an id and version, and nothing near it', () => {
  const catalog = toToolCatalog(documentOf(tool('a.b'), tool('a.b', { tool_version: 3 })));
  expect(catalog.resolveExact('a.b', 3)).toMatchObject({
    classification: 'found',
    entry: { tool_version: 3 },
  });
  expect(catalog.resolveExact('a.b', 2)).toEqual({ classification: 'missing' });
  expect(catalog.resolveExact('a', 1)).toEqual({ classification: 'missing' });
});

test('is named by its contents, in whatever order and form they are given', () => {
  const [first, second] = [tool('a'), tool('b')];
  const names = [
    documentOf(first, second),
    documentOf(second, first),
    [first, second],
    JSON.stringify(documentOf(first, second)),
    toToolCatalog([first, second]).entries,
  ].map((given) => toToolCatalog(given).snapshotSha256);
  expect(new Set(names).size).toBe(1);
  expect(toToolCatalog([first]).snapshotSha256).not.toBe(names[0]);
});

test('freezes its entries, normalises their schemas and keeps their policies', () => {
  const schema = objectSchema({ b: { type: 'string', description: 'Dropped.' } });
  const timeout = { timeout_seconds: 5, cancellation_grace_seconds: 1 };
  const raw = tool('a', { input_schema: schema, timeout_policy: timeout });
  const [entry] = toToolCatalog([raw]).entries;
  expect(entry).toMatchObject({
    input_schema: { properties: { b: { type: 'string' } } },
    required_capabilities: [],
    timeout_policy: timeout,
  });
  expect(Object.isFrozen(entry?.input_schema)).toBe(true);
});

test('keeps the number kinds of JSON text', () => {
  const input_schema = objectSchema({ n: { type: 'number', enum: [2] } });
  const text = JSON.stringify(documentOf(tool('a', { input_schema })));
  const floats = toToolCatalog(text.replace('"enum":[2]', '"enum":[2.0]'));
  expect(floats.snapshotSha256).not.toBe(toToolCatalog(text).snapshotSha256);
});

test.each<[string, Parameters<typeof toToolCatalog>[0], string]>([
  ['text that is no JSON', '{', '/ must be JSON'],
  ['a document of another kind', { kind: 'tools' }, '/kind must be "tool_catalog"'],
  [
    'another version',
    { kind: 'tool_catalog', schema_version: '2.0' },
    '/schema_version must be "1.0"',
  ],
  ['no list', { kind: 'tool_catalog', schema_version: '1.0' }, '/tools must be a list'],
  ['an unknown key', { ...documentOf(), more: 1 }, '/ must have no keys but'],
  ['a tool that is no object', [1], '/tools/0 must be'],
  ['an unknown field', [tool('a', { color: 'red' })], '/tools/0/color must be one of'],
  ['a wrong id', [tool('A')], '/tools/0/tool_id must be a dotted id'],
  [
    'a version as text',
    [tool('a', { tool_version: '1' })],
    '/tools/0/tool_version must be an integer',
  ],
  [
    'a digest in upper case',
    [tool('a', { descriptor_sha256: 'AB'.repeat(32) })],
    '/tools/0/descriptor_sha256 must be',
  ],
  ['a blank description', [tool('a', { description: ' ' })], '/tools/0/description must be'],
  [
    'a long description',
    [tool('a', { description: 'é'.repeat(2049) })],
    '/tools/0/description must be',
  ],
  ['half a character', [tool('a', { description: 'x\ud800' })], '/tools/0/description must be'],
  [
    'a secret',
    [tool('a', { description: `Key AKIA${'A1B2'.repeat(4)}` })],
    '/tools/0/description must be',
  ],
  [
    'an unknown effect',
    [tool('a', { side_effect_class: 'magic' })],
    '/tools/0/side_effect_class must be one of',
  ],
  [
    'a repeated capability',
    [tool('a', { required_capabilities: ['x', 'x'] })],
    '/tools/0/required_capabilities must be',
  ],
  [
    'a keyword that is not enforced',
    [tool('a', { input_schema: objectSchema({ n: { type: 'integer', multipleOf: 2 } }) })],
    '/multipleOf is not an accepted schema keyword',
  ],
  ['one tool twice', [tool('a'), tool('a')], '/tools/1 repeats a@1'],
])('refuses %s in one sentence', (_, given, expected) => {
  const message = refusal(given);
  expect(message).toContain(expected);
  expect(message).toMatch(/^The tool catalog is not usable: [^\n]*\.$/);
});

test('refuses a root schema that is not an object (B-30)', () => {
  expect(refusal([tool('a', { input_schema: { type: 'string' } })])).toContain(
    '/tools/0/input_schema',
  );
  expect(refusal([tool('a', { output_schema: { const: 1 } })])).toContain('/tools/0/output_schema');
});

test('refuses names that model APIs reject (B-31)', () => {
  for (const name of ['open ticket', 'öffnen', '', 'x'.repeat(65)]) {
    expect(refusal([tool('a', { model_tool_name: name })])).toContain('/tools/0/model_tool_name');
  }
  expect(refusal([tool('a', { model_tool_name: 'open-Ticket_1' })])).toBe('');
});

test('accepts a property that is named like a secret', () => {
  const schema = objectSchema({ api_key: { type: 'string' }, max_tokens: { type: 'integer' } });
  expect(refusal([tool('a', { input_schema: schema })])).toBe('');
});

test('keeps annotations and wider keywords, and names the snapshot without the annotations', () => {
  const words = { title: 'N', description: 'How many.', default: 2, examples: [3] };
  const described = catalogOf(words);
  expect(described.entries[0]?.input_schema).toMatchObject({
    properties: { n: { minimum: 1, ...words } },
  });
  expect(described.snapshotSha256).toBe(catalogOf({}).snapshotSha256);
  expect(
    refusal([
      tool('a', {
        input_schema: objectSchema({
          n: { type: 'string', description: 'sk-abcdefghijklmnop1234' },
        }),
      }),
    ]),
  ).toContain('looks like a secret');
});

test('leaves out annotations that are unfit, which the narrower subset never read', () => {
  const input_schema = objectSchema({ n: { type: 'string', default: 7 } });
  expect(toToolCatalog([tool('a', { input_schema })]).entries[0]?.input_schema).toMatchObject({
    properties: { n: { type: 'string' } },
  });
});

function catalogOf(more: object): ListedToolCatalog {
  return toToolCatalog([
    tool('a', { input_schema: objectSchema({ n: { type: 'integer', minimum: 1, ...more } }) }),
  ]);
}
