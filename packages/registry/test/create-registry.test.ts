import { defineTool, MillforgeError, type Tool, type ToolDescriptor } from '@millforge/contracts';
import { createRegistry } from '@millforge/registry';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

const sample = defineTool({
  id: 'sample.text.count_words',
  version: 3,
  name: 'count_words',
  description: 'Count words – naïve.',
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      text: { type: 'string', description: 'The text.' },
      mode: { type: 'string', enum: ['strict', 'loose'], default: 'strict' },
    },
    required: ['text'],
  },
  output: {
    type: 'object',
    additionalProperties: false,
    properties: { count: { type: 'integer' } },
    required: ['count'],
  },
  sideEffect: 'read_only',
  idempotency: 'idempotent',
  capabilities: ['text.read'],
  timeoutSeconds: 20,
  graceSeconds: 2,
  maxOutputBytes: 2048,
  maxTextBytes: 256,
  redactSecrets: false,
  run: async () => ({ kind: 'done', text: '0', data: { count: 0 } }),
});

test('gives the digests of the published vectors', () => {
  const registry = createRegistry();
  registry.register(sample);
  const snapshot = registry.freeze();
  expect(snapshot.records).toEqual([
    {
      tool_id: 'sample.text.count_words',
      tool_version: 3,
      implementation_id: 'impl.sample.text.count_words.v3',
      descriptor_sha256: '2cc739c620e02d4535efaa770b9ca83901b57a4820cbaabb53f49cd492a9531b',
    },
  ]);
  expect(snapshot.snapshotSha256).toBe(
    'a7878f1b9c31c3b288532d8e1d91f7db01a11514a9583c3f533993c20eb88b11',
  );
  expect(snapshot.snapshotId).toBe(
    '11ac3a4a035f432c80b38749111684703aa2f9aa51e7f04e62760b85b95ca069',
  );
});

test('freezes an empty registry and gives the same snapshot every time', () => {
  const registry = createRegistry();
  const snapshot = registry.freeze();
  expect(snapshot.records).toEqual([]);
  expect(registry.freeze()).toBe(snapshot);
});

test('refuses tools once it is frozen', () => {
  const registry = createRegistry();
  registry.freeze();
  expect(codeOf(() => registry.register(sample))).toBe('registry/frozen');
});

test('does not depend on the order of registration', () => {
  const tools = ['a.one', 'a.two', 'b.one'].map((id) => tool(id));
  const all = fc.shuffledSubarray(tools, { minLength: tools.length });
  fc.assert(
    fc.property(all, (order) => snapshotOf(order).snapshotId === snapshotOf(tools).snapshotId),
  );
});

test('orders versions by number', () => {
  const tools = [10, 9, 2].map((version) => tool('a.one', version));
  expect(snapshotOf(tools).records.map((record) => record.tool_version)).toEqual([2, 9, 10]);
});

test('refuses an id and version that are taken', () => {
  const registry = createRegistry();
  registry.register(tool('a.one'));
  expect(codeOf(() => registry.register(tool('a.one')))).toBe('registry/duplicate-tool');
});

test('refuses an implementation id that is taken, and names both origins (B-08)', () => {
  const registry = createRegistry();
  registry.register(tool('a.one'));
  const copy = defineTool({
    ...DEFINITION,
    id: 'forged.two',
    origin: 'forged',
    implementationId: 'impl.a.one.v1',
  });
  expect(codeOf(() => registry.register(copy))).toBe('registry/duplicate-implementation');
  expect(() => registry.register(copy)).toThrow(
    'The tool forged.two@1 of origin forged names the implementation id of a.one@1 of origin custom',
  );
  expect(() => registry.register(tool('a.one'))).toThrow(
    'The tool a.one@1 of origin custom is registered already, by origin custom',
  );
});

test('adds all tools of a call or none', () => {
  const registry = createRegistry();
  expect(codeOf(() => registry.register(tool('a.one'), tool('a.one')))).toBe(
    'registry/duplicate-tool',
  );
  expect(registry.freeze().records).toEqual([]);
});

test.each([
  ['builtin.shell.run', 'custom'],
  ['builtin.shell.run', 'pi'],
  ['builtin.terminal.submit', 'connector'],
  ['builtin.pi_compat.read', 'builtin'],
  ['connector.demo.search', 'custom'],
  ['forged.slug', 'custom'],
  ['forged.slug', 'connector'],
  ['shop.lookup', 'builtin'],
  ['shop.lookup', 'pi'],
  ['shop.lookup', 'connector'],
  ['shop.lookup', 'forged'],
] as const)('keeps the id %s from origin %s (B-08)', (id, origin) => {
  const registry = createRegistry();
  const squatter = defineTool({ ...DEFINITION, id, origin });
  expect(codeOf(() => registry.register(squatter))).toBe('registry/reserved-id');
});

