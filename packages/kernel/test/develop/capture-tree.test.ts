import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MillforgeError } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { captureTree } from '../../src/develop/tree/capture-tree.ts';
import { compareTrees } from '../../src/develop/tree/captured-tree.ts';
import { compilePathRules, isPathRule } from '../../src/develop/tree/path-rules.ts';
import { placeTree } from '../../src/develop/tree/place-tree.ts';
import { capture, makeTree, memoryStore, temporaryDirectory } from './trees.ts';

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return MillforgeError.is(error) ? `${error.code} ${error.message}` : String(error);
  }
  return 'nothing was thrown';
}

test('places a captured tree exactly, in place of whatever was there', async () => {
  const root = temporaryDirectory();
  const store = memoryStore();
  const tree = await capture(
    makeTree(join(root, 'from'), {
      'a/b': { content: 'x', executable: true },
      'a/link': { link: 'b' },
      empty: { empty: true },
    }),
    store.keep,
  );
  const directory = join(root, 'to');
  makeTree(directory, { a: { content: 'a file where a directory comes' }, other: { content: '' } });
  makeTree(`${directory}.unfinished`, { left: { content: 'by a crash' } });
  await placeTree(tree, { directory, store });
  expect(compareTrees(tree, await capture(directory))).toEqual([]);
});

const leaving = ['/etc/passwd', '../outside', 'a/../../outside', 'a/../b', './b', '..'];
test.each(leaving)('refuses a link to %s', async (target) => {
  const root = makeTree(join(temporaryDirectory(), 'tree'), { b: { content: '' } });
  symlinkSync(target, join(root, 'link'));
  expect(await codeOf(capture(root))).toMatch(/^develop\/tree-refused .*"link"/);
});

test('takes a link that goes up and stays', async () => {
  const root = makeTree(temporaryDirectory(), { 'a/b': { link: '../c' }, c: { content: '' } });
  expect((await capture(root)).entries).toContainEqual({
    path: 'a/b',
    type: 'link',
    target: '../c',
  });
});

test('refuses a pipe, and does not wait for it', async () => {
  const root = temporaryDirectory();
  execFileSync('mkfifo', [join(root, 'pipe')]);
  expect(await codeOf(capture(root))).toMatch(/^develop\/tree-refused .*"pipe"/);
});

test('refuses a name that is no UTF-8', async () => {
  const root = temporaryDirectory();
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff])]), '');
  expect(await codeOf(capture(root))).toMatch(/^develop\/tree-refused .*no UTF-8/);
});

test.skipIf(process.getuid?.() === 0)('refuses what cannot be read', async () => {
  const root = makeTree(temporaryDirectory(), { secret: { content: 'x' } });
  chmodSync(join(root, 'secret'), 0);
  expect(await codeOf(capture(root))).toMatch(/^develop\/tree-refused .*"secret"/);
});

const FOR_PATCH = { isIgnored: () => false, isForPatch: true };
const gitNames = ['.GIT', 'GIT~1', '.git.', '.git ', '.git::$INDEX_ALLOCATION', '.g\u200cit'];

test.each(gitNames)('takes no %j into a patch, which git would not apply', async (name) => {
  const root = makeTree(join(temporaryDirectory(), 'tree'), { [`a/${name}/x`]: { content: 'x' } });
  expect(await codeOf(captureTree(root, FOR_PATCH))).toMatch(
    /^develop\/tree-refused .*takes for its own/,
  );
  const linked = makeTree(join(temporaryDirectory(), 'tree'), { '.GitModules': { link: 'a' } });
  expect(await codeOf(captureTree(linked, FOR_PATCH))).toMatch(/"\.GitModules"/);
  const alike = makeTree(temporaryDirectory(), {
    '.gitignore': { content: '' },
    '.gitmodules': { content: '' },
    'x.git': { content: '' },
    'git~10': { content: '' },
  });
  expect((await captureTree(alike, FOR_PATCH)).entries).toHaveLength(4);
});

/** Captures a tree in which each of the first walks meets a name whose file is gone. */
async function captureChanging(walks: number) {
  const content = { content: '' };
  const root = makeTree(temporaryDirectory(), {
    a: content,
    b1: content,
    b2: content,
    b3: content,
  });
  let walk = 0;
  return captureTree(root, {
    isIgnored(path) {
      if (path === 'a') walk += 1;
      if (path === 'a' && walk <= walks) rmSync(join(root, `b${walk}`));
      return false;
    },
  });
}

test('begins anew when the tree changes under the walk, and gives up after three', async () => {
  const { entries } = await captureChanging(2);
  expect(entries.map(({ path }) => path)).toEqual(['a', 'b3']);
  expect(await codeOf(captureChanging(3))).toMatch(/^develop\/unstable-tree /);
});

test.runIf(process.platform === 'linux')(
  'does not take a file whose size is not that of its content',
  async () => {
    expect(await codeOf(capture('/proc/self/fdinfo'))).toMatch(/^develop\/unstable-tree /);
  },
);

test('leaves out what the rules name', () => {
  const isMeant = compilePathRules(['dist', '**/node_modules', 'src/*.js', 'a.b']);
  const paths = [
    'dist',
    'dist/a/b',
    'packages/dist',
    'distance',
    'node_modules/a',
    'a/node_modules',
    'src/a.js',
    'src/a/b.js',
    'a.b',
    'aXb',
  ];
  expect(paths.filter(isMeant)).toEqual([
    'dist',
    'dist/a/b',
    'node_modules/a',
    'a/node_modules',
    'src/a.js',
    'a.b',
  ]);
});

test('knows what is no rule', () => {
  const rules = [
    'src',
    '**',
    '**/a',
    'a/*',
    '',
    '/a',
    'a/',
    '../a',
    'a/**',
    'a//b',
    'a\\b',
    './a',
    '*a*a*a*a*',
  ];
  expect(rules.filter(isPathRule)).toEqual(['src', '**', '**/a', 'a/*']);
});

test('refuses a link in the place of the tree', async () => {
  const root = temporaryDirectory();
  makeTree(join(root, 'elsewhere'), { a: { content: 'x' } });
  symlinkSync('elsewhere', join(root, 'tree'));
  expect(await codeOf(capture(join(root, 'tree')))).toMatch(/^develop\/tree-refused /);
});
