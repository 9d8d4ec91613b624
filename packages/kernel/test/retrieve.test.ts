import { sha256 } from '@millforge/contracts';
import { captureRevision, type Kernel } from '@millforge/kernel';
import { array, assert, asyncProperty, constantFrom } from 'fast-check';
import { expect, test } from 'vitest';
import { open, scope, temporaryDirectory } from './fixture.ts';

const TREE = {
  'src/sum.js': 'export function sum(a, b) {\n  return a - b;\n}\n',
  'test/sum.test.js': "import { sum } from '../src/sum.js';\nassert(sum(1, 2) === 3);",
  'logo.png': '\u0000binary sum',
};

async function captured(tree: { readonly [path: string]: string } = TREE) {
  const kernel = await open(temporaryDirectory());
  return { kernel, revision: await capture(kernel, tree) };
}

async function capture(kernel: Kernel, tree: { readonly [path: string]: string }): Promise<string> {
  const files = Object.entries(tree).map(([path, content]) => ({
    path,
    bytes: Buffer.from(content),
  }));
  const ref = await captureRevision(kernel.artifacts(scope), {
    revision: 'commit 1',
    files,
    maxFileBytes: 1000,
  });
  return ref.sha256;
}

test('finds exact lines of one revision, with path, range and digests', async () => {
  const { kernel, revision } = await captured();
  const found = await kernel.retrieve(scope, { revision, pattern: 'a - b', limit: 10 });
  expect(found).toEqual({
    revision,
    quotes: [
      {
        artifact: sha256(TREE['src/sum.js']),
        path: 'src/sum.js',
        start_line: 2,
        end_line: 2,
        quote: '  return a - b;',
        sha256: sha256('  return a - b;'),
      },
    ],
    cut: false,
    skipped: [{ path: 'logo.png', reason: 'not-text' }],
  });
});

test('quotes all lines that a match goes over', async () => {
  const { kernel, revision } = await captured();
  const found = await kernel.retrieve(scope, { revision, pattern: 'b) {\n  return', limit: 1 });
  expect(found.quotes).toMatchObject([
    { start_line: 1, end_line: 2, quote: 'export function sum(a, b) {\n  return a - b;' },
  ]);
});

test('gives whole files by a part of their path', async () => {
  const { kernel, revision } = await captured();
  const { quotes } = await kernel.retrieve(scope, { revision, path: 'test/', limit: 10 });
  expect(quotes).toMatchObject([
    { path: 'test/sum.test.js', start_line: 1, end_line: 2, quote: TREE['test/sum.test.js'] },
  ]);
});

test('says when a limit cut what was found', async () => {
  const { kernel, revision } = await captured();
  const found = await kernel.retrieve(scope, { revision, pattern: 'sum', limit: 2 });
  expect(found.quotes).toHaveLength(2);
  expect(found.cut).toBe(true);
});

test('mixes no revisions', async () => {
  const { kernel, revision } = await captured();
  const later = await capture(kernel, { 'src/sum.js': 'export const sum = (a, b) => a + b;\n' });
  const old = await kernel.retrieve(scope, { revision, pattern: 'a + b', limit: 10 });
  const now = await kernel.retrieve(scope, { revision: later, pattern: 'a + b', limit: 10 });
  expect([old.quotes.length, now.quotes.length]).toEqual([0, 1]);
});

test('finds every line that holds the text, and quotes it as it stands', async () => {
  const letters = constantFrom('a', 'b', '\n', 'é');
  const texts = array(letters, { maxLength: 40 }).map((parts) => parts.join(''));
  const kernel = await open(temporaryDirectory());
  await assert(
    asyncProperty(texts, array(letters, { minLength: 1, maxLength: 2 }), async (content, parts) => {
      const pattern = parts.join('');
      const revision = await capture(kernel, { 'a.txt': content });
      const { quotes } = await kernel.retrieve(scope, { revision, pattern, limit: 1000 });
      const lines = content.split('\n');
      for (const { start_line, end_line, quote } of quotes) {
        expect(lines.slice(start_line - 1, end_line).join('\n')).toBe(quote);
      }
      if (pattern.includes('\n')) return;
      const holding = lines.flatMap((line, place) => (line.includes(pattern) ? [place + 1] : []));
      expect(quotes.map(({ start_line }) => start_line)).toEqual(holding);
    }),
    { numRuns: 40 },
  );
});

test.each([
  ['an empty pattern', { pattern: '' }],
  ['no limit', { pattern: 'x', limit: 0 }],
])('refuses %s', async (_what, query) => {
  const { kernel, revision } = await captured();
  await expect(kernel.retrieve(scope, { revision, limit: 1, ...query })).rejects.toMatchObject({
    code: 'artifact/invalid',
  });
});

test('refuses an artifact that is no revision, and one of another tenant', async () => {
  const { kernel, revision } = await captured();
  const file = sha256(TREE['src/sum.js']);
  await expect(
    kernel.retrieve(scope, { revision: file, pattern: 'x', limit: 1 }),
  ).rejects.toMatchObject({ code: 'artifact/invalid' });
  await expect(
    kernel.retrieve({ ...scope, tenant: 'other' }, { revision, pattern: 'x', limit: 1 }),
  ).rejects.toMatchObject({ code: 'artifact/not-found' });
});

test('refuses a path that comes twice', async () => {
  const kernel = await open(temporaryDirectory());
  const file = { path: 'a', bytes: Buffer.from('x') };
  await expect(
    captureRevision(kernel.artifacts(scope), {
      revision: 'r',
      files: [file, file],
      maxFileBytes: 1000,
    }),
  ).rejects.toMatchObject({ code: 'artifact/invalid' });
});
