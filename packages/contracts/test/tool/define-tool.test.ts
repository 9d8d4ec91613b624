import {
  defineTool,
  descriptorDigest,
  type JsonObject,
  MillforgeError,
  type ToolDefinition,
  type ToolResult,
} from '@millforge/contracts';
import { manualClock } from '@millforge/contracts/testing';
import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';

const CONTEXT = { runId: 'run_1', callId: 'c1', workspace: null };

function live() {
  return { ...CONTEXT, signal: new AbortController().signal, clock: manualClock() };
}

const NAMES = {
  id: 'sample.text.count_words',
  name: 'count_words',
  description: 'Counts words.',
  sideEffect: 'read_only',
  idempotency: 'idempotent',
} as const;

function definition(more: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    ...NAMES,
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    run: async () => ({ kind: 'done', text: '1' }),
    ...more,
  };
}

async function refuseAll() {
  return { kind: 'refused', code: 'not_found', message: 'No.' } as const;
}

function refusal(make: () => unknown): { readonly field: unknown; readonly message: string } {
  try {
    make();
  } catch (error) {
    if (!MillforgeError.is(error, 'tool/invalid-definition')) throw error;
    return { field: error.details, message: error.message };
  }
  throw new Error('The definition was accepted.');
}

test('fills in the defaults that the comments name', () => {
  const { descriptor, origin } = defineTool(definition());
  expect(origin).toBe('custom');
  expect(descriptor).toEqual({
    schema_version: 1,
    kind: 'millforge.tool_descriptor.v1',
    tool_id: 'sample.text.count_words',
    tool_version: 1,
    implementation_id: 'impl.sample.text.count_words.v1',
    model_tool_name: 'count_words',
    description: 'Counts words.',
    input_schema: {
      type: 'object',
      additionalProperties: false,
      properties: { text: { type: 'string' } },
      required: ['text'],
    },
    output_schema: { type: 'object', additionalProperties: false, properties: {}, required: [] },
    required_capabilities: [],
    produced_artifact_ids: [],
    side_effect_class: 'read_only',
    idempotency: 'idempotent',
    timeout_policy: { timeout_seconds: 60, cancellation_grace_seconds: 5 },
    output_policy: { max_output_bytes: 131_072, max_summary_utf8: 65_536, redact_secrets: true },
  });
});

test('takes every field as it is given, ids sorted', () => {
  const { descriptor, origin } = defineTool(
    definition({
      version: 3,
      output: { type: 'object', properties: { n: { type: 'integer' } } },
      sideEffect: 'workspace_write',
      idempotency: 'non_idempotent',
      capabilities: ['workspace.write', 'artifact.write'],
      artifacts: ['b', 'a.report'],
      timeoutSeconds: 86_400,
      graceSeconds: 3600,
      maxOutputBytes: 67_108_864,
      maxTextBytes: 1,
      redactSecrets: false,
      implementationId: 'counter-2',
      origin: 'forged',
    }),
  );
  expect(origin).toBe('forged');
  expect(descriptor).toMatchObject({
    tool_version: 3,
    implementation_id: 'counter-2',
    output_schema: { properties: { n: { type: 'integer' } } },
    required_capabilities: ['artifact.write', 'workspace.write'],
    produced_artifact_ids: ['a.report', 'b'],
    timeout_policy: { timeout_seconds: 86_400, cancellation_grace_seconds: 3600 },
    output_policy: { max_output_bytes: 67_108_864, max_summary_utf8: 1, redact_secrets: false },
  });
});

const LONG = 'a'.repeat(4097);
const REFUSED: [field: string, value: unknown, more?: object][] = [
  ['id', 'Count'],
  ['id', `a.${'b'.repeat(159)}`],
  ['id', 7],
  ['version', 0],
  ['version', 1.5],
  ['version', 2_147_483_648],
  ['name', 'count words'],
  ['name', 'x'.repeat(65)],
  ['description', ' \n'],
  ['description', LONG],
  ['description', 'ü'.repeat(2049)],
  ['description', null],
  ['input', { type: 'array', items: { type: 'string' } }],
  ['input', undefined],
  ['input', 'string'],
  ['output', { type: 'object', properties: { n: { type: 'integer', multipleOf: 9 } } }],
  ['sideEffect', 'harmless'],
  ['idempotency', undefined],
  ['capabilities', ['Workspace']],
  ['capabilities', ['a.b', 'a.b']],
  ['capabilities', [null]],
  ['capabilities', 'a.b'],
  ['capabilities', [], { sideEffect: 'network_read' }],
  ['capabilities', [], { artifacts: ['report'] }],
  ['artifacts', ['Report'], { capabilities: ['artifact.write'] }],
  ['timeoutSeconds', 86_401],
  ['graceSeconds', 0],
  ['maxOutputBytes', 67_108_865],
  ['maxTextBytes', 65_537],
  ['redactSecrets', 'no'],
  ['approval', 'always'],
  ['examples', { text: 'a' }],
  ['examples', [{ text: 7 }]],
  ['examples', [{ text: 'a', more: 1 }]],
  ['implementationId', ''],
  ['implementationId', 'i'.repeat(257)],
  ['origin', 'mine'],
  ['run', undefined],
  ['run', 'x'],
  ['prepare', 3, { run: undefined }],
  ['check', {}],
  ['reach', null],
  ['reconcile', 'x'],
];

