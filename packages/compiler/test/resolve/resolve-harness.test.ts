import { type CompileInput, toModelProfileCatalog, toToolCatalog } from '@millforge/compiler';
import { expect, test } from 'vitest';
import {
  findings,
  graphOf,
  harness,
  inputFor,
  objectSchema,
  summaries,
  tool,
} from '../support/harness.ts';

type Catalog = CompileInput['catalog'];
type Profiles = CompileInput['profiles'];

const source = harness();
const listed = toToolCatalog([tool('test.finish')]);
const [entry] = listed.entries;

/** What a catalog finds that answers every question about tools with this value. */
function answered(answer: unknown): readonly string[] {
  const resolveExact = () => answer;
  // A catalog of a JavaScript program may answer anything.
  const catalog = { ...listed, resolveExact } as object as Catalog;
  return summaries(findings(source, { catalog }));
}

function profiled(answer: unknown) {
  const { profiles } = inputFor(source);
  const resolveExact = () => answer;
  // A catalog of a JavaScript program may answer anything.
  return findings(source, { profiles: { ...profiles, resolveExact } as object as Profiles });
}

const ASKED = 'finish tool_id=test.finish tool_version=1';

test.each<[string, unknown, string]>([
  ['a missing tool', { classification: 'missing' }, `MF-R002 ${ASKED}`],
  [
    'evidence of a missing tool, sorted among the fields',
    { classification: 'missing', evidence: { nearest: 'test.end' } },
    'MF-R002 finish nearest=test.end tool_id=test.finish tool_version=1',
  ],
  ['an unusable tool', { classification: 'invalid' }, `MF-R004 ${ASKED}`],
  ['an unknown reason', { classification: 'invalid', errorCode: 'odd' }, `MF-R004 ${ASKED}`],
  [
    'an unsupported schema',
    { classification: 'invalid', errorCode: 'unsupported-tool-schema' },
    `MF-R007 ${ASKED}`,
  ],
  [
    'a drifting snapshot',
    { classification: 'invalid', errorCode: 'catalog-snapshot-drift' },
    `MF-R008 ${ASKED}`,
  ],
  ['nothing', undefined, `MF-R004 ${ASKED}`],
  ['null', null, `MF-R004 ${ASKED}`],
  ['a promise', Promise.resolve({ classification: 'missing' }), `MF-R004 ${ASKED}`],
  ['an unknown classification', { classification: 'maybe' }, `MF-R004 ${ASKED}`],
  ['a find without an entry', { classification: 'found' }, `MF-R004 ${ASKED}`],
  [
    'a find with a reason',
    { classification: 'found', entry, errorCode: 'odd' },
    `MF-R004 ${ASKED}`,
  ],
  ['a blank reason', { classification: 'invalid', errorCode: ' ' }, `MF-R004 ${ASKED}`],
  [
    'evidence under a wrong key',
    { classification: 'missing', evidence: { 'A key': 'x' } },
    `MF-R004 ${ASKED}`,
  ],
  [
    'evidence that is no text',
    { classification: 'missing', evidence: { key: 1 } },
    `MF-R004 ${ASKED}`,
  ],
  [
    'an entry with a wrong field',
    { classification: 'found', entry: { ...entry, description: ' ' } },
    `MF-R004 ${ASKED}`,
  ],
  [
    'an entry with an open schema',
    { classification: 'found', entry: { ...entry, input_schema: { type: 'object' } } },
    `MF-R007 ${ASKED}`,
  ],
  [
    'another tool',
    { classification: 'found', entry: tool('test.other', { tool_version: 3 }) },
    'MF-R003 finish resolved_tool_id=test.other resolved_tool_version=3 tool_id=test.finish tool_version=1',
  ],
])('answers a catalog that gives %s', (_, answer, expected) => {
  expect(answered(answer)).toEqual([expected]);
});

test('masks evidence that looks like a secret', () => {
  const answer = { classification: 'missing', evidence: { access_token: 'abcdefghijkl' } };
  expect(answered(answer)).toEqual([
    'MF-R002 finish access_token=**redacted** tool_id=test.finish tool_version=1',
  ]);
});

test('admits an entry that no catalog document passed, and normalises its schemas', () => {
  const schema = objectSchema({ a: { type: 'string', description: 'Dropped.' } });
  const answer = {
    classification: 'found',
    entry: { ...tool('test.finish'), input_schema: schema },
  };
  expect(answered(answer)).toEqual([]);
});

const UNRESOLVED = "Model profile 'test.profile' could not be resolved.";
const NO_PAYLOAD = 'Model profile lookup returned no profile payload.';

test.each<[string, unknown, { code: string; message: string }]>([
  ['a missing profile', { classification: 'missing' }, { code: 'MF-R001', message: UNRESOLVED }],
  ['an unusable profile', { classification: 'invalid' }, { code: 'MF-R010', message: UNRESOLVED }],
  ['nothing', undefined, { code: 'MF-R010', message: NO_PAYLOAD }],
  [
    'a profile with an endpoint',
    { classification: 'found', entry: { profile_id: 'test.profile', url: 'http://x' } },
    { code: 'MF-R010', message: NO_PAYLOAD },
  ],
  [
    'another profile',
    { classification: 'found', entry: { profile_id: 'other' } },
    { code: 'MF-R010', message: 'Model profile lookup returned a mismatched profile.' },
  ],
])('answers a profile catalog that gives %s', (_, answer, expected) => {
  expect(profiled(answer)).toMatchObject([expected]);
});

