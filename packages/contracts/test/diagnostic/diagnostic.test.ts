import {
  boundDiagnostics,
  canonicalJson,
  type Diagnostic,
  type DiagnosticOrder,
  defineDiagnostics,
  type JsonValue,
  sortDiagnostics,
  toDiagnosticJson,
} from '@millforge/contracts';
import * as fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';

const diagnostics = defineDiagnostics('MF-T', {
  unknownTool: {
    code: 'MF-T001',
    name: 'unknown-tool',
    phase: 'resolution',
    message: (fields: { tool_id: string; tool_version: number }) =>
      `Tool binding ${fields.tool_id}@${fields.tool_version} could not be resolved.`,
  },
  cycle: {
    code: 'MF-T002',
    name: 'cycle',
    phase: 'graph',
    message: (_: unknown, { nodeId, related = [] }) =>
      `Prerequisite cycle includes ${[nodeId, ...related].join(', ')}.`,
  },
  malformed: {
    code: 'MF-T003',
    name: 'malformed',
    phase: 'parse',
    messageOnly: ['problem'],
    message: (fields: { problem: 'tabs' | 'end' }) =>
      fields.problem === 'tabs' ? 'Tabs are not accepted.' : 'The text ends too early.',
  },
  odd: { code: 'MF-T004', name: 'odd', severity: 'warning', phase: 'parse', message: () => ' ' },
});

const order: DiagnosticOrder = {
  phases: ['request', 'parse', 'resolution', 'graph', 'internal'],
  precedence: {
    request: { codes: { 'MF-S018': 0, 'MF-S001': 1, 'MF-S002': 2 }, others: 8 },
    internal: { codes: { 'MF-I001': 0, 'MF-D001': 1 }, others: 2 },
  },
};

const plain = (part: Partial<Diagnostic>): Diagnostic => ({
  code: 'MF-T001',
  name: 'n',
  severity: 'error',
  phase: 'parse',
  message: 'm',
  path: '/',
  ...part,
});

test('builds a diagnostic from a row and its facts, frozen', () => {
  const found = diagnostics.unknownTool({
    path: '/graph/nodes/0/tool_ref',
    nodeId: 'open_ticket',
    fields: { tool_version: 3, tool_id: 'a.b' },
    span: { line: 3, column: 7 },
    hint: 'Did you mean a.c@3?',
  });
  expect(found).toEqual({
    code: 'MF-T001',
    name: 'unknown-tool',
    severity: 'error',
    phase: 'resolution',
    message: 'Tool binding a.b@3 could not be resolved.',
    path: '/graph/nodes/0/tool_ref',
    nodeId: 'open_ticket',
    span: { line: 3, column: 7 },
    hint: 'Did you mean a.c@3?',
    fields: [
      { key: 'tool_id', value: 'a.b' },
      { key: 'tool_version', value: 3 },
    ],
  });
  expect(Object.isFrozen(found.fields)).toBe(true);
});

test('gives the message the place, and reports no fact that only the message needs', () => {
  expect(diagnostics.cycle({ path: '/', nodeId: 'a', related: ['b'] }).message).toBe(
    'Prerequisite cycle includes a, b.',
  );
  const found = diagnostics.malformed({ path: '/', fields: { problem: 'tabs' } });
  expect(found.message).toBe('Tabs are not accepted.');
  expect(found).not.toHaveProperty('fields');
});

test('types the facts of each constructor', () => {
  expectTypeOf(diagnostics.unknownTool).parameter(0).toExtend<{ fields: { tool_id: string } }>();
  expectTypeOf<{ path: string }>().not.toExtend<Parameters<typeof diagnostics.malformed>[0]>();
  expectTypeOf<{ path: string }>().toExtend<Parameters<typeof diagnostics.odd>[0]>();
  expectTypeOf(diagnostics.odd({ path: '/' })).toEqualTypeOf<Diagnostic>();
});

test('takes the name for a blank message', () => {
  expect(diagnostics.odd({ path: '' })).toEqual({
    code: 'MF-T004',
    name: 'odd',
    severity: 'warning',
    phase: 'parse',
    message: 'odd',
    path: '/',
  });
});

