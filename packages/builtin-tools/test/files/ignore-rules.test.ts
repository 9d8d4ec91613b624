import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { array, assert, asyncProperty, constantFrom, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { dataOf, toolWorld } from '../tool-world.ts';

const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const path = constantFrom(
  'a',
  'b.txt',
  'c/a',
  'c/b.txt',
  'c/d/a',
  'c/d/e.txt',
  'd/c/a',
  'f g',
  'x/y/z/a',
);
const pattern = constantFrom(
  'a',
  '*.txt',
  '/a',
  'c/',
  'c',
  'c/a',
  '/c/d',
  'd/',
  '**/a',
  'c/**',
  '**/d/**',
  'c/*/a',
  '*',
  '!a',
  '!*.txt',
  '!c/',
  '!/c/d/a',
  '# a',
  '\\#',
  '',
  'f g',
  'f g  ',
  '[ab]*',
  '[!a]',
  '?',
  'y/z',
  'x/**/a',
  '!**/z/',
);

test('what is listed is what git would not ignore (B-12)', { tags: ['slow'] }, async () => {
  let left = 0;
  await assert(
    asyncProperty(
      array(path, { minLength: 1, maxLength: 8 }),
      array(tuple(constantFrom('', 'c/', 'c/d/'), array(pattern, { maxLength: 4 })), {
        maxLength: 3,
      }),
      async (paths, files) => {
        const world = await toolWorld({}, PLACE);
        for (const one of paths) await world.write(one, '');
        for (const [folder, lines] of files)
          await world.write(`${folder}.gitignore`, lines.join('\n'));
        execFileSync('git', ['init', '--quiet'], { cwd: world.workspace });
        const args = ['ls-files', '--others', '--exclude-standard', '-z'];
        const listed = execFileSync('git', args, {
          cwd: world.workspace,
          encoding: 'utf8',
          env: { PATH: process.env['PATH'], HOME: world.folder, GIT_CONFIG_NOSYSTEM: '1' },
        });
        const expected = listed.split('\0').filter((one) => one !== '');
        const found = dataOf(await world.call('list_workspace_files', { root: '.' }))['paths'];
        expect(Array.isArray(found) ? found.map(String).toSorted() : found).toEqual(
          expected.toSorted(),
        );
        left += paths.length - expected.length;
      },
    ),
    { numRuns: Number(process.env['MILLFORGE_IGNORE_RUNS'] ?? 40), seed: 3 },
  );
  expect(left).not.toBe(0);
});
