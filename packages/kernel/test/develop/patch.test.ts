import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { writePatch } from '../../src/develop/patch/write-patch.ts';
import { compareTrees, treeDigest } from '../../src/develop/tree/captured-tree.ts';
import { capture, git, makeTree, memoryStore, type Put, temporaryDirectory } from './trees.ts';

/** Applies the patch between two trees to the first with git, and gives what differs from the second. */
async function applied(
  before: Readonly<Record<string, Put>>,
  after: Readonly<Record<string, Put>>,
): Promise<{
  readonly differs: readonly unknown[];
  readonly patch: string;
  leftOut: readonly string[];
  inTheWay: readonly string[];
}> {
  const root = temporaryDirectory();
  const store = memoryStore();
  const [old, next] = [
    await capture(makeTree(join(root, 'old'), before), store.keep),
    await capture(makeTree(join(root, 'new'), after), store.keep),
  ];
  const patch = await writePatch(old, next, store);
  const text = Buffer.from(patch.bytes).toString('latin1');
  if (patch.files > 0 && patch.inTheWay.length === 0) {
    const file = join(root, 'the.patch');
    writeFileSync(file, patch.bytes);
    // git knows no empty directories, and none is where a file comes in a clone.
    execFileSync('find', [join(root, 'old'), '-mindepth', '1', '-type', 'd', '-empty', '-delete']);
    git(join(root, 'old'), ['apply', '--whitespace=nowarn', file]);
  }
  const made = await capture(join(root, 'old'));
  const directories = new Set(
    next.entries.filter(({ type }) => type === 'directory').map(({ path }) => path),
  );
  const left = new Set(patch.leftOut);
  return {
    differs: compareTrees(made, next).filter(
      ({ path, change }) => !left.has(path) && !(change === 'added' && directories.has(path)),
    ),
    patch: text,
    leftOut: patch.leftOut,
    inTheWay: patch.inTheWay,
  };
}

test('writes what git writes for a change of text', async () => {
  const [before, after] = ['one\ntwo\nthree\nfour\nfive\n', 'one\ntwo\n3\nfour\nfive\nsix\n'];
  const { patch } = await applied(
    { 'src/sum.js': { content: before } },
    { 'src/sum.js': { content: after } },
  );
  const repository = makeTree(temporaryDirectory(), { 'src/sum.js': { content: before } });
  git(repository, ['init', '-q']);
  git(repository, ['add', '.']);
  makeTree(repository, { 'src/sum.js': { content: after } });
  expect(patch).toBe(git(repository, ['diff', '--full-index']));
});

const cases: readonly (readonly [string, Record<string, Put>, Record<string, Put>])[] = [
  ['a new file', {}, { 'a/b.txt': { content: 'x\n' } }],
  ['an empty new file', {}, { empty: { content: '' } }],
  ['a removed file', { a: { content: 'x\n' }, b: { content: '' } }, {}],
  ['a last line without a feed', { a: { content: 'x\ny' } }, { a: { content: 'x\ny\nz' } }],
  ['a feed that was lost', { a: { content: 'x\ny\n' } }, { a: { content: 'x\ny' } }],
  ['an executable bit', { a: { content: 'x' } }, { a: { content: 'x', executable: true } }],
  ['bit and content', { a: { content: 'x\n' } }, { a: { content: 'y\n', executable: true } }],
  ['carriage returns', { a: { content: 'x\r\ny\rz\n' } }, { a: { content: 'x\n\ry\rz\r\n' } }],
  [
    'bytes',
    { a: { content: Buffer.from([0, 1, 2, 255]) } },
    { a: { content: Buffer.from(Array.from({ length: 4000 }, (_, n) => (n * n * 31) % 256)) } },
  ],
  ['new bytes', {}, { a: { content: Buffer.from([0, 7]), executable: true } }],
  ['removed bytes', { a: { content: Buffer.alloc(70) } }, {}],
  ['bytes to nothing', { a: { content: Buffer.alloc(9) } }, { a: { content: '' } }],
  [
    'text that is no UTF-8',
    { a: { content: Buffer.from([0xff, 10, 65]) } },
    { a: { content: Buffer.from([0xfe, 10, 65]) } },
  ],
  ['a link', { b: { content: 'x' } }, { b: { content: 'x' }, a: { link: 'b' } }],
  ['a link elsewhere', { a: { link: 'b' } }, { a: { link: 'c' } }],
  [
    'a link for a file',
    { a: { content: 'x\n' }, b: { content: '' } },
    { a: { link: 'b' }, b: { content: '' } },
  ],
  ['a file for a link', { a: { link: 'b' } }, { a: { content: 'x\n' } }],
  ['a directory for a file', { a: { content: 'x\n' } }, { 'a/b': { content: 'y\n' } }],
  ['a file for a directory', { 'a/b': { content: 'y\n' } }, { a: { content: 'x\n' } }],
  [
    'names with blanks, quotes, feeds and letters of others',
    { 'a b': { content: 'x\n' }, 'q"\\': { content: 'x\n' }, 'ä\n\t': { content: 'x\n' } },
    {
      'a b': { content: 'y\n' },
      'q"\\': { content: 'y\n' },
      'ä\n\t': { content: 'y\n' },
      ' ': { content: '1' },
    },
  ],
  [
    'two hunks',
    { a: { content: Array.from({ length: 40 }, (_, n) => `${n}\n`).join('') } },
    {
      a: {
        content: Array.from({ length: 40 }, (_, n) =>
          n === 3 || n === 33 ? 'x\n' : `${n}\n`,
        ).join(''),
      },
    },
  ],
];

