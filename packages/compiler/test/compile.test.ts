import { readFileSync } from 'node:fs';
import {
  COMPILER_IDENTITY,
  type CompileInput,
  compileHarness,
  planFileName,
  toModelProfileCatalog,
  toToolCatalog,
} from '@millforge/compiler';
import { type JsonObject, sha256, toPlainJson } from '@millforge/contracts';
import { parseSource } from '@millforge/source';
import { expect, test } from 'vitest';
import { readFixture } from './support/fixtures.ts';

const ticket = readFixture('ticket-review');
const review = readFixture('review');

function compiled(source: Parameters<typeof compileHarness>[0], input: CompileInput) {
  const result = compileHarness(source, input);
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return result;
}

function codes(source: Parameters<typeof compileHarness>[0], input: CompileInput) {
  return compileHarness(source, input).diagnostics.map((diagnostic) => diagnostic.code);
}

function objectOf(text: string): JsonObject {
  const { source } = parseSource({ logicalPath: 'x', format: 'yaml', content: text });
  return toPlainJson(source?.value ?? {}) as JsonObject;
}

test('compiles the worked example to the stated digests', () => {
  const result = compiled(ticket.source, ticket.input);
  expect(result.sourceSha256).toBe(
    '8282141a312e3c11a944c32b028878419567524075439a98dce17a807e4651c5',
  );
  expect(result.sha256).toBe('29676dd84c654df9e86dba041b4fa8bb7cad8c45af4df73f8d7cf23283144ad3');
  expect(result.documentSha256).toBe(
    '92c118cff5cf4a630b50311fa5f06ac33161bfe06d42626cefe7d13ebb157c57',
  );
  expect(result.bytes.length).toBe(5127);
  expect(sha256(result.bytes)).toBe(
    '26dd1da9333adf58db7754508a7fc71b93a56f57bcbc1482f70d7f2716f71cef',
  );
  expect(planFileName(result.plan)).toBe(
    'docs.example.ticket-review.v1@3.29676dd84c654df9e86dba041b4fa8bb7cad8c45af4df73f8d7cf23283144ad3.compiled.json',
  );
});

test('gives one plan for YAML, JSON, an object, and bytes with a mark and CR LF', () => {
  const { bytes } = compiled(ticket.source, ticket.input);
  const object = objectOf(ticket.text);
  const { logicalPath: _, ...request } = ticket.input.request;
  const input = { ...ticket.input, request };
  expect(compiled(JSON.stringify(object), input).bytes).toEqual(bytes);
  expect(compiled(object, input).bytes).toEqual(bytes);
  expect(compiled(ticket.text, input).bytes).toEqual(bytes);
  const windows = new TextEncoder().encode(`\ufeff${ticket.text.replaceAll('\n', '\r\n')}`);
  expect(compiled(windows, input)).toMatchObject({
    bytes,
    documentSha256: '92c118cff5cf4a630b50311fa5f06ac33161bfe06d42626cefe7d13ebb157c57',
  });
});

test('knows no document digest and no positions for a source given as an object', () => {
  const object = objectOf(review.text);
  expect(compiled(object, review.input).documentSha256).toBeNull();
  const [found] = compileHarness({ ...object, owner: 'me' }, review.input).diagnostics;
  expect(found).toMatchObject({ code: 'MF-S021', path: '/owner' });
  expect(found).not.toHaveProperty('span');
  expect(found).not.toHaveProperty('logicalPath');
});

test('takes from the source what the request leaves open', () => {
  const { request: _, ...rest } = ticket.input;
  const grants = ['ticket.read', 'notes.search', 'artifact.write', 'terminal.intent'];
  const { bytes } = compiled(ticket.source, ticket.input);
  expect(compiled(ticket.text, { ...rest, request: { grants } }).bytes).toEqual(bytes);
});

test('signs plans with its own identity unless told otherwise', () => {
  const { identity: _, ...input } = review.input;
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const { plan } = compiled(review.source, input);
  expect(plan.compiler_identity).toEqual(COMPILER_IDENTITY);
  expect(COMPILER_IDENTITY.version).toBe(manifest.version);
});