test.each([
  ['builtin.shell.run', 'builtin'],
  ['builtin.pi_compat.read', 'pi'],
  ['connector.demo.search', 'connector'],
  ['forged.slug', 'forged'],
  ['builtins.are.fine', 'custom'],
] as const)('lets the id %s in for origin %s (B-08)', (id, origin) => {
  expect(snapshotOf([defineTool({ ...DEFINITION, id, origin })]).records).toHaveLength(1);
});

test.each<readonly [string, (descriptor: ToolDescriptor) => unknown]>([
  ['that is missing', () => undefined],
  ['with an unknown field', (d) => ({ ...d, descriptor_sha256: 'f'.repeat(64) })],
  ['of another version', (d) => ({ ...d, schema_version: 2 })],
  ['without an id', (d) => ({ ...d, tool_id: 'Not An Id' })],
  ['with version zero', (d) => ({ ...d, tool_version: 0 })],
  ['with a model name that no API accepts (B-31)', (d) => ({ ...d, model_tool_name: 'two words' })],
  ['with a blank description', (d) => ({ ...d, description: ' \n' })],
  ['with an endless description', (d) => ({ ...d, description: 'é'.repeat(2049) })],
  ['with a secret in its description', (d) => ({ ...d, description: 'sk-abcdefghijklmnop1234' })],
  ['with a scalar as input (B-30)', (d) => ({ ...d, input_schema: { type: 'string' } })],
  [
    'with an unknown keyword',
    (d) => ({ ...d, input_schema: { ...d.input_schema, minProperties: 1 } }),
  ],
  [
    'with a pattern that is not linear by construction',
    (d) => withProperty(d, { type: 'string', pattern: '(a)\\1' }),
  ],
  [
    'with a secret in an annotation',
    (d) => withProperty(d, { type: 'string', description: 'sk-abcdefghijklmnop1234' }),
  ],
  [
    'with a secret as default',
    (d) => withProperty(d, { type: 'string', default: 'sk-abcdefghijklmnop1234' }),
  ],
  ['with text for capabilities', (d) => ({ ...d, required_capabilities: 'text.read' })],
  ['with the same capability twice', (d) => ({ ...d, required_capabilities: ['a', 'a'] })],
  ['with effects but no capability', (d) => ({ ...d, side_effect_class: 'network_read' })],
  ['of an unknown class', (d) => ({ ...d, side_effect_class: 'magic' })],
  ['without a time limit', (d) => ({ ...d, timeout_policy: { timeout_seconds: 0 } })],
  ['with a text limit that is too high', (d) => badPolicy(d)],
])('refuses a descriptor %s', (_what, change) => {
  const broken = { ...tool('a.one') };
  Object.defineProperty(broken, 'descriptor', { value: change(broken.descriptor) });
  expect(codeOf(() => createRegistry().register(broken))).toBe('registry/invalid-descriptor');
});

test.each<readonly [string, (tool: Tool) => unknown]>([
  ['nothing', () => null],
  ['a text', () => 'a.one'],
  ['no code', (one) => ({ ...one, implementation: null })],
  ['a check that is no function', (one) => withCode(one, { check: 5 })],
  ['a reach that is no function', (one) => withCode(one, { reach: {} })],
  ['a reconcile that is no function', (one) => withCode(one, { reconcile: null })],
])('refuses a tool that is, or has, %s', (_what, change) => {
  const open: { register(...tools: readonly unknown[]): void } = createRegistry();
  expect(codeOf(() => open.register(change(tool('a.one'))))).toBe('registry/invalid-descriptor');
});

test('takes a property that is merely called like a secret', () => {
  const properties = { api_key: { type: 'string' }, max_tokens: { type: 'integer' } };
  const input = { type: 'object', additionalProperties: false, properties };
  expect(snapshotOf([defineTool({ ...DEFINITION, id: 'a.one', input })]).records).toHaveLength(1);
});

test('never echoes what it refuses', () => {
  const secret = 'sk-abcdefghijklmnop1234';
  const broken = { ...tool('a.one') };
  Object.defineProperty(broken, 'descriptor', {
    value: { ...broken.descriptor, description: secret },
  });
  expect(() => createRegistry().register(broken)).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining(secret) }),
  );
});

