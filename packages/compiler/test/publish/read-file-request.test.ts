import { readdir, writeFile } from 'node:fs/promises';
import { type CompileFileRequest, compileFile, systemFiles } from '@millforge/compiler/publish';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LaidOut, layOut } from '../support/disk.ts';
import { readFixture } from '../support/fixtures.ts';

/** A file system that nobody may look at. */
const untouched = new Proxy(systemFiles, {
  get(_, name) {
    throw new Error(`asked for ${String(name)}`);
  },
});

async function refusalOf({ input }: LaidOut, request: unknown) {
  // The point of these tests is that the type may be a lie.
  const outcome = await compileFile(request as CompileFileRequest, { ...input, fs: untouched });
  const [found, ...more] = outcome.diagnostics;
  expect(more).toEqual([]);
  return { id: outcome.requestId, code: found?.code, pointer: found?.fields?.[0]?.value };
}

test.each([
  ['request_id', 'My Request'],
  ['request_id', 7],
  ['source_path', ' '],
  ['source_path', 'a'.repeat(1025)],
  ['source_path', 'ü'.repeat(513)],
  ['source_path', 'half-\ud800'],
  ['source_root', 'relative'],
  ['source_root', `/${'a'.repeat(4096)}`],
  ['source_format', 'YAML'],
  ['output_dir', ''],
  ['output_root', '~'],
  ['expected_harness_id', 'a..b'],
  ['stage_kind_id', null],
  ['legal_terminal_results', []],
  ['legal_terminal_results', ['DONE', 'DONE']],
  ['legal_terminal_results', Array.from({ length: 65 }, (_, index) => `R${index}`)],
  ['legal_terminal_results', 'DONE'],
  ['capability_envelope', null],
])('refuses a wrong %s before anything is looked at: %j', async (field, value) => {
  const lay = await layOut();
  const { id, code, pointer } = await refusalOf(lay, { ...lay.request, [field]: value });
  expect([code, pointer]).toEqual(['MF-S018', `/${field}`]);
  expect(id).toBe(field === 'request_id' ? 'request.invalid' : 'request.docs.1');
});

test.each([
  ['/legal_terminal_results/1', { legal_terminal_results: ['DONE', 'done'] }],
  ['/capability_envelope/grants', { capability_envelope: {} }],
  ['/capability_envelope/grants/0', { capability_envelope: { grants: ['a'] } }],
  ['/capability_envelope/grants', { capability_envelope: { grants: [grant('a'), grant('a')] } }],
  [
    '/capability_envelope/grants/0/constraints',
    { capability_envelope: { grants: [{ capability_id: 'a', constraints: [] }] } },
  ],
  [
    '/capability_envelope/grants/0/constraints/paths/1',
    {
      capability_envelope: {
        grants: [{ capability_id: 'a', constraints: { paths: ['src/**', { deep: 1 }] } }],
      },
    },
  ],
  [
    '/capability_envelope/grants/0/scope',
    { capability_envelope: { grants: [{ capability_id: 'a', scope: 1 }] } },
  ],
  ['/surplus', { surplus: 1 }],
  ['/surplus', { surplus: 1, constructor: 2 }],
])('names the place %s', async (pointer, changes) => {
  const lay = await layOut();
  expect(await refusalOf(lay, { ...lay.request, ...changes })).toMatchObject({ pointer });
});

test('holds the capability ids of grants to their grammar (O-09)', async () => {
  const lay = await layOut();
  const wrong = { capability_envelope: { grants: [grant('a'), grant('Everything')] } };
  expect(await refusalOf(lay, { ...lay.request, ...wrong })).toMatchObject({
    code: 'MF-S018',
    pointer: '/capability_envelope/grants/1/capability_id',
  });
});

test('names the first wrong field in the order of the form, and unknown keys last', async () => {
  const lay = await layOut();
  const wrong = { zzz: 1, ...lay.request, output_root: 1, source_root: 1 };
  expect(await refusalOf(lay, wrong)).toMatchObject({ pointer: '/source_root' });
});

test.each(
  (['request_id', 'source_path', 'stage_kind_id', 'capability_envelope'] as const).map(
    (field) => [field] as const,
  ),
)('refuses a request without %s', async (field) => {
  const lay = await layOut();
  const { [field]: _, ...rest } = lay.request;
  expect(await refusalOf(lay, rest)).toMatchObject({ code: 'MF-S018', pointer: `/${field}` });
});

test('refuses whatever is no request, and never repeats it', async () => {
  const lay = await layOut();
  await fc.assert(
    fc.asyncProperty(fc.anything(), async (value) => {
      const { id, code } = await refusalOf(lay, value);
      expect([id, code]).toEqual(['request.invalid', 'MF-S018']);
    }),
    { numRuns: 200 },
  );
  const secret = `sk-${'a1'.repeat(16)}`;
  const { input, request } = lay;
  const odd = { ...request, [secret]: 1 };
  const outcome = await compileFile(odd, { ...input, fs: untouched });
  expect(JSON.stringify(outcome)).not.toContain(secret);
  expect(await readdir(lay.output)).toEqual([]);
});

test('takes constraints of a grant', async () => {
  const { request, input } = await layOut();
  const grants = request.capability_envelope.grants.map((given, index) => ({
    ...given,
    constraints: [null, {}, { paths: ['src/**'] }, undefined][index],
  }));
  // An absent value and an undefined one are the same to a program.
  const outcome = await compileFile(
    { ...request, capability_envelope: { grants } } as CompileFileRequest,
    input,
  );
  expect(outcome.kind).toBe('published');
});

test('holds a harness to the constraints of the grants', async () => {
  const { request, input, source, output } = await layOut();
  const { source: bytes } = readFixture('constraint-exceeds-grant.invalid');
  await writeFile(source, bytes);
  const grants = ['ticket.read', 'artifact.write', 'terminal.intent'].map((capability_id) => ({
    capability_id,
    ...(capability_id === 'ticket.read'
      ? { constraints: { hosts: ['tickets.docs.example'] } }
      : {}),
  }));
  const outcome = await compileFile(
    {
      ...request,
      expected_harness_id: 'docs.review',
      legal_terminal_results: ['REVIEW_DONE'],
      capability_envelope: { grants },
    },
    input,
  );
  expect(outcome.diagnostics.map(({ code }) => code)).toEqual(['MF-C003']);
  expect(await readdir(output)).toEqual([]);
});

function grant(capability_id: string) {
  return { capability_id };
}
