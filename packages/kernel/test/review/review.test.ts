import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createReview,
  gitCommit,
  modelRole,
  type ReviewRole,
  readReview,
  renderMarkdown,
  renderSarif,
  scriptedRole,
  startReview,
} from '@millforge/kernel/review';
import { expect, test } from 'vitest';
import { open, scope, systemClock, temporaryDirectory } from '../fixture.ts';
import { answering, answerOf, head, repositoryOf, review } from './fixture.ts';
import { sarifProblems } from './sarif-problems.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const SHOWN = 'packages/contracts/src/error/millforge-error.ts';
const LONG = 'packages/contracts/src/json/read-json.ts';

/** Lines of a file of the commit under review, as git tells them. */
function committed(path: string, first: number, last: number): string {
  const text = execFileSync('git', ['-C', ROOT, 'show', `HEAD:${path}`], { encoding: 'utf8' });
  return text
    .split('\n')
    .slice(first - 1, last)
    .join('\n');
}

test('reviews a commit of this repository: false and shifted quotes, a path that was not captured and a file that was cut are told', async () => {
  const quote = committed(SHOWN, 3, 4);
  const claim = 'It is never thrown.';
  const place = { path: SHOWN, start_line: 3, end_line: 4, quote, claim, severity: 'medium' };
  const planted = [
    place,
    { ...place, quote: quote.replace('class', 'clasp') },
    { ...place, start_line: 5, end_line: 6 },
    { ...place, path: 'packages/contracts/src/no-such-file.ts' },
  ];
  const model = answering((_request, count) => answerOf(count === 1 ? planted : []));
  const report = await review({
    source: await head(ROOT),
    paths: [SHOWN, LONG, 'packages/contracts/src/gone.ts'],
    roles: [modelRole({ role: 'correctness', model, modelIdentity: 'test', fileBytes: 4096 })],
  });

  expect(quote).toContain('class');
  expect(report.revision).toMatch(/^git:[0-9a-f]{40}$/);
  expect(report.findings).toMatchObject([
    { finding_id: 'correctness/1', origin: 'model', path: SHOWN, start_line: 3, quote },
  ]);
  expect(report.rejected).toMatchObject([
    { finding_id: 'correctness/2', reason: 'quote-differs', found_at: [] },
    { finding_id: 'correctness/3', reason: 'quote-differs', found_at: [3] },
    { finding_id: 'correctness/4', reason: 'path-not-captured' },
  ]);
  expect(report.result).toBe('partial');
  expect(report.gaps.map(({ type }) => type).toSorted()).toEqual([
    'finding-rejected',
    'finding-rejected',
    'finding-rejected',
    'input-truncated',
    'path-not-captured',
  ]);
  expect(report.gaps).toContainEqual({
    type: 'path-not-captured',
    path: 'packages/contracts/src/gone.ts',
    reason: 'not-in-revision',
  });
  expect(report.gaps).toContainEqual({
    type: 'input-truncated',
    role: 'correctness',
    path: LONG,
    shown_lines: expect.any(Number),
    lines: committed(LONG, 1, 9999).split('\n').length - 1,
  });
  expect(sarifProblems(renderSarif(report))).toEqual([]);
  expect(renderMarkdown(report)).toContain('**Partial**');
});

test('is complete when every role looked at all of every path and no finding was rejected', async () => {
  const report = await review({
    source: await head(repositoryOf({ 'a.ts': 'let a = 1;\n', 'b/c.ts': 'eval(input);\n' })),
    roles: ['correctness', 'security', 'tests'].map((role) => scriptedRole(role)),
  });
  expect(report.result).toBe('complete');
  expect(report.gaps).toEqual([]);
  expect(report.roles.map(({ role, covered }) => [role, covered])).toEqual([
    ['correctness', 2],
    ['security', 2],
    ['tests', 2],
  ]);
  expect(report.findings).toMatchObject([
    { role: 'security', origin: 'scripted', path: 'b/c.ts', quote: 'eval(input);' },
  ]);
});

test('marks the findings of a script as such in every form', async () => {
  const report = await review({
    source: await head(repositoryOf({ 'b.ts': 'eval(input);\n' })),
    roles: [scriptedRole('security')],
  });
  const sarif = JSON.stringify(renderSarif(report));
  expect(report.findings[0]?.origin).toBe('scripted');
  expect(renderMarkdown(report)).toContain('claimed by a script, no model looked');
  expect(sarif).toContain('claimed by a script, no model looked');
  expect(sarifProblems(renderSarif(report))).toEqual([]);
});

