import { mkdirSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type ToolWorld, textOf, toolWorld, until } from './tool-world.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

const PIECE = 1024 * 1024;

test('finds the same wherever a piece of a file ends (KB-35)', { tags: ['slow'] }, async () => {
  const world = await toolWorld();
  const tails = ['é🙂 hit\r\n', 'plain\nhit é\n', '\n\nhit', 'hit\n日本 hit\n', 'last line hit'];
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: PIECE - 24, max: PIECE + 4 }),
      fc.constantFrom(...tails),
      fc.nat({ max: 2 }),
      async (length, tail, context) => {
        const lines = Math.floor(length / 64);
        const head = `${'x'.repeat(63)}\n`.repeat(lines) + 'y'.repeat(length % 64);
        await writeFile(world.path('f'), `${head}${tail}`);
        const all = `${head}${tail}`.split('\n');
        if (all.at(-1) === '') all.pop();
        const isHit = all.map((line) => line.includes('hit'));
        const rows = all.flatMap((line, at) => {
          const isNear = isHit.slice(Math.max(0, at - context), at + context + 1).includes(true);
          const mark = isHit[at] === true ? ':' : '-';
          return isNear ? [`f${mark}${at + 1}${mark} ${line.replaceAll('\r', '')}`] : [];
        });
        expect(textOf(await world.call('grep', { pattern: 'hit', context }))).toBe(rows.join('\n'));
      },
    ),
    { numRuns: 20 },
  );
});

test('reads text of two bytes per unit across pieces (KB-35)', async () => {
  const world = await treeOf({
    f: Buffer.from(`\uFEFF${`${'\u0a00x'.repeat(30)}\n`.repeat(20_000)}the hit\n`, 'utf16le'),
  });
  expect(textOf(await world.call('grep', { pattern: 'hit' }))).toBe('f:20001: the hit');
});

test('looks at the beginning of a line that is longer than memory should hold', async () => {
  const world = await treeOf({ f: `hit ${'x'.repeat(20 * PIECE)} tail\nhit two\n` });
  const text = textOf(await world.call('grep', { pattern: 'hit' }));
  expect(text).toMatch(/^f:1: hit x{496}\.\.\. \[truncated\]\nf:2: hit two\n\n\[Some lines/);
  expect(textOf(await world.call('grep', { pattern: 'tail' }))).toBe('No matches found');
});

test('ends a file at a NUL that comes late, and drops one where it comes early', async () => {
  const filler = 'filler\n'.repeat(10_000);
  const world = await treeOf({
    early: `hit\n\0${filler}`,
    late: `hit one\n${filler}hit two\0\nhit three\n`,
  });
  expect(textOf(await world.call('grep', { pattern: 'hit' }))).toBe('late:1: hit one');
});

test('meets a limit exactly, whatever the tree (KB-30)', { tags: ['slow'] }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 30 }),
      async (counts, limit) => {
        const world = await treeOf(
          Object.fromEntries(
            counts.map((count, at) => [`${at}`.padStart(2, '0'), 'hit\n'.repeat(count)]),
          ),
        );
        const rows = counts.flatMap((count, at) =>
          Array.from(
            { length: count },
            (_, line) => `${`${at}`.padStart(2, '0')}:${line + 1}: hit`,
          ),
        );
        const notice = `\n\n[${limit} matches limit reached. Use limit=${limit * 2} for more, or refine pattern]`;
        expect(textOf(await world.call('grep', { pattern: 'hit', limit }))).toBe(
          rows.length === 0
            ? 'No matches found'
            : rows.slice(0, limit).join('\n') + (rows.length > limit ? notice : ''),
        );
      },
    ),
    { numRuns: 15 },
  );
});