test.each([
  ['a code outside the family', { a: row('MF-X001', 'a') }],
  ['one code with two names', { a: row('MF-T001', 'a'), b: row('MF-T001', 'b') }],
])('refuses a table with %s', (_, table) => {
  expect(() => defineDiagnostics('MF-T', table)).toThrow(
    expect.objectContaining({ code: 'diagnostic/invalid-table' }),
  );
});

test('lets one code have several messages', () => {
  const table = defineDiagnostics('MF-T', { a: row('MF-T001', 'a'), b: row('MF-T001', 'a') });
  expect(table.a({ path: '/' }).code).toBe(table.b({ path: '/' }).code);
});

test('cuts what is too long and counts what is too many, instead of failing', () => {
  const ids = Array.from({ length: 20 }, (_, index) => `node_${index}`);
  const found = diagnostics.cycle({
    path: `/${'x'.repeat(600)}`,
    nodeId: 'a',
    related: [...ids, ' ', 'é'.repeat(2000)],
    hint: 'é'.repeat(2000),
    fields: Object.fromEntries([...ids, 'Bad Key', 'x'.repeat(65)].map((id) => [id, 'v'])),
  });
  expect(found.related).toEqual(ids.slice(0, 16));
  expect(found.fields).toHaveLength(16);
  expect(found.fields).toContainEqual({ key: 'related_count', value: 21 });
  expect(found.fields?.map(({ key }) => key)).toEqual(
    found.fields?.map(({ key }) => key).toSorted(),
  );
  expect(bytes(found.path)).toBe(512);
  // 1013 bytes are 506 characters of two bytes.
  expect(found.hint).toBe(`${'é'.repeat(506)}[truncated]`);
  expect(bytes(found.message)).toBeLessThanOrEqual(1024);
  expect(found.message.endsWith('[truncated]')).toBe(true);
});

test('cuts a field at 501 bytes and a marker', () => {
  expect(textField('a b'.repeat(170))).toBe('a b'.repeat(170));
  expect(textField('a b '.repeat(150))).toBe(`${'a b '.repeat(125)}a[truncated]`);
});

test('lets no secret through, in no part of a diagnostic (B-09)', () => {
  const secret = ['sk', 'proj', 'Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0'].join('-');
  const found = diagnostics.unknownTool({
    path: `/tools/${secret}`,
    nodeId: secret,
    related: [secret],
    hint: `Remove ${secret}.`,
    fields: { tool_id: secret, tool_version: 1, api_key: 'short', when: `at ${secret}` },
    logicalPath: `${secret}.yaml`,
  });
  expect(JSON.stringify(found)).not.toContain('Ab1Cd2');
  expect(found.path).toBe('/tools/**redacted**');
  expect(found).not.toHaveProperty('nodeId');
  expect(found.fields?.map(({ value }) => value)).toEqual([
    '**redacted**',
    '**redacted**',
    1,
    '**redacted**',
  ]);
});

test('survives a URL with an invalid port in a message', () => {
  const { hint } = diagnostics.odd({ path: '/', hint: 'see http://h:PORT/x' });
  expect(hint).toBe('see http://h:PORT/x');
});

test('accepts any facts and places without throwing', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 2000 });
  fc.assert(
    fc.property(
      fc.record({
        path: anyText,
        nodeId: anyText,
        hint: anyText,
        related: fc.array(anyText, { maxLength: 20 }),
        fields: fc.dictionary(anyText, fc.oneof(anyText, fc.double(), fc.boolean())),
      }),
      (place) => {
        const found = diagnostics.odd(place);
        expect(found.path.startsWith('/')).toBe(true);
        expect(() => canonicalJson(toDiagnosticJson(found))).not.toThrow();
      },
    ),
  );
});

test('projects every key, in the order of the document', () => {
  const bare = diagnostics.odd({ path: '/a' });
  expect(JSON.stringify(toDiagnosticJson(bare))).toBe(
    '{"code":"MF-T004","severity":"warning","phase":"parse","message":"odd","source_reference":null,' +
      '"harness_id":null,"node_id":null,"related_ids":[],"suggested_fix":null,"fields":[]}',
  );
  const full = diagnostics.unknownTool({
    path: '/a',
    nodeId: 'n',
    related: ['m'],
    hint: 'h',
    span: { line: 1, column: 2, endLine: 3, endColumn: 4 },
    fields: { tool_id: 't', tool_version: 1 },
  });
  expect(toDiagnosticJson(full, { logicalPath: 'h.yaml' })).toMatchObject({
    source_reference: {
      logical_path: 'h.yaml',
      field_path: '/a',
      location: { line: 1, column: 2, end_line: 3, end_column: 4 },
    },
    node_id: 'n',
    related_ids: ['m'],
    suggested_fix: 'h',
    fields: [
      { key: 'tool_id', value: 't' },
      { key: 'tool_version', value: 1 },
    ],
  });
  expect(toDiagnosticJson(bare, { logicalPath: 'h.yaml' })).toMatchObject({
    source_reference: { location: null },
  });
});