test('freezes the plan to its leaves', () => {
  const { plan } = compiled(review.source, review.input);
  expect(Object.isFrozen(plan.nodes[0]?.prerequisites)).toBe(true);
  expect(Object.isFrozen(plan.nodes[0]?.input_schema)).toBe(true);
});

test('tells a hook of every phase, in order, with something to read', () => {
  const phases: string[] = [];
  const input: CompileInput = {
    ...review.input,
    onPhase: ({ name, diagnostics, print }) => {
      phases.push(name);
      expect(diagnostics).toEqual([]);
      expect(() => JSON.parse(print())).not.toThrow();
    },
  };
  compiled(review.source, input);
  expect(phases).toEqual(['parse', 'read', 'resolve', 'check', 'lower', 'emit']);
});

function touched(): never {
  throw new Error('touched');
}

test('asks no catalog before the source has its form', () => {
  const catalog = {
    get snapshotId(): string {
      return touched();
    },
    get snapshotSha256(): string {
      return touched();
    },
    resolveExact: touched,
  };
  const input = { ...review.input, catalog, profiles: catalog };
  expect(codes('a: 1', input)).toContain('MF-S020');
  expect(codes('', { ...input, request: { ...input.request, format: 'yaml' } })).toEqual([
    'MF-S012',
  ]);
  const twice = review.text.replace('docs.review.write@2', 'docs.ticket.open@1');
  expect(codes(twice, input)).toEqual(['MF-R005']);
});

test('reads the identity of each catalog once, and looks each name up once', () => {
  const log: string[] = [];
  const tools = review.input.catalog;
  const listed = toModelProfileCatalog(['docs.profile.small']);
  const input: CompileInput = {
    ...review.input,
    catalog: {
      get snapshotId() {
        log.push('tools id');
        return tools.snapshotId;
      },
      get snapshotSha256() {
        log.push('tools sha256');
        return tools.snapshotSha256;
      },
      resolveExact: (id, version) => {
        log.push(`${id}@${version}`);
        return tools.resolveExact(id, version);
      },
    },
    profiles: {
      get snapshotId() {
        log.push('profiles id');
        return listed.snapshotId;
      },
      get snapshotSha256() {
        log.push('profiles sha256');
        return listed.snapshotSha256;
      },
      resolveExact: (id) => {
        log.push(id);
        return listed.resolveExact(id);
      },
    },
  };
  compiled(review.source, input);
  expect(log).toEqual([
    'tools id',
    'tools sha256',
    'profiles id',
    'profiles sha256',
    'docs.profile.small',
    'docs.review.finish@1',
    'docs.ticket.open@1',
    'docs.review.write@2',
  ]);
});

test('names the phase that failed and what is known of the source by then', () => {
  const { input } = review;
  const failures = [
    compileHarness(review.source, { ...input, request: { grants: ['no id'] } }),
    compileHarness('{', { ...input, request: { ...input.request, format: 'json' } }),
    compileHarness('{}', input),
    compileHarness(review.source, { ...input, request: { ...input.request, grants: [] } }),
  ].map((result) => (result.ok ? null : [result.failurePhase, typeof result.documentSha256]));
  expect(failures).toEqual([
    ['request', 'object'],
    ['parse', 'string'],
    ['schema', 'string'],
    ['capability', 'string'],
  ]);
});

test('refuses bytes that are no text or too many of them, MF-S004 and MF-S003', () => {
  expect(codes(new Uint8Array([0x61, 0xff]), review.input)).toEqual(['MF-S004']);
  expect(codes(new Uint8Array(1_048_577), review.input)).toEqual(['MF-S003']);
});

test('turns anything that throws into MF-I001 and repeats nothing of its text', () => {
  const input: CompileInput = {
    ...review.input,
    onPhase: () => {
      throw new RangeError('password: hunter2hunter2');
    },
  };
  const result = compileHarness(review.source, input);
  expect(result.diagnostics).toMatchObject([
    { code: 'MF-I001', fields: [{ key: 'error_type', value: 'RangeError' }] },
  ]);
  expect(JSON.stringify(result)).not.toContain('hunter2');
});

