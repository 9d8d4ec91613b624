import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ToolWorld, textOf, toolWorld } from './tool-world.ts';

const RUNS = Number(process.env['MILLFORGE_SEARCH_RUNS'] ?? 6);

const name = fc.constantFrom(
  'a.ts',
  'b.ts',
  'B.TS',
  'sp ace.md',
  'é.ts',
  '日本.md',
  '.hidden',
  'x.log',
  'keep.log',
  'build',
  '-dash',
  'new\nline.ts',
  'pic.png',
  '[x].ts',
  '{y}.ts',
);
const folder = fc.constantFrom(
  '',
  'src/',
  'src/deep/',
  'build/',
  'sp ace/',
  'é/',
  '.dot/',
  'a/b/c/',
);
const line = fc.constantFrom(
  'hit one',
  'HIT two',
  'nothing',
  'café 12 hit',
  'a.b(c)',
  '  indented hit\r',
  'x'.repeat(600),
  `${'y'.repeat(495)}🙂hit`,
  'k\u212a ſ',
  '',
  'aaa\tbbb',
  '٣ digits',
);
const lines = fc
  .tuple(
    fc.array(line, { maxLength: 12 }),
    fc.constantFrom('\n', ''),
    fc.constantFrom('\n', '\r\n'),
  )
  .map(([all, end, feed]) => Buffer.from(all.join(feed) + end));
const content = fc.oneof(
  { weight: 8, arbitrary: lines },
  { weight: 1, arbitrary: lines.map((text) => Buffer.concat([text, Buffer.from([0]), text])) },
  {
    weight: 1,
    arbitrary: lines.map((text) =>
      Buffer.concat([text, Buffer.alloc(70_000, 'z\n'), Buffer.from('hit\0hit\nhit\n')]),
    ),
  },
  {
    weight: 1,
    arbitrary: lines.map((text) => Buffer.concat([text, Buffer.from('a\xffb hit\n', 'latin1')])),
  },
  { weight: 1, arbitrary: lines.map((text) => Buffer.concat([Buffer.from('\uFEFF'), text])) },
  { weight: 1, arbitrary: lines.map((text) => Buffer.from(`\uFEFF${text.toString()}`, 'utf16le')) },
);
const rules = fc
  .array(
    fc.constantFrom(
      '*.log',
      '!keep.log',
      'build/',
      '/src/deep',
      '**/deep/*.md',
      'src/*.ts',
      '# x',
      '*.{ts,md}',
      '[ab].ts',
      'sp*',
      '\\[x\\].ts',
      'a/**/a.ts',
      'a/**',
      '!a/b',
      '?.ts',
      'é*',
      '.*',
      '!.gitignore',
      'keep.log  ',
    ),
    { maxLength: 5 },
  )
  .map((all) => Buffer.from(`${all.join('\n')}\n`));
const tree = fc.tuple(
  fc.dictionary(
    fc.tuple(folder, name).map(([at, file]) => at + file),
    content,
    { minKeys: 1, maxKeys: 20, noNullPrototype: true },
  ),
  fc.dictionary(
    fc
      .tuple(folder, fc.constantFrom('.gitignore', '.gitignore', '.ignore', '.rgignore'))
      .map(([at, file]) => at + file),
    rules,
    { maxKeys: 4, noNullPrototype: true },
  ),
  fc.boolean(),
);
const pattern = fc.constantFrom(
  'hit',
  'hit$',
  '^hit',
  'h.t',
  '\\bhit\\b',
  '\\w+é',
  'caf\\w',
  '\\d+',
  '[^a-z ]+',
  '(hit|HIT) (one|two)',
  'a\\.b\\(c\\)',
  'a.b',
  'x{500,}',
  '^$',
  '\\s+hit',
  'hit\\s*$',
  '[[:upper:]]{3}',
  '\\Bit',
  'i[\\w]t?',
  'nothing|\\S+🙂',
  '(?i)hIt',
  '(?=h)hit',
  '',
  'k',
  '\\x68it',
  'a{',
);
const query = fc.record(
  {
    pattern,
    glob: fc.constantFrom(
      '*.ts',
      '**/*.md',
      'src/**',
      './src/*.ts',
      '!*.log',
      '*.{ts,log}',
      'src/',
      '[ab].ts',
      '?.ts',
    ),
    ignoreCase: fc.boolean(),
    literal: fc.boolean(),
    context: fc.nat({ max: 3 }),
    limit: fc.integer({ min: 1, max: 30 }),
  },
  { requiredKeys: ['pattern'] },
);

test('gives the same rows with ripgrep and without (KB-49)', {
  tags: ['slow'],
  timeout: 60_000 + RUNS * 10_000,
}, async () => {
  const plain = await toolWorld({ ripgrep: null });
  await fc.assert(
    fc.asyncProperty(
      tree,
      fc.array(query, { minLength: 6, maxLength: 12 }),
      fc.constantFrom(0, 40, 250),
      async (files, asked, every) => {
        const world = await worldOf(files);
        await fill(world, every);
        for (const input of asked) {
          const rows = await world.call('grep', input);
          expect(rows).toEqual(await plain.call('grep', { ...input, path: world.workspace }));
        }
      },
    ),
    { numRuns: RUNS },
  );
});

test('finds what git lists (KB-39, KB-43)', {
  tags: ['slow'],
  timeout: 60_000 + RUNS * 10_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(tree, async ([files, ignores]) => {
      const gitOnly = Object.fromEntries(
        Object.entries(ignores).filter(([path]) => path.endsWith('.gitignore')),
      );
      const world = await worldOf([files, gitOnly, true]);
      const listed = execFileSync('git', ['ls-files', '-o', '-z', '--exclude-standard'], {
        cwd: world.workspace,
        env: { PATH: process.env['PATH'], HOME: world.workspace },
      });
      const expected = listed
        .toString()
        .split('\0')
        .filter((path) => path !== '');
      const text = textOf(await world.call('find', { pattern: '*', limit: 10_000 }));
      const found = text.split('\n').filter((path) => !path.endsWith('/'));
      expect(found).toEqual(
        expected
          .toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
          .map((path) => path.replaceAll('\n', '\\n')),
      );
    }),
    { numRuns: RUNS },
  );
});

async function worldOf([files, ignores, isRepository]: readonly [
  Readonly<Record<string, Buffer>>,
  Readonly<Record<string, Buffer>>,
  boolean,
]): Promise<ToolWorld> {
  const world = await toolWorld();
  if (isRepository) {
    execFileSync('git', ['init', '-q', world.workspace], { stdio: 'ignore' });
    await mkdir(world.path('.git/info'), { recursive: true });
    await writeFile(world.path('.git/info/exclude'), 'B.TS\n');
  }
  for (const [path, bytes] of Object.entries({ ...files, ...ignores })) {
    try {
      await mkdir(dirname(world.path(path)), { recursive: true });
      await writeFile(world.path(path), bytes);
    } catch {
      // The names are drawn at random: one may be a file here and a folder there.
    }
  }
  await symlink('a.ts', world.path('link.ts'));
  await symlink('.', world.path('loop'));
  return world;
}

/**
 * So many files before all others that those are looked through ahead: by ripgrep in the whole tree where none
 * of these has a hit, else by this thread or by ripgrep, going by how many have.
 */
async function fill(world: ToolWorld, every: number): Promise<void> {
  await mkdir(world.path('!fill'));
  for (let file = 0; file < 256; file++) {
    const text = every > 0 && file % every === 0 ? 'a hit in one of many\n' : '';
    writeFileSync(world.path(`!fill/${file}.ts`), text);
  }
}
