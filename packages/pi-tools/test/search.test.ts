import { execFileSync } from 'node:child_process';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { type ToolWorld, textOf, toolWorld } from './tool-world.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

const TREE: Files = {
  'a.txt': 'one\ntwo\n',
  'b.ts': '',
  'A.TS': '',
  '.env': '',
  '.hid/h.ts': '',
  'src/x.ts': '',
  'src/x.spec.ts': '',
  'src/deep/y.ts': '',
  'pkg/src/z.ts': '',
  '[x].ts': '',
  '!neg.ts': '',
  'sp ace.ts': '',
};

test.each([
  [
    '*.ts',
    '!neg.ts|.hid/h.ts|[x].ts|b.ts|pkg/src/z.ts|sp ace.ts|src/deep/y.ts|src/x.spec.ts|src/x.ts',
  ],
  ['**/*.spec.ts', 'src/x.spec.ts'],
  ['src/*.ts', 'src/x.spec.ts|src/x.ts'],
  ['./src/*.ts', 'src/x.spec.ts|src/x.ts'],
  ['**/src/*.ts', 'pkg/src/z.ts|src/x.spec.ts|src/x.ts'],
  ['src', 'pkg/src/|src/'],
  ['src/', 'pkg/src/|src/'],
  ['src/**', 'src/deep/|src/deep/y.ts|src/x.spec.ts|src/x.ts'],
  ['A.TS', 'A.TS'],
  ['a.ts', 'No files found matching pattern'],
  ['{a,b}.*', 'a.txt|b.ts'],
  ['\\[x\\].ts', '[x].ts'],
  ['!neg.ts', '!neg.ts'],
  ['.*', '.env|.hid/'],
  ['nothing', 'No files found matching pattern'],
])(
  'finds %s, sorted, relative to the search folder (KB-37, KB-38, KB-49)',
  async (pattern, rows) => {
    const world = await treeOf(TREE);
    expect(textOf(await world.call('find', { pattern })).split('\n')).toEqual(rows.split('|'));
  },
);

test('finds by absolute pattern and below a named folder', async () => {
  const world = await treeOf(TREE);
  expect(textOf(await world.call('find', { pattern: world.path('src/*.ts') }))).toBe(
    'src/x.spec.ts\nsrc/x.ts',
  );
  expect(textOf(await world.call('find', { pattern: '*.ts', path: 'src/deep' }))).toBe('y.ts');
});

test('leaves ignored files out, by nested rules, and version control always (KB-43)', async () => {
  const world = await treeOf({
    '.gitignore': 'ig/\n*.log\n',
    '.ignore': 'secret.txt\n',
    '.fdignore': 'fd.txt\n',
    'ig/z.txt': '',
    'a.log': '',
    'secret.txt': '',
    'fd.txt': '',
    '.git/config': '',
    'sub/.gitignore': '!keep.log\nonly.txt\n',
    'sub/keep.log': '',
    'sub/other.log': '',
    'sub/only.txt': '',
    'only.txt': '',
    'LOG.LOG': '',
  });
  const found = textOf(await world.call('find', { pattern: '*' }));
  expect(found.split('\n')).toEqual(
    '.fdignore|.gitignore|.ignore|LOG.LOG|only.txt|sub/|sub/.gitignore|sub/keep.log'.split('|'),
  );
  expect(textOf(await world.call('find', { pattern: '*', path: 'ig' }))).toBe('z.txt');
  expect(textOf(await world.call('find', { pattern: '*', path: '.git' }))).toBe('config');
});

test('applies the rules of the repository above, not those beyond it (KB-39)', async () => {
  const world = await treeOf({
    '.gitignore': '*',
    'repo/.git/info/exclude': 'private.txt\n',
    'repo/.gitignore': 'in/*.tmp\n',
    'repo/in/a.tmp': '',
    'repo/in/a.txt': '',
    'repo/in/private.txt': '',
  });
  expect(textOf(await world.call('find', { pattern: '*', path: 'repo/in' }))).toBe('a.txt');
});