test('sorts by phase, rank, place, code, node and message', () => {
  const sorted = [
    plain({ phase: 'request', code: 'MF-S018' }),
    plain({ phase: 'request', code: 'MF-S001' }),
    plain({ phase: 'request', code: 'MF-S000' }),
    plain({ phase: 'parse', path: '/z' }),
    plain({ phase: 'parse', span: { line: 2, column: 9 }, path: '/y' }),
    plain({ phase: 'parse', span: { line: 10, column: 1 }, path: '/a' }),
    plain({ phase: 'parse', span: { line: 10, column: 2 }, path: '/\uffff' }),
    plain({ phase: 'parse', span: { line: 10, column: 2 }, path: '/\u{1f600}' }),
    plain({ phase: 'graph', code: 'MF-T001' }),
    plain({ phase: 'graph', code: 'MF-T002' }),
    plain({ phase: 'graph', code: 'MF-T002', nodeId: 'a' }),
    plain({ phase: 'graph', code: 'MF-T002', nodeId: 'a', message: 'z' }),
    plain({ phase: 'internal', code: 'MF-I001' }),
    plain({ phase: 'somewhere else' }),
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(sorted, { minLength: sorted.length }), (shuffled) => {
      expect(sortDiagnostics(shuffled, order)).toEqual(sorted);
    }),
  );
});

test('keeps up to 128 diagnostics as they are', () => {
  const many = Array.from({ length: 128 }, (_, index) => plain({ path: `/${1000 + index}` }));
  expect(boundDiagnostics(many.toReversed(), order)).toEqual(many);
});

test('keeps 127 of more and says so last, whatever the order of the input', () => {
  const many = Array.from({ length: 300 }, (_, index) => plain({ path: `/${1000 + index}` }));
  const bounded = boundDiagnostics(many.toReversed(), order);
  expect(bounded).toHaveLength(128);
  expect(bounded.slice(0, 127)).toEqual(many.slice(0, 127));
  expect(bounded.at(-1)).toMatchObject({
    code: 'MF-D001',
    severity: 'warning',
    phase: 'internal',
    message: 'Diagnostics were truncated.',
  });
  expect(boundDiagnostics(bounded, order)).toEqual(bounded);
  expect(
    boundDiagnostics([...many, ...bounded], order).filter(({ code }) => code === 'MF-D001'),
  ).toHaveLength(1);
});

test('keeps 262,144 bytes of JSON at most', () => {
  const fields = Array.from({ length: 16 }, (_, index) => ({
    key: `k${10 + index}`,
    value: 'é'.repeat(250),
  }));
  const large = Array.from({ length: 100 }, (_, index) =>
    plain({ path: `/${100 + index}`, fields }),
  );
  const bounded = boundDiagnostics(large, order);
  expect(jsonSize(bounded)).toBeLessThanOrEqual(262_144);
  expect(jsonSize([...large.slice(0, bounded.length), ...bounded.slice(-1)])).toBeGreaterThan(
    262_144,
  );
  expect(bounded.at(-1)?.code).toBe('MF-D001');
  const huge = [plain({ message: 'x'.repeat(300_000) })];
  expect(boundDiagnostics(huge, order).map(({ code }) => code)).toEqual(['MF-D001']);
});

function row(code: string, name: string) {
  return { code, name, phase: 'parse', message: () => 'm' };
}

function textField(text: string): unknown {
  return diagnostics.odd({ path: '/', fields: { text } }).fields?.[0]?.value;
}

function jsonSize(list: readonly Diagnostic[]): number {
  const json = list.map((one): JsonValue => toDiagnosticJson(one));
  return canonicalJson(json, { newline: false }).length;
}

function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