test('finds exactly the tool and version that are asked for', () => {
  const snapshot = snapshotOf([tool('a.one'), tool('a.one', 2)]);
  const lookup = snapshot.resolveExact('a.one', 2);
  expect(lookup).toMatchObject({
    classification: 'found',
    entry: { tool_id: 'a.one', tool_version: 2, implementation_id: 'impl.a.one.v2' },
  });
  expect(snapshot.findTool('a.one', 2)?.origin).toBe('custom');
  expect(snapshot.findTool('a.one', 3)).toBeNull();
});

test.each([
  ['a.two', 1, 'missing'],
  ['a.one', 2, 'missing'],
  ['latest', 1, 'invalid'],
  ['a.one.latest', 1, 'invalid'],
  ['a.one@1', 1, 'invalid'],
  ['', 1, 'invalid'],
  ['a.one', 0, 'invalid'],
  ['a.one', 1.5, 'invalid'],
  ['a.one', Number.NaN, 'invalid'],
  ['a.one', 2_147_483_648, 'invalid'],
] as const)('answers %s version %s with %s', (id, version, classification) => {
  expect(snapshotOf([tool('a.one')]).resolveExact(id, version)).toMatchObject({ classification });
});

test('answers every lookup with bounded evidence and never throws (B-09)', () => {
  const snapshot = snapshotOf([tool('a.one')]);
  const open: { resolveExact(id: unknown, version: unknown): unknown } = snapshot;
  const long = snapshot.resolveExact('x'.repeat(600), 1);
  expect(long).toMatchObject({ classification: 'invalid', errorCode: 'lookup_invalid' });
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (id, version) => {
      const { evidence } = Object(open.resolveExact(id, version));
      return Object.values(evidence).every((text) => Buffer.byteLength(String(text)) <= 512);
    }),
  );
});

test('cannot be reached by a later change of what was registered', () => {
  const descriptor = structuredClone(tool('a.one').descriptor);
  const open: Tool = { ...tool('a.one'), descriptor };
  const snapshot = snapshotOf([open]);
  Object.assign(descriptor, { description: 'something else' });
  expect(snapshot.findTool('a.one', 1)?.descriptor.description).toBe('A tool.');
});

const DEFINITION = {
  name: 'one',
  description: 'A tool.',
  input: { type: 'object', additionalProperties: false },
  sideEffect: 'read_only',
  idempotency: 'idempotent',
  run: async () => ({ kind: 'done' as const, text: 'ok' }),
} as const;

function tool(id: string, version = 1): Tool {
  return defineTool({ ...DEFINITION, id, version });
}

function snapshotOf(tools: readonly Tool[]) {
  const registry = createRegistry();
  registry.register(...tools);
  return registry.freeze();
}

function badPolicy(descriptor: ToolDescriptor): unknown {
  return {
    ...descriptor,
    output_policy: { ...descriptor.output_policy, max_summary_utf8: 65_537 },
  };
}

function codeOf(act: () => void): string {
  try {
    act();
  } catch (error) {
    return MillforgeError.is(error) ? error.code : 'another error';
  }
  return 'no error';
}

test('keeps the words of a schema in the catalog, and leaves them out of every digest', () => {
  const words = { title: 'N', description: 'How many.', default: 2, examples: [3] };
  const described = snapshotOf([describedBy(words)]);
  const plain = snapshotOf([describedBy({})]);
  expect(described.records).toEqual(plain.records);
  expect(described.snapshotSha256).toBe(plain.snapshotSha256);
  expect(described.snapshotId).toBe(plain.snapshotId);
  expect(described.resolveExact('a.one', 1)).toMatchObject({
    entry: { input_schema: { properties: { n: { type: 'integer', minimum: 1, ...words } } } },
  });
});

test('leaves out annotations that are unfit, which the narrower subset never read', () => {
  const broken = { ...tool('a.one') };
  const descriptor = withProperty(broken.descriptor, { type: 'string', title: 7, default: 7 });
  Object.defineProperty(broken, 'descriptor', { value: descriptor });
  expect(snapshotOf([broken]).findTool('a.one', 1)?.descriptor.input_schema).toMatchObject({
    properties: { p: { type: 'string' } },
  });
});

function withProperty(descriptor: ToolDescriptor, property: object): object {
  const input_schema = { type: 'object', additionalProperties: false, properties: { p: property } };
  return { ...descriptor, input_schema };
}

function describedBy(words: object): Tool {
  return defineTool({
    ...DEFINITION,
    id: 'a.one',
    input: { type: 'object', properties: { n: { type: 'integer', minimum: 1, ...words } } },
  });
}

function withCode(one: Tool, code: object): object {
  return { ...one, implementation: { ...one.implementation, ...code } };
}