test('says that there is more only if there is more (KB-30)', async () => {
  const world = await treeOf({ a: '', b: '', c: '' });
  expect(textOf(await world.call('find', { pattern: '*', limit: 3 }))).toBe('a\nb\nc');
  expect(textOf(await world.call('find', { pattern: '*', limit: 2 }))).toBe(
    'a\nb\n\n[2 results limit reached. Use limit=4 for more, or refine pattern]',
  );
  expect(textOf(await world.call('find', { pattern: '*', limit: 0 }))).toContain('a\n\n[1 results');
});

test('lists links without following them', async () => {
  const world = await treeOf({ 'd/f': '' });
  await symlink('d', world.path('link'));
  await symlink('nowhere', world.path('dangling'));
  expect(textOf(await world.call('find', { pattern: '**' }))).toBe('d/\nd/f\ndangling\nlink');
  expect(textOf(await world.call('find', { pattern: '*', path: 'link' }))).toBe('f');
});

test('keeps a name in one row (KB-44)', async () => {
  const world = await treeOf({ 'a\nb': 'x\n', ' sp ': '' });
  expect(textOf(await world.call('find', { pattern: '*' }))).toBe(' sp \na\\nb');
  expect(textOf(await world.call('grep', { pattern: 'x' }))).toBe('a\\nb:1: x');
  expect(textOf(await world.call('ls', {}))).toBe(' sp \na\\nb');
});

test('searches every file, sorted, with paths relative to the folder', async () => {
  const world = await treeOf({
    'b.txt': 'hit\nno\nhit 2\n',
    'a/c.txt': 'hit\r\n',
    '.hid/h.txt': 'hit',
    '.gitignore': 'ig/\n',
    'ig/z.txt': 'hit\n',
    '.git/x': 'hit\n',
  });
  expect(textOf(await world.call('grep', { pattern: 'hit' }))).toBe(
    '.hid/h.txt:1: hit\na/c.txt:1: hit\nb.txt:1: hit\nb.txt:3: hit 2',
  );
  expect(textOf(await world.call('grep', { pattern: 'hit', path: 'b.txt' }))).toBe(
    'b.txt:1: hit\nb.txt:3: hit 2',
  );
  expect(textOf(await world.call('grep', { pattern: 'hit', path: 'ig' }))).toBe('z.txt:1: hit');
  expect(textOf(await world.call('grep', { pattern: 'none' }))).toBe('No matches found');
});

test.each([
  [{ pattern: 'HIT', ignoreCase: true }, 'f:1: hit (a.b)'],
  [{ pattern: '(a.b)', literal: true }, 'f:1: hit (a.b)'],
  [{ pattern: '(axb)', literal: true }, 'No matches found'],
  [{ pattern: '^--pre=\\w+$' }, 'f:2: --pre=x'],
  [{ pattern: 'caf.$' }, 'f:3: café'],
  [{ pattern: '(?i)HIT' }, 'f:1: hit (a.b)'],
  [{ pattern: '^[[:alpha:]]+[[:space:]]' }, 'f:1: hit (a.b)'],
  [{ pattern: '\\A--(?P<name>p)re.*\\z' }, 'f:2: --pre=x'],
  [{ pattern: '\\-\\-pre' }, 'f:2: --pre=x'],
  [
    { pattern: 'hit\\|café' },
    'No matches found (\\| stands for the character; alternatives are written a|b)',
  ],
  [
    { pattern: 'b\\)\\n' },
    'No matches found (the search goes line by line, so \\n matches nothing)',
  ],
])('understands %o (KB-36)', async (input, rows) => {
  const world = await treeOf({ f: 'hit (a.b)\n--pre=x\ncafé\n' });
  expect(textOf(await world.call('grep', input))).toBe(rows);
});