test('does without a ripgrep that fails, and takes nothing from the settings of one (KB-34)', async () => {
  const names = Array.from({ length: 300 }, (_, at) => [`f${at}`, at % 100 === 99 ? 'hit\n' : '']);
  const files: Files = Object.fromEntries(names);
  const scripts = await treeOf({
    loud: '#!/bin/sh\nprintf "./f1\\0"\necho something else >&2\nexit 2\n',
    killed: '#!/bin/sh\nkill -9 $$\n',
  });
  for (const name of ['loud', 'killed']) await chmod(scripts.path(name), 0o755);
  await writeFile(scripts.path('config'), '--invert-match\n');
  vi.stubEnv('RIPGREP_CONFIG_PATH', scripts.path('config'));
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const ripgrep of [scripts.path('loud'), scripts.path('killed'), '/nowhere/rg', undefined]) {
    const world = await treeOf(files, ripgrep === undefined ? {} : { ripgrep });
    expect(textOf(await world.call('grep', { pattern: 'hit' }))).toBe(
      'f199:1: hit\nf299:1: hit\nf99:1: hit',
    );
  }
});

test('gives the same rows of many files, however few it asks ripgrep about at once (KB-49)', {
  tags: ['slow'],
}, async () => {
  const world = await toolWorld();
  // More than one question holds; the limits are met in the first, in a later one, and not at all.
  for (let at = 0; at < 5000; at++) {
    if (at < 9) mkdirSync(world.path(`d${at}`));
    writeFileSync(world.path(`d${at % 9}/f${at}`), at % 70 === 0 ? 'hit\nhit\n' : 'nothing\n');
  }
  const plain = await toolWorld({ ripgrep: null });
  // The last two are for ripgrep alone: one of unknown time, and one without any text that it must hold.
  for (const [pattern, ...limits] of [
    ['hit', 40, 143, 1000],
    ['h.t$', 40, 143],
    ['(h+i?)+t', 143],
    ['[h]it', 143],
  ] as const) {
    for (const limit of limits) {
      const input = { pattern, path: world.workspace, limit };
      expect(await world.call('grep', input)).toEqual(await plain.call('grep', input));
    }
  }
  const none = { pattern: 'no such text', path: world.workspace };
  expect(textOf(await world.call('grep', none))).toBe('No matches found');
});

test.each([
  ['nothing was found', 300, ''],
  ['this thread looks as well', 3000, 'hit\n'],
])(
  'ends ripgrep when the call is stopped while %s (KB-42)',
  { tags: ['slow'] },
  async (_, count, rare) => {
    const world = await treeOf(
      Object.fromEntries(
        Array.from({ length: count }, (__, at) => [`f${at}`, at % 60 === 0 ? rare : '']),
      ),
    );
    const program = world.path('rg');
    await writeFile(program, `#!/bin/sh\necho $$ > ${world.path('pid')}\nexec sleep 60\n`, {
      mode: 0o755,
    });
    const slow = await toolWorld({ ripgrep: program });
    const stop = new AbortController();
    const call = slow.call(
      'grep',
      { pattern: 'hit', path: world.workspace },
      { signal: stop.signal },
    );
    const pid = async () => (await readFile(world.path('pid'), 'utf8').catch(() => '')).trim();
    await until(async () => (await pid()) !== '');
    stop.abort();
    expect(await call).toMatchObject({ kind: 'failed', code: 'cancelled' });
    const id = Number(await pid());
    await until(() => !isAlive(id));
  },
);

test('shows names that are no text, and searches in such files (KB-44)', async () => {
  const world = await treeOf({});
  const odd = Buffer.concat([Buffer.from(world.path('a')), Buffer.from([0xff])]);
  await writeFile(odd, 'hit\n');
  expect(textOf(await world.call('find', { pattern: 'a*' }))).toBe('a\\xff');
  expect(textOf(await world.call('ls', {}))).toBe('a\\xff');
  expect(textOf(await world.call('grep', { pattern: 'hit' }))).toBe('a\\xff:1: hit');
});

test('gives correct paths under the root of the file system (KB-40)', async () => {
  const world = await toolWorld();
  const text = textOf(await world.call('find', { pattern: '/etc/passw?', path: '/' }));
  expect(text).toMatch(/^etc\/passwd$/);
});

