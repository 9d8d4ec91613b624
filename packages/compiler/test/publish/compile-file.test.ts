import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CompileFileOutcome,
  type CompileFileRequest,
  compileFile,
  loadPlan,
  systemFiles,
  toCompileResultJson,
} from '@millforge/compiler/publish';
import { canonicalJson } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { filesIn, layOut, PLAN_NAME, planBytes, REPORT_NAME } from '../support/disk.ts';

const DOCUMENT = '92c118cff5cf4a630b50311fa5f06ac33161bfe06d42626cefe7d13ebb157c57';
const SOURCE = '8282141a312e3c11a944c32b028878419567524075439a98dce17a807e4651c5';
const PLAN = '29676dd84c654df9e86dba041b4fa8bb7cad8c45af4df73f8d7cf23283144ad3';
const IDENTITY = '6704a28e27d56a30a06e42b832fa01b7d3ca33338c0a9e103e8be6d4670fa6d1';

/** A request that anybody may have written. */
function untrusted(value: unknown): CompileFileRequest {
  // The point of these tests is that the type may be a lie.
  return value as CompileFileRequest;
}

function codesOf({ diagnostics }: CompileFileOutcome): readonly string[] {
  return diagnostics.map(({ code }) => code);
}

test('publishes the worked example under its names, with its digests', async () => {
  const { request, input, output } = await layOut();
  const outcome = await compileFile(request, input);
  expect(outcome.kind).toBe('published');
  expect(toCompileResultJson(outcome)).toEqual({
    request_id: 'request.docs.1',
    status: 'committed',
    plan_commit_certainty: 'committed',
    diagnostic_report_state: 'committed',
    failure_phase: null,
    source_document_sha256: DOCUMENT,
    source_sha256: SOURCE,
    request_identity_sha256: IDENTITY,
    harness_id: 'docs.example.ticket-review.v1',
    compiled_plan_path: `compiled/${PLAN_NAME}`,
    compiled_sha256: PLAN,
    diagnostics_path: `compiled/${REPORT_NAME}`,
    diagnostics: [],
  });
  const files = await filesIn(output);
  expect([...files.keys()]).toEqual([PLAN_NAME, REPORT_NAME].toSorted());
  const plan = files.get(PLAN_NAME) ?? '';
  expect(createHash('sha256').update(plan).digest('hex')).toBe(
    '26dd1da9333adf58db7754508a7fc71b93a56f57bcbc1482f70d7f2716f71cef',
  );
  expect(files.get(REPORT_NAME)).toBe(canonicalJson(toCompileResultJson(outcome)));
  for (const name of files.keys()) {
    expect((await lstat(join(output, name))).mode & 0o777).toBe(0o600);
  }
  expect(await loadPlan(join(output, PLAN_NAME), { sha256: PLAN })).toMatchObject({ ok: true });
});

test('the same plan for two requests is one plan with two reports', async () => {
  const { request, input, output } = await layOut();
  await compileFile(request, input);
  const again = await compileFile({ ...request, request_id: 'request.docs.2' }, input);
  expect(again).toMatchObject({ kind: 'published', reused: true });
  expect(await readdir(output)).toHaveLength(3);
});

test('what may be left to the source is taken from it, only where that is allowed', async () => {
  const { request, input } = await layOut();
  const {
    expected_harness_id: _,
    stage_kind_id: __,
    legal_terminal_results: ___,
    ...rest
  } = request;
  expect(codesOf(await compileFile(rest, input))).toEqual(['MF-S018']);
  const outcome = await compileFile(rest, { ...input, mayLeaveToSource: true });
  // The first stage of the source is another than the one asked for in the worked example.
  expect(outcome).toMatchObject({ kind: 'published', sha256: PLAN });
  expect(outcome.requestIdentitySha256).not.toBe(IDENTITY);
});

test('a plan file that is no such plan is a conflict, and the report says so', async () => {
  const { request, input, output } = await layOut();
  await writeFile(join(output, PLAN_NAME), 'mine');
  const outcome = await compileFile(request, input);
  expect(outcome.kind).toBe('conflict');
  expect(toCompileResultJson(outcome)).toMatchObject({
    status: 'failed',
    plan_commit_certainty: 'absent',
    diagnostic_report_state: 'committed',
    failure_phase: 'output',
    source_document_sha256: DOCUMENT,
    source_sha256: SOURCE,
    request_identity_sha256: IDENTITY,
    compiled_plan_path: null,
    compiled_sha256: null,
    diagnostics: [{ code: 'MF-O004' }],
  });
  const files = await filesIn(output);
  expect(files.get(PLAN_NAME)).toBe('mine');
  expect(files.get(REPORT_NAME)).toBe(canonicalJson(toCompileResultJson(outcome)));
});