test.each([
  ['*.ts', 'a.ts|src/b.ts'],
  ['src/*.ts', 'src/b.ts'],
  ['./src/*.ts', 'src/b.ts'],
  ['!*.txt', 'a.ts|src/b.ts'],
  ['*.{ts,txt}', 'a.ts|c.txt|src/b.ts'],
  ['src/', 'src/b.ts'],
  ['/src/*.ts', 'src/b.ts'],
])('filters files by %s, relative to the folder (KB-33)', async (glob, files) => {
  const world = await treeOf({ 'a.ts': 'x', 'src/b.ts': 'x', 'c.txt': 'x' });
  const rows = textOf(await world.call('grep', { pattern: 'x', glob })).split('\n');
  expect(rows.map((row) => row.split(':')[0])).toEqual(files.split('|'));
});

test('shows lines around a match, every line once (KB-35)', async () => {
  const world = await treeOf({ f: '1\nhit 2\n3\nhit 4\n5\n6\n7\n' });
  expect(textOf(await world.call('grep', { pattern: 'hit', context: 1 }))).toBe(
    'f-1- 1\nf:2: hit 2\nf-3- 3\nf:4: hit 4\nf-5- 5',
  );
  expect(textOf(await world.call('grep', { pattern: '^7', context: 2 }))).toBe(
    'f-5- 5\nf-6- 6\nf:7: 7',
  );
});

test('cuts matches, rows and bytes, and says each', async () => {
  const world = await treeOf({ f: `${'x'.repeat(499)}🙂end\n`.repeat(300) });
  const two = textOf(await world.call('grep', { pattern: 'x', limit: 2 }));
  expect(two).toMatch(
    /\n\n\[2 matches limit reached\. Use limit=4 for more, or refine pattern\. Some lines truncated to 500 chars\. Use read tool to see full lines\]$/,
  );
  expect(Buffer.from(two).toString()).toBe(two);
  expect(textOf(await world.call('grep', { pattern: 'x', limit: 300 }))).toContain(
    '\n\n[50.0KB limit reached. Some lines truncated',
  );
});

test('says nothing about a limit that is met exactly', async () => {
  const world = await treeOf({ a: 'x\n', b: 'x\n' });
  expect(textOf(await world.call('grep', { pattern: 'x', limit: 2 }))).toBe('a:1: x\nb:1: x');
  expect(textOf(await world.call('grep', { pattern: 'x', limit: 1 }))).toContain(
    '[1 matches limit',
  );
});

test('passes over binary files and reads wide text', async () => {
  const world = await treeOf({
    'bin.dat': new Uint8Array([120, 0, 120]),
    'ok.txt': 'x\n',
    'wide.txt': Buffer.from('\uFEFFx wide\n', 'utf16le'),
  });
  expect(textOf(await world.call('grep', { pattern: 'x' }))).toBe(
    'ok.txt:1: x\nwide.txt:1: x wide',
  );
  expect(textOf(await world.call('grep', { pattern: 'x', path: 'bin.dat' }))).toMatch(
    /^bin.dat:1: /,
  );
});

test('does not wait for a pipe or a device that is named', async () => {
  const world = await treeOf({ 'ok.txt': 'x\n' });
  execFileSync('mkfifo', [world.path('pipe')]);
  for (const path of [world.path('pipe'), '/dev/zero']) {
    expect(textOf(await world.call('grep', { pattern: 'x', path }))).toBe(
      'No matches found\n\n[Skipped 1 unreadable path(s)]',
    );
  }
});

test.skipIf(process.getuid?.() === 0)('skips closed folders and files (KB-32)', async () => {
  const world = await treeOf({ 'ok.txt': 'x\n', 'closed.txt': 'x\n', 'shut/f': 'x\n' });
  await chmod(world.path('closed.txt'), 0);
  await chmod(world.path('shut'), 0);
  expect(textOf(await world.call('grep', { pattern: 'x' }))).toBe(
    'ok.txt:1: x\n\n[Skipped 2 unreadable path(s)]',
  );
  await chmod(world.path('shut'), 0o700);
});

test('breaks off a pattern that backtracks without end', async () => {
  const world = await treeOf({ a: `${'a'.repeat(60)}!\n`, b: 'aa\n' });
  const pattern = '^(a+)+$';
  expect(textOf(await world.call('grep', { pattern }))).toBe(
    'b:1: aa\n\n[Skipped 1 file(s) on which the pattern takes too long]',
  );
  expect(await world.call('grep', { pattern, path: 'a' })).toMatchObject({
    kind: 'failed',
    code: 'invalid_arguments',
    text: expect.stringMatching(/takes too long to match/),
  });
});