test.each(cases)(
  'a patch with %s makes the second tree of the first with git apply',
  async (_what, before, after) => {
    expect((await applied(before, after)).differs).toEqual([]);
  },
);

test('names the empty directories that a patch cannot hold', async () => {
  const { leftOut, patch } = await applied(
    { gone: { empty: true }, 'kept/a': { content: 'x' } },
    { new: { empty: true }, 'kept/a': { content: 'x' } },
  );
  expect([leftOut, patch]).toEqual([['gone', 'new'], '']);
});

test('names the links that git would follow where a directory takes their place', async () => {
  const { inTheWay } = await applied(
    { b: { link: 'c' }, 'c/a': { content: 'x' } },
    { 'b/a': { content: 'y' }, 'c/a': { content: 'x' } },
  );
  expect(inTheWay).toEqual(['b']);
});

const name = fc.constantFrom('a', 'b', 'c', 'd e', 'ü');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const put: fc.Arbitrary<Put> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      content: fc
        .array(fc.constantFrom('x', 'y', 'z', '\n', 'line\n', '\r\n'), { maxLength: 12 })
        .map((parts) => parts.join('')),
      executable: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ content: fc.uint8Array({ maxLength: 200 }), executable: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.constantFrom('a', 'b', 'nothing').map((link) => ({ link })) },
  { weight: 1, arbitrary: fc.constant({ empty: true } as const) },
);
const tree = fc.dictionary(path, put, { maxKeys: 8 }).map(withoutClashes);

/** A path below a file cannot be. */
function withoutClashes(entries: Record<string, Put>): Record<string, Put> {
  const kept: Record<string, Put> = {};
  for (const [one, what] of Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const parts = one.split('/');
    const above = parts.map((_, length) => parts.slice(0, length).join('/')).slice(1);
    if (above.every((folder) => kept[folder] === undefined || 'empty' in (kept[folder] ?? {}))) {
      kept[one] = what;
    }
  }
  return kept;
}

test('the patch between any two trees makes the second of the first', {
  tags: ['slow'],
}, async () => {
  await fc.assert(
    fc.asyncProperty(tree, tree, async (before, after) => {
      const { differs, inTheWay } = await applied(before, after);
      if (inTheWay.length === 0) expect(differs).toEqual([]);
    }),
    { numRuns: Number(process.env['MILLFORGE_PATCHES'] ?? 40), seed: 7 },
  );
});

test('the same trees have the same digest, and every difference another', async () => {
  const root = temporaryDirectory();
  const entries = { 'a/b': { content: 'x' }, c: { link: 'a' } };
  const first = treeDigest(await capture(makeTree(join(root, 'one'), entries)));
  expect(treeDigest(await capture(makeTree(join(root, 'two'), entries)))).toBe(first);
  const others: readonly Record<string, Put>[] = [
    { ...entries, 'a/b': { content: 'y' } },
    { ...entries, 'a/b': { content: 'x', executable: true } },
    { ...entries, c: { link: 'a/b' } },
    { ...entries, d: { empty: true } },
    { 'a/b': { content: 'x' } },
  ];
  for (const [index, other] of others.entries()) {
    const made = await capture(makeTree(join(root, `other-${index}`), other));
    expect(treeDigest(made)).not.toBe(first);
  }
});