test('matches words, digits and spaces by Unicode, and no byte that is no text', async () => {
  const world = await treeOf({
    a: 'naïve café\n٣\nx\u00a0y\n',
    b: Buffer.from('a\xffb\n', 'latin1'),
    c: 'a.b\r\n',
  });
  const grep = async (pattern: string) => textOf(await world.call('grep', { pattern }));
  expect(await grep('^\\w+ \\w+$')).toBe('a:1: naïve café');
  expect(await grep('^\\d$')).toBe('a:2: ٣');
  expect(await grep('x\\sy')).toBe('a:3: x\u00a0y');
  expect(await grep('\\bve\\b')).toBe('No matches found');
  expect(await grep('^a.b')).toBe('c:1: a.b');
  expect(await grep('(?<=caf)é')).toBe('a:1: naïve café');
});

test('takes as ignored what git does: excludes, the rules of the user, and nothing without a repository', async () => {
  const home = await treeOf({ '.config/git/ignore': '*.mine\n' });
  const files: Files = {
    '.gitignore': 'ig.txt\n',
    'ig.txt': 'hit\n',
    'b.mine': 'hit\n',
    c: 'hit\n',
  };
  const bare = await treeOf(files, { homeDirectory: home.workspace });
  expect(textOf(await bare.call('grep', { pattern: 'hit' }))).toBe(
    'b.mine:1: hit\nc:1: hit\nig.txt:1: hit',
  );
  await mkdir(bare.path('.git/info'), { recursive: true });
  expect(textOf(await bare.call('grep', { pattern: 'hit' }))).toBe('c:1: hit');
  await writeFile(bare.path('.git/info/exclude'), 'c\n');
  expect(textOf(await bare.call('grep', { pattern: 'hit' }))).toBe('No matches found');
});

test('ends rules where a repository begins (KB-39)', async () => {
  const world = await treeOf({
    '.git/HEAD': '',
    '.gitignore': '*.log\n',
    'a.log': '',
    'nested/.git/HEAD': '',
    'nested/b.log': '',
    'plain/c.log': '',
  });
  expect(textOf(await world.call('find', { pattern: '*.log' }))).toBe('nested/b.log');
});

test('stays the same from run to run (KB-49)', async () => {
  const world = await treeOf(
    Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`d${at % 7}/f${at}`, 'hit\n'])),
  );
  await symlink('d0', world.path('link'));
  for (const [tool, input] of [
    ['grep', { pattern: 'hit', limit: 280 }],
    ['find', { pattern: 'f*', limit: 280 }],
  ] as const) {
    const first = textOf(await world.call(tool, input));
    expect(textOf(await world.call(tool, input))).toBe(first);
    const rows = first
      .split('\n')
      .slice(0, 280)
      .map((row) => row.split(':')[0]);
    expect(rows).toEqual(rows.toSorted(byBytes));
  }
});

test('finds in a tree with few hits what git keeps, and not what it ignores', async () => {
  const world = await treeOf({
    '.git/config': 'hit\n',
    // To git these braces stand for themselves.
    '.gitignore': '*.{ts,md}\nbuild/\n*.log\n!keep.log\n',
    'z/.ignore': 'own.txt\n',
    'z/a.ts': 'hit\n',
    'z/a.{ts,md}': 'hit\n',
    'z/b.log': 'hit\n',
    'z/build/c.txt': 'hit\n',
    'z/keep.log': 'hit\n',
    'z/own.txt': 'hit\n',
  });
  for (let file = 0; file < 200; file++) writeFileSync(world.path(`${file}.txt`), 'nothing\n');
  const found = textOf(await world.call('grep', { pattern: 'hit' }));
  expect(found).toBe('z/a.ts:1: hit\nz/keep.log:1: hit');
  await writeFile(world.path('.gitignore'), 'build/\n*.log\n!keep.log\n');
  const plain = textOf(await world.call('grep', { pattern: 'hit' }));
  expect(plain).toBe('z/a.ts:1: hit\nz/a.{ts,md}:1: hit\nz/keep.log:1: hit');
});

function byBytes(left = '', right = ''): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

async function treeOf(files: Files, options = {}): Promise<ToolWorld> {
  const world = await toolWorld(options);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(world.path(name)), { recursive: true });
    await writeFile(world.path(name), content);
  }
  return world;
}