test('matches a glob in time whatever it is', async () => {
  const world = await treeOf({ ['a'.repeat(200)]: 'a\n', [`${'a/'.repeat(60)}f`]: '' });
  for (const glob of [`${'*a'.repeat(60)}b*c`, `${'**/a/'.repeat(40)}b`]) {
    expect(textOf(await world.call('find', { pattern: glob }))).toMatch(/^No files found/);
    expect(textOf(await world.call('grep', { pattern: 'a', glob }))).toBe('No matches found');
  }
});

test('applies ignore rules in time whatever they are', async () => {
  const deep = `${'a/'.repeat(60)}f`;
  const world = await treeOf({
    '.gitignore': `x.log\n${'/**/a'.repeat(10)}/**/b\n`,
    [deep]: '',
    'x.log': '',
  });
  expect(textOf(await world.call('find', { pattern: 'f' }))).toBe(deep);
});

test('refuses a glob that is none, before it looks', async () => {
  const world = await treeOf({ f: '' });
  for (const pattern of ['[', 'a[b', '*.{ts', '*'.repeat(70_000)]) {
    expect(await world.call('find', { pattern })).toMatchObject({ code: 'invalid_arguments' });
    expect(await world.call('grep', { pattern: 'x', glob: pattern })).toMatchObject({
      code: 'invalid_arguments',
    });
  }
  expect(textOf(await world.call('find', { pattern: '{f,[]]}' }))).toBe('f');
});

test('refuses an expression that is none, and a path that is not there', async () => {
  const world = await treeOf({ f: '' });
  expect(await world.call('grep', { pattern: '(' })).toMatchObject({
    code: 'invalid_arguments',
    text: 'Invalid regular expression: ( (unterminated group). Mend it, or set literal to search for the text itself.',
  });
  for (const pattern of ['\\-\\h', 'a\nb']) {
    expect(await world.call('grep', { pattern })).toMatchObject({ code: 'invalid_arguments' });
  }
  for (const name of ['grep', 'find', 'ls']) {
    expect(await world.call(name, { pattern: 'x', path: 'no' })).toMatchObject({
      code: 'not_found',
      text: `Path not found: ${world.path('no')}`,
    });
  }
  expect(await world.call('find', { pattern: 'x', path: 'f' })).toMatchObject({
    text: `Not a directory: ${world.path('f')}`,
  });
});

test('lists a folder in the same order on every machine (KB-51)', async () => {
  const world = await treeOf({ b: '', B: '', a: '', 'Z/x': '', '.h': '', _u: '', é: '', '1': '' });
  await symlink('nowhere', world.path('gone'));
  await symlink('Z', world.path('link'));
  expect(textOf(await world.call('ls', {}))).toBe(
    '.h\n1\n_u\na\nB\nb\ngone (dangling link)\nlink/\nZ/\né',
  );
  expect(textOf(await world.call('ls', { limit: 2 }))).toBe(
    '.h\n1\n\n[2 entries limit reached. Use limit=4 for more]',
  );
  expect(await world.call('ls', { path: 'a' })).toMatchObject({
    text: `Not a directory: ${world.path('a')}`,
  });
});

test('lists an empty folder', async () => {
  const world = await treeOf({});
  expect(textOf(await world.call('ls', {}))).toBe('(empty directory)');
});

test('stops a search when it is told to (KB-42)', async () => {
  const world = await treeOf(TREE);
  for (const name of ['grep', 'find']) {
    const stopped = { signal: AbortSignal.abort() };
    expect(await world.call(name, { pattern: '*.x', literal: true }, stopped)).toMatchObject({
      kind: 'failed',
      code: 'cancelled',
    });
  }
});

async function treeOf(files: Files): Promise<ToolWorld> {
  const world = await toolWorld();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(world.path(name)), { recursive: true });
    await writeFile(world.path(name), content);
  }
  return world;
}