test('the report of a request takes the place of the one before, whatever that said (O-04)', async () => {
  const { request, input, output } = await layOut();
  await compileFile(request, input);
  await writeFile(join(output, PLAN_NAME), 'mine');
  await compileFile(request, input);
  const text = (await filesIn(output)).get(REPORT_NAME) ?? '';
  expect(JSON.parse(text)).toMatchObject({ status: 'failed', plan_commit_certainty: 'absent' });
});

test.each([
  ['a document that is no YAML', 'a: [1', 'parse'],
  ['a document of another kind', 'a: 1\n', 'schema'],
])('%s leaves no file', async (_, text, phase) => {
  const { request, input, output, source } = await layOut();
  await writeFile(source, text);
  const outcome = await compileFile(request, input);
  expect(toCompileResultJson(outcome)).toMatchObject({
    status: 'failed',
    diagnostic_report_state: 'absent',
    failure_phase: phase,
    source_document_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    source_sha256: null,
    request_identity_sha256: null,
    harness_id: null,
    diagnostics_path: null,
  });
  expect(await readdir(output)).toEqual([]);
});

test('a harness that is not the expected one names no digest of a meaning (O-08)', async () => {
  const { request, input, output } = await layOut();
  const outcome = await compileFile({ ...request, expected_harness_id: 'another.one' }, input);
  expect(toCompileResultJson(outcome)).toMatchObject({
    failure_phase: 'schema',
    source_document_sha256: DOCUMENT,
    source_sha256: null,
    harness_id: null,
    diagnostics: [{ code: 'MF-S027' }],
  });
  expect(await readdir(output)).toEqual([]);
});

test('a grant that is missing leaves no file', async () => {
  const { request, input, output } = await layOut();
  const outcome = await compileFile({ ...request, capability_envelope: { grants: [] } }, input);
  expect(outcome).toMatchObject({ kind: 'rejected', failurePhase: 'capability' });
  expect(await readdir(output)).toEqual([]);
});

test('a fault in admission is a result, too (O-02)', async () => {
  const { request, input } = await layOut();
  const throwing = new Proxy(request, {
    getOwnPropertyDescriptor() {
      throw new RangeError('/secret/path');
    },
  });
  const outcome = await compileFile(throwing, input);
  expect(toCompileResultJson(outcome)).toMatchObject({
    request_id: 'request.invalid',
    status: 'failed',
    failure_phase: 'internal',
    diagnostics: [{ code: 'MF-I001', fields: [{ key: 'error_type', value: 'RangeError' }] }],
  });
  expect(JSON.stringify(outcome)).not.toContain('/secret/path');
});

test('a file system that throws what is no system error is a result, too', async () => {
  const { request, input } = await layOut();
  const fs = { ...systemFiles, realpath: () => Promise.reject(new TypeError('/secret/path')) };
  const outcome = await compileFile(request, { ...input, fs });
  expect(outcome.kind).toBe('rejected');
  expect(JSON.stringify(outcome)).not.toContain('/secret/path');
});

test('a request that changes while it is compiled has no effect', async () => {
  const { request, input, output } = await layOut();
  const mutable = structuredClone(request) as { -readonly [K in keyof typeof request]: unknown };
  const compiling = compileFile(untrusted(mutable), input);
  mutable.output_dir = '../elsewhere';
  mutable.request_id = 'x';
  mutable.capability_envelope = { grants: [] };
  expect(await compiling).toMatchObject({ kind: 'published', requestId: 'request.docs.1' });
  expect(await readFile(join(output, PLAN_NAME))).toEqual(Buffer.from(await planBytes()));
});

test('a directory so deep that a result cannot name its files gets none', async () => {
  const { request, input, output } = await layOut();
  const deep = Array.from({ length: 4 }, (_, index) => String(index).repeat(230)).join('/');
  await mkdir(join(output, '..', deep), { recursive: true });
  const outcome = await compileFile({ ...request, output_dir: deep }, input);
  expect(outcome.kind).toBe('not_written');
  expect(codesOf(outcome)).toEqual(['MF-O003']);
  expect(await readdir(join(output, '..', deep))).toEqual([]);
});

test.each([
  ['of 160 characters', `a${'.b'.repeat(79)}x`],
  ['that begins with the name of a device', 'aux.v1'],
])('a harness id %s can be published (O-03)', async (_, id) => {
  const { request, input, output, source } = await layOut();
  const text = await readFile(source, 'utf8');
  await writeFile(source, text.replace('docs.example.ticket-review.v1', id));
  const outcome = await compileFile({ ...request, expected_harness_id: id }, input);
  expect(outcome).toMatchObject({ kind: 'published', harnessId: id });
  expect(await readdir(output)).toHaveLength(2);
});