test('cuts a long report and says so with MF-D001', () => {
  const keys = Array.from({ length: 300 }, (_, index) => `key_${index}: 1\n`);
  const result = compileHarness(review.text + keys.join(''), review.input);
  expect(result.diagnostics).toHaveLength(128);
  expect(result.diagnostics.at(-1)).toMatchObject({ code: 'MF-D001', severity: 'warning' });
});

test('keeps a prompt with headings, blank lines and signs of YAML verbatim', () => {
  const lines = ['# Task', '', '*Read* & quote !important <<things #1', '', '- `*.py`', ''];
  const block = lines.map((line) => (line === '' ? '' : `    ${line}`)).join('\n');
  const text = review.text.replace('    Read the ticket, then write the review.\n', block);
  const { plan } = compiled(text, review.input);
  expect(plan.prompt_policy.system_instructions).toBe(lines.join('\n'));
});

test('takes no digest of a source that is not the one asked for', () => {
  const request = { ...review.input.request, expectedHarnessId: 'other' };
  const result = compileHarness(review.source, { ...review.input, request });
  expect(result).toMatchObject({ ok: false, sourceSha256: null, harnessId: null });
  expect(result.documentSha256).toMatch(/^[0-9a-f]{64}$/);
});

test('does not let a later change of the request into the result', () => {
  const grants = [...review.input.request.grants];
  const input: CompileInput = {
    ...review.input,
    request: { ...review.input.request, grants },
    onPhase: () => {
      grants.length = 0;
    },
  };
  expect(compileHarness(review.source, input).ok).toBe(true);
});

test('names the stage that it compiled for: the one asked for, else the first that is listed', () => {
  const { stageKindId: _, ...request } = review.input.request;
  const source = objectOf(review.text);
  const harness = { ...source, stage_scope: { stage_kind_ids: ['second', 'first'] } };
  const stageOf = (asked: object) =>
    compiled(harness, { ...review.input, request: { ...request, ...asked } }).stageKindId;
  expect(stageOf({})).toBe('second');
  expect(stageOf({ stageKindId: 'first' })).toBe('first');
});

test('places semantic findings in the text, sorts them by line, and places none in an object', () => {
  const text = review.text
    .replace('docs.profile.small', 'docs.profile.smal')
    .replace('docs.review.write@2', 'docs.review.write@7');
  const found = compileHarness(text, review.input).diagnostics;
  const lineOf = (part: string) => text.slice(0, text.indexOf(part)).split('\n').length;
  expect(found.map(({ code, path, span }) => [code, path, span?.line])).toEqual([
    ['MF-R001', '/model_profile_id', lineOf('docs.profile.smal')],
    ['MF-R002', '/graph/nodes/1/tool_ref', lineOf('docs.review.write@7')],
    ['MF-A004', '/artifacts/required_by_terminal/0/artifact_ids/0', lineOf('REVIEW_DONE: [')],
  ]);
  const [first] = compileHarness(objectOf(text), review.input).diagnostics;
  expect(first).toMatchObject({ code: 'MF-R002', path: '/graph/nodes/1/tool_ref' });
  expect(first).not.toHaveProperty('span');
});

test('never repeats in a hint what has the shape of a secret', () => {
  const key = `sk-${'a1'.repeat(12)}`;
  const catalog = toToolCatalog(
    review.input.catalog.entries.map((entry) => ({
      ...entry,
      tool_id: entry.tool_id === 'docs.ticket.open' ? key : entry.tool_id,
    })),
  );
  const text = review.text.replace('docs.ticket.open@1', `${key.replace('a1', 'a2')}@1`);
  expect(JSON.stringify(compileHarness(text, { ...review.input, catalog }))).not.toContain(key);
  const missing = compileHarness(review.text, { ...review.input, catalog }).diagnostics;
  expect(JSON.stringify(missing)).not.toContain(key);
});