test('goes on after a failed profile, and after each failed tool', () => {
  const nodes = graphOf({
    a: { tool_ref: 'test.a@2' },
    b: { tool_ref: 'test.b@2' },
    x: { terminal_result: 'DONE' },
  });
  const codes = findings({ ...nodes, model_profile_id: 'other' }).map(({ code }) => code);
  expect(codes).toEqual(['MF-R002', 'MF-R002', 'MF-R001']);
});

function failToResolve(): never {
  throw new SyntaxError('secret-ish');
}

test('names the class of what a catalog throws, and nothing of its text, MF-R009', () => {
  const { profiles } = inputFor(source);
  const found = findings(source, {
    catalog: { ...listed, resolveExact: failToResolve },
    profiles: { ...profiles, resolveExact: failToResolve },
  });
  expect(summaries(found)).toEqual([
    'MF-R009 finish error_type=SyntaxError tool_id=test.finish',
    'MF-R009 error_type=SyntaxError profile_id=test.profile',
  ]);
  expect(JSON.stringify(found)).not.toContain('secret-ish');
});

test.each<[string, object]>([
  ['no digests', { ...listed, snapshotId: 'v1' }],
  ['upper case', { ...listed, snapshotSha256: 'AB'.repeat(32) }],
  ['nothing', {}],
])('stops at a catalog whose identity is %s, before any lookup', (_, broken) => {
  const catalog = { ...broken, resolveExact: () => ({ classification: 'missing' }) };
  // A catalog of a JavaScript program may be anything.
  const found = findings(source, { catalog: catalog as object as Catalog });
  expect(found).toMatchObject([
    { code: 'MF-R009', message: 'Catalog snapshot metadata is invalid.' },
  ]);
});

test('stops at what a connector discovered, without asking it anything', () => {
  const discovery = {
    get connector_identity(): never {
      throw new Error('touched');
    },
    provider_tools: [],
    discovery_snapshot_sha256: '',
  };
  const found = findings(source, { catalog: discovery as object as Catalog });
  expect(summaries(found)).toEqual(['MF-C001_DISCOVERY_NOT_CATALOG catalog_role=tool_snapshot']);
});

test('reports each later node that binds a tool or shows a name again', () => {
  const again = { tool_ref: 'test.a@1' };
  const twice = graphOf({ c: again, b: again, a: {}, x: { terminal_result: 'DONE' } });
  expect(summaries(findings(twice))).toEqual([
    'MF-R005 a +c tool_ref=test.a@1',
    'MF-R005 a +b tool_ref=test.a@1',
  ]);
  const named = graphOf({ c: {}, b: {}, a: {}, x: { terminal_result: 'DONE' } });
  const same = ['test.a', 'test.b', 'test.c'].map((id) => tool(id, { model_tool_name: 'same' }));
  expect(summaries(findings(named, { tools: same }))).toEqual([
    'MF-R006 a +c model_tool_name=same',
    'MF-R006 a +b model_tool_name=same',
  ]);
});

test.each<[string, string, string | undefined]>([
  ['the versions that exist', 'docs.open@9', "The catalog has 'docs.open@2' and 'docs.open@10'."],
  ['the nearest tool at its newest version', 'docs.opne@2', "Did you mean 'docs.open@10'?"],
  [
    'that nothing resembles the name',
    'other.thing@1',
    'No tool of the catalog has such a name: add the tool to the catalog, or name one that it has.',
  ],
])('hints at %s', (_, tool_ref, hint) => {
  const catalog = toToolCatalog([
    tool('docs.open', { tool_version: 10 }),
    tool('docs.open', { tool_version: 2 }),
    tool('test.x'),
  ]);
  const nodes = graphOf({ a: { tool_ref }, x: { terminal_result: 'DONE' } });
  expect(findings(nodes, { catalog })).toMatchObject([
    { code: 'MF-R002', path: '/graph/nodes/0/tool_ref', hint },
  ]);
});

test('asks a catalog for what it lists only when a name is missing, and survives its answer', () => {
  const catalog = { ...listed };
  Object.defineProperty(catalog, 'entries', { get: failToResolve });
  expect(findings(source, { catalog })).toEqual([]);
  const missing = graphOf({ a: { tool_ref: 'none@1' }, finish: { terminal_result: 'DONE' } });
  const [found] = findings(missing, { catalog });
  expect(found).toMatchObject({ code: 'MF-R002' });
  expect(found?.hint).toBeUndefined();
});

function profileHint(model_profile_id: string) {
  const [found] = findings(harness({ model_profile_id }));
  return [found?.code, found?.path, found?.hint];
}

test('hints at the nearest profile, or at those that exist', () => {
  expect(profileHint('test.profil')).toEqual([
    'MF-R001',
    '/model_profile_id',
    "Did you mean 'test.profile'?",
  ]);
  expect(profileHint('other')[2]).toBe("The catalog has 'test.profile'.");
});

test('says what to give where no profile is known, or no tool', () => {
  const found = findings(source, {
    profiles: toModelProfileCatalog([]),
    catalog: toToolCatalog([]),
  });
  expect(found.map(({ code, hint }) => [code, hint])).toEqual([
    [
      'MF-R002',
      'The catalog has no tools: add the tool to it, or give the catalog that has the tool.',
    ],
    [
      'MF-R001',
      "No model profile is known: list 'test.profile' in the file of profiles, given with --profiles on the command line.",
    ],
  ]);
});

test('has nothing to say of profiles where a catalog only answers exact questions', () => {
  const { snapshotId, snapshotSha256 } = toModelProfileCatalog([]);
  const exact = { snapshotId, snapshotSha256, resolveExact: hasNone };
  const [found] = findings(source, { profiles: exact });
  expect(found).toMatchObject({ code: 'MF-R001' });
  expect(found?.hint).toBeUndefined();
});

function hasNone() {
  return { classification: 'missing' } as const;
}