test('lists what cannot be captured or looked at as gaps', async () => {
  const repository = repositoryOf({
    'big.txt': 'x'.repeat(5000),
    'image.png': new Uint8Array([0x89, 0x50, 0, 1]),
    'latin.txt': new Uint8Array([0xe9, 0x0a]),
    'ok.ts': 'let a = 1;\n',
  });
  const report = await review({
    source: await head(repository),
    roles: [scriptedRole('security')],
    limits: { maxFileBytes: 4096 },
  });
  expect(report.files.map(({ path }) => path)).toEqual(['image.png', 'latin.txt', 'ok.ts']);
  expect(report.gaps).toEqual([
    { type: 'path-not-captured', path: 'big.txt', reason: 'file-too-large' },
    { type: 'path-uncovered', role: 'security', path: 'image.png', reason: 'not-text' },
    { type: 'path-uncovered', role: 'security', path: 'latin.txt', reason: 'not-text' },
  ]);
});

test('takes only as many files and bytes as the limits say, and names the others', async () => {
  const repository = repositoryOf({ a: 'aaaa', b: 'bbbb', c: 'cccc' });
  const source = await head(repository);
  const roles = [scriptedRole('security')];
  const byFiles = await review({ source, roles, limits: { maxFiles: 2 } });
  const byBytes = await review({ source, roles, limits: { maxBytes: 9 } });
  for (const report of [byFiles, byBytes]) {
    expect(report.gaps).toEqual([
      { type: 'path-not-captured', path: 'c', reason: 'scope-too-large' },
    ]);
  }
});

test('keeps a role that throws as a gap, and what the others found', async () => {
  const report = await review({
    source: await head(repositoryOf({ 'b.ts': 'eval(input);\n' })),
    roles: [
      scriptedRole('security'),
      {
        role: 'broken',
        origin: 'host',
        version: '1',
        parameters: null,
        propose: async () => {
          throw new Error('No licence for the analyser.');
        },
      },
    ],
  });
  expect(report.findings).toHaveLength(1);
  expect(report.gaps).toEqual([
    {
      type: 'role-failed',
      role: 'broken',
      code: 'role-threw',
      message: 'No licence for the analyser.',
    },
    { type: 'path-uncovered', role: 'broken', path: 'b.ts', reason: 'not-told' },
  ]);
});

test.each([
  ['nothing at all', undefined],
  ['no lists', { findings: 'many', coverage: 7, failure: null }],
  ['an endless finding', { findings: [circular()], coverage: [], failure: null }],
])('counts a role that answers with %s as failed', async (_what, answer) => {
  const report = await review({
    source: await head(repositoryOf({ 'b.ts': '1\n' })),
    roles: [hostRole(async () => answer as never)], // A program without types can answer anything.
  });
  expect(report.gaps.map(({ type }) => type)).toEqual(['role-failed', 'path-uncovered']);
});

test('takes a state of coverage that it does not know for none', async () => {
  const coverage = [{ state: 'fully', path: 'b.ts' }];
  const report = await review({
    source: await head(repositoryOf({ 'b.ts': '1\n' })),
    roles: [hostRole(async () => ({ findings: [], coverage, failure: null }) as never)],
  });
  expect(report.gaps).toEqual([
    { type: 'path-uncovered', role: 'host-role', path: 'b.ts', reason: 'not-told' },
  ]);
});

test('keeps two hundred findings of a role, and says that there were more', async () => {
  const findings = Array.from({ length: 201 }, (_, index) => ({ claim: `${index}` }));
  const coverage = [{ state: 'whole', path: 'b.ts' } as const];
  const report = await review({
    source: await head(repositoryOf({ 'b.ts': '1\n' })),
    roles: [hostRole(async () => ({ findings, coverage, failure: null }))],
  });
  expect(report.rejected).toHaveLength(200);
  expect(report.gaps[0]).toEqual({ type: 'findings-cut', role: 'host-role', kept: 200 });
});

function circular(): object {
  const self: { self?: object } = {};
  self.self = self;
  return self;
}

function hostRole(propose: ReviewRole['propose']): ReviewRole {
  return { role: 'host-role', origin: 'host', version: '1', parameters: null, propose };
}

test('leaves a role behind that does not end within its time', { tags: ['slow'] }, async () => {
  const report = await review({
    source: await head(repositoryOf({ 'b.ts': 'eval(input);\n' })),
    roles: [
      {
        role: 'stuck',
        origin: 'host',
        version: '1',
        parameters: null,
        propose: () => new Promise(() => undefined),
      },
    ],
    roleTimeoutMs: 1000,
  });
  expect(report.gaps[0]).toMatchObject({ type: 'role-failed', code: 'review/role-timeout' });
});

test('judges a review by the captured bytes alone, also after the branch moved on', async () => {
  const repository = repositoryOf({ 'a.ts': 'let a = 1;\n' });
  const source = await gitCommit({ repository, commit: 'HEAD', env: process.env });
  const kernel = await open(temporaryDirectory());
  const parts = { kernel, scope, clock: systemClock };
  const options = { source, roles: [scriptedRole('security')] };
  const run = await startReview(parts, { reviewId: 'r', review: createReview(options) });
  const done = await run.done;
  expect(done.goal.state).toBe('completed');
  const again = await readReview(kernel, scope, 'r');
  expect(again.report).toEqual(done.report);
  expect((await kernel.verifyTrail(scope, 'r')).ok).toBe(true);
  // What the review stands on belongs to its goal, and is no rubbish.
  expect(await kernel.collectArtifacts({ graceMs: -1000 })).toMatchObject({ files: 0 });
  const { report } = done;
  const quotes = await kernel.retrieve(scope, {
    revision: report?.captured_revision ?? '',
    pattern: 'let a',
    limit: 10,
  });
  expect(quotes.quotes).toMatchObject([{ path: 'a.ts', start_line: 1 }]);
});