test.each(REFUSED)('refuses a wrong %s and names the field: %j', (field, value, more = {}) => {
  // The wrong types are what plain JavaScript may hand in.
  const wrong = { ...definition(), ...more, [field]: value } as ToolDefinition;
  const refused = refusal(() => defineTool(wrong));
  expect(refused.field).toEqual({ field });
  expect(refused.message).toMatch(/^The \w+ of the tool definition .+[^.]\.$/);
});

test('refuses a definition that is none', () => {
  for (const nothing of ['null', '5', '"x"']) {
    expect(refusal(() => defineTool(JSON.parse(nothing))).message).toContain('must be an object');
  }
});

test('refuses a definition with both run and prepare', () => {
  const both = definition({ prepare: refuseAll });
  expect(refusal(() => defineTool(both)).field).toEqual({ field: 'run' });
});

test('refuses a schema whose library gives no JSON Schema, and says what to do', () => {
  const input = { '~standard': { version: 1, vendor: 'x', validate: () => ({ value: null }) } };
  expect(refusal(() => defineTool(definition({ input })))).toEqual({
    field: { field: 'input' },
    message:
      'The input of the tool definition comes from a library that gives no JSON Schema; pass JSON Schema, or ' +
      'wrap it in the converter of its library.',
  });
});

test('says where a schema leaves the accepted subset', () => {
  const input = z.object({ n: z.number().multipleOf(5) });
  expect(refusal(() => defineTool(definition({ input }))).message).toBe(
    'The input of the tool definition must be a schema of the accepted subset: ' +
      '/input/properties/n/multipleOf is not an accepted schema keyword.',
  );
});

test('takes zod schemas, and types the arguments by them', async () => {
  const tool = defineTool({
    ...NAMES,
    input: z.object({ text: z.string(), limit: z.int().default(3), mode: z.enum(['a', 'b']) }),
    output: z.object({ count: z.int().default(0) }),
    run: async (input, { idempotencyKey }) => {
      expectTypeOf(input).toEqualTypeOf<{
        text: string;
        limit?: number | undefined;
        mode: 'a' | 'b';
      }>();
      return { kind: 'done', text: `${input.text} ${idempotencyKey}`, data: { count: 1 } };
    },
  });
  expect(tool.descriptor.input_schema).toMatchObject({
    properties: {
      limit: { type: 'integer' },
      mode: { type: 'string', enum: ['a', 'b'] },
      text: { type: 'string' },
    },
    required: ['mode', 'text'],
  });
  expect(tool.descriptor.output_schema).toMatchObject({ required: ['count'] });
  const prepared = await tool.implementation.prepare({ text: 'hi', mode: 'a' }, live());
  expect(
    prepared.kind === 'prepared' && (await prepared.run({ ...live(), idempotencyKey: 'k' })),
  ).toEqual({
    kind: 'done',
    text: 'hi k',
    data: { count: 1 },
  });
});

test('types the result by its schema, and asks for it where the schema has a type', () => {
  const output = z.object({ count: z.int() });
  expectTypeOf<ToolResult<z.output<typeof output>>>()
    .extract<{ kind: 'done' }>()
    .toHaveProperty('data')
    .toEqualTypeOf<{ count: number }>();
  expectTypeOf<ToolResult>()
    .extract<{ kind: 'done' }>()
    .toHaveProperty('data')
    .toEqualTypeOf<JsonObject | undefined>();
  defineTool({
    ...NAMES,
    input: z.object({}),
    output,
    // @ts-expect-error The count is missing.
    run: async () => ({ kind: 'done', text: '' }),
  });
  defineTool({
    ...NAMES,
    input: z.object({}),
    output,
    // @ts-expect-error The count is a number.
    run: async () => ({ kind: 'done', data: { count: '1' } }),
  });
  const tool = defineTool({
    ...NAMES,
    input: z.object({}),
    output,
    run: async () => ({ kind: 'done', data: { count: 1 } }),
  });
  expect(tool.descriptor.output_schema).toMatchObject({ required: ['count'] });
});

test('keeps examples with the schema of the arguments, and out of the digest', () => {
  const examples = [{ text: 'one two' }];
  const tool = defineTool(definition({ examples }));
  expect(tool.descriptor.input_schema.examples).toEqual(examples);
  expect(descriptorDigest(tool.descriptor)).toBe(
    descriptorDigest(defineTool(definition()).descriptor),
  );
  defineTool({
    ...NAMES,
    input: z.object({ text: z.string() }),
    // @ts-expect-error An example is typed like the arguments.
    examples: [{ texts: 'one' }].slice(1),
    run: async () => ({ kind: 'done' }),
  });
});