test('fails when the captured bytes are not what was captured any more, and still tells what it found', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(directory);
  const damaging = hostRole(async ({ tree }) => {
    const digest = tree.files[0]?.sha256 ?? '';
    const [tenant = ''] = readdirSync(join(directory, 'artifacts'));
    const file = join(directory, 'artifacts', tenant, digest.slice(0, 2), digest.slice(2));
    chmodSync(file, 0o600);
    writeFileSync(file, 'let b = 1;\n');
    const place = { path: 'a.ts', start_line: 1, end_line: 1, quote: 'let b = 1;' };
    const coverage = [{ state: 'whole', path: 'a.ts' } as const];
    const findings = [{ ...place, claim: 'It is called b.', severity: 'low' } as const];
    return { findings, coverage, failure: null };
  });
  const source = await head(repositoryOf({ 'a.ts': 'let a = 1;\n' }));
  const run = await startReview(
    { kernel, scope, clock: systemClock },
    { reviewId: 'r', review: createReview({ source, roles: [damaging] }) },
  );
  const { goal, report } = await run.done;
  expect(goal).toMatchObject({ state: 'failed', failure: { code: 'check-failed' } });
  expect(report?.rejected).toMatchObject([{ reason: 'digest-differs' }]);
});

test('keeps the report in three forms as outputs of the goal', async () => {
  const kernel = await open(temporaryDirectory());
  const source = await head(repositoryOf({ 'a.ts': 'let a = 1;\n' }));
  const run = await startReview(
    { kernel, scope, clock: systemClock },
    {
      reviewId: 'r',
      review: createReview({ source, roles: [scriptedRole('tests')] }),
      inputs: { workspace: '/work' },
    },
  );
  const { goal, report } = await run.done;
  expect(goal.inputs['workspace']).toBe('/work');
  const output: unknown = goal.tasks.at(-1)?.output;
  expect(output).toMatchObject({ result: 'complete' });
  for (const form of ['report', 'markdown', 'sarif'] as const) {
    const digest =
      typeof output === 'object' && output !== null ? Reflect.get(output, form) : undefined;
    const chunks: Uint8Array[] = [];
    for await (const chunk of kernel.artifacts(scope).open(String(digest))) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    if (report === null) throw new Error('There is no report.');
    if (form === 'markdown') expect(text).toBe(renderMarkdown(report));
    else expect(JSON.parse(text)).toEqual(form === 'report' ? report : renderSarif(report));
  }
});

test.each([
  ['no role', { roles: [] }],
  ['a role twice', { roles: [scriptedRole('tests'), scriptedRole('tests')] }],
  ['a role that is no word', { roles: [{ ...scriptedRole('tests'), role: 'Tests!' }] }],
  ['a path out of the tree', { roles: [scriptedRole('tests')], paths: ['a/../b'] }],
  ['an absolute path', { roles: [scriptedRole('tests')], paths: ['/etc'] }],
  ['an empty scope', { roles: [scriptedRole('tests')], paths: [] }],
  ['a limit of nothing', { roles: [scriptedRole('tests')], limits: { maxFiles: 0 } }],
])('refuses %s', async (_what, options) => {
  const source = { identity: {}, open: () => Promise.reject(new Error('not opened')) };
  expect(() => createReview({ source, ...options })).toThrow(
    expect.objectContaining({ code: 'review/options-invalid' }),
  );
});

test('fails with the reason when the source cannot be read any more', async () => {
  const kernel = await open(temporaryDirectory());
  const source = await head(repositoryOf({ 'a.ts': '1\n' }));
  const gone = {
    identity: source.identity,
    open: () => gitCommit({ repository: '/nowhere', commit: 'HEAD', env: process.env }),
  };
  const run = await startReview(
    { kernel, scope, clock: systemClock },
    {
      reviewId: 'r',
      // What cannot even be opened never becomes a tree.
      review: createReview({
        source: { ...gone, open: async (opening) => (await gone.open()).open(opening) },
        roles: [scriptedRole('tests')],
      }),
    },
  );
  const { goal, report } = await run.done;
  expect(report).toBeNull();
  expect(goal).toMatchObject({ state: 'failed', failure: { code: 'review/source-unreadable' } });
});

test('has a schema that refuses what is no SARIF', () => {
  const schema = readFileSync(
    join(import.meta.dirname, 'fixtures/sarif-2.1.0.schema.json'),
    'utf8',
  );
  expect(schema).toContain('SARIF) Version 2.1.0');
  expect(sarifProblems({ version: '2.1.0', runs: [{ results: [] }] })).not.toEqual([]);
});