test('takes its name from its id where it has none', () => {
  const { name: _, ...unnamed } = definition();
  expect(defineTool(unnamed).descriptor.model_tool_name).toBe('count_words');
  expect(refusal(() => defineTool({ ...unnamed, id: `a.${'b'.repeat(80)}` })).field).toEqual({
    field: 'name',
  });
});

test('says nothing of approval unless the author does', () => {
  expect(defineTool(definition())).not.toHaveProperty('approval');
  expect(defineTool(definition({ approval: 'none' }))).not.toHaveProperty('approval');
  expect(defineTool(definition({ approval: 'explicit' })).approval).toBe('explicit');
});

test('types the arguments of plain JSON Schema as a JSON object', () => {
  defineTool({
    ...definition(),
    run: async (input) => {
      expectTypeOf(input).toEqualTypeOf<JsonObject>();
      return { kind: 'done', text: '' };
    },
  });
});

test('makes the same schema, and so the same digest, however it was written', () => {
  const plain = defineTool(definition());
  const zod = defineTool(definition({ input: z.object({ text: z.string().describe('Any.') }) }));
  expect(descriptorDigest(zod.descriptor)).toBe(descriptorDigest(plain.descriptor));
  expect(descriptorDigest(plain.descriptor)).toBe(
    // Taken by another implementation of the canonical form.
    '902e83324249eff33e472ecb843b25ce292504cf201e72f642424b811b60cb79',
  );
});

test('a change of any field changes the digest', () => {
  const digests = [
    {},
    { version: 2 },
    { name: 'count' },
    { description: 'Counts.' },
    { implementationId: 'other' },
    { input: { type: 'object' } },
    { output: { type: 'object', properties: { n: { type: 'integer' } } } },
    { idempotency: 'unknown' as const },
    { capabilities: ['text.read'] },
    { capabilities: ['text.read'], artifacts: ['a'] },
    { capabilities: ['text.read'], sideEffect: 'network_read' as const },
    { timeoutSeconds: 61 },
    { graceSeconds: 6 },
    { maxOutputBytes: 1 },
    { maxTextBytes: 1 },
    { redactSecrets: false },
  ].map((more) => descriptorDigest(defineTool(definition(more)).descriptor));
  expect(new Set(digests).size).toBe(digests.length);
});

test('is frozen to the leaves, and leaves what it was given alone', () => {
  const input = { type: 'object', properties: { text: { type: 'string' } } };
  const capabilities = ['b.c', 'a.b'];
  const tool = defineTool(definition({ input, capabilities }));
  const parts = [
    tool,
    tool.implementation,
    tool.descriptor,
    tool.descriptor.input_schema,
    tool.descriptor.required_capabilities,
    tool.descriptor.timeout_policy,
  ];
  expect(parts.every((part) => Object.isFrozen(part))).toBe(true);
  expect([Object.isFrozen(input), capabilities]).toEqual([false, ['b.c', 'a.b']]);
});

test('run becomes a prepared call without evidence that needs no disposal', async () => {
  const calls: unknown[] = [];
  const { implementation } = defineTool(
    definition({
      run: async (input, context) => {
        calls.push([input, context.idempotencyKey]);
        return { kind: 'done', text: 'ok' };
      },
    }),
  );
  expect(Object.keys(implementation)).toEqual(['prepare']);
  const prepared = await implementation.prepare({ text: 'a' }, live());
  expect(prepared).toMatchObject({ kind: 'prepared', before: null });
  expect([calls, 'dispose' in prepared]).toEqual([[], false]);
  if (prepared.kind === 'prepared') await prepared.run({ ...live(), idempotencyKey: 'k1' });
  expect(calls).toEqual([[{ text: 'a' }, 'k1']]);
});

test('keeps prepare, check and reconcile as they are given', () => {
  const { run: _, ...rest } = definition();
  const code = {
    check: () => null,
    prepare: refuseAll,
    reconcile: async () => ({ kind: 'unknown' }) as const,
  };
  expect(defineTool({ ...rest, ...code }).implementation).toEqual(code);
});

test('keeps words and bounds of a schema, and takes its digest without the words', () => {
  const plain = defineTool({
    ...NAMES,
    input: z.object({ n: z.int().min(1).max(9) }),
    prepare: refuseAll,
  });
  const described = defineTool({
    ...NAMES,
    input: z.object({ n: z.int().min(1).max(9).describe('How many.').meta({ title: 'N' }) }),
    prepare: refuseAll,
  });
  expect(described.descriptor.input_schema).toMatchObject({
    properties: {
      n: { type: 'integer', minimum: 1, maximum: 9, title: 'N', description: 'How many.' },
    },
  });
  expect(descriptorDigest(described.descriptor)).toBe(descriptorDigest(plain.descriptor));
});

test('refuses a default that its own schema refuses', () => {
  const input = { type: 'object', properties: { n: { type: 'integer', default: '3' } } };
  expect(refusal(() => defineTool(definition({ input }))).message).toContain(
    '/input/properties/n/default must match its schema: $ must be integer',
  );
});
