import { mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPathPolicy, pathRuleOf } from '@millforge/builtin-tools/path-policy';
import { array, assert, asyncProperty, constantFrom, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../tool-world.ts';

const NAMES = ['a', 'b', 'c'];
const name = constantFrom(...NAMES);
const path = array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
/** Where links lead: up, down, to themselves, out, to nothing. */
const target = constantFrom(
  'a',
  'b',
  'a/b',
  '..',
  '../a',
  '../..',
  '../b/c',
  '../../outside/a',
  './c',
  'ROOT/b',
  'ROOT/a/../c',
  'FOLDER/outside',
  'nothing',
);

test('a path is read exactly when the system would find its file inside the workspace', async () => {
  let [inside, refused] = [0, 0];
  await assert(
    asyncProperty(
      array(path, { maxLength: 5 }),
      array(tuple(path, target), { maxLength: 5 }),
      async (files, links) => {
        const folder = await temporaryFolder();
        const root = join(folder, 'root');
        await place(folder, 'outside/a', 'canary');
        await mkdir(root);
        for (const file of files) await place(root, file, `content of ${file}`);
        for (const [link, to] of links) {
          const absolute = to.replace('ROOT', root).replace('FOLDER', folder);
          await mkdir(join(root, link, '..'), { recursive: true }).catch(ignore);
          await symlink(absolute, join(root, link)).catch(ignore);
        }
        const policy = createPathPolicy();
        await using workspace = await policy.openWorkspace(root);
        for (const asked of everyPath()) {
          const expected = await byTheSystem(root, asked);
          const found = await workspace.readFile(policy.checkRead(asked)).then(
            ({ bytes }) => bytes.toString(),
            (error: unknown) => {
              expect(pathRuleOf(error)).not.toBe(null);
              return null;
            },
          );
          expect(found).toBe(expected);
          if (found === null) refused++;
          else inside++;
        }
      },
    ),
    { numRuns: 70, seed: 7 },
  );
  expect(Math.min(inside, refused)).toBeGreaterThan(20);
});

/** What the system reads there; null for nothing, for no file, and for what is outside. */
async function byTheSystem(root: string, asked: string): Promise<string | null> {
  try {
    const real = await realpath(join(root, asked));
    return real.startsWith(`${root}/`) ? await readFile(real, 'utf8') : null;
  } catch {
    return null;
  }
}

function everyPath(): readonly string[] {
  return NAMES.flatMap((one) => [
    one,
    ...NAMES.flatMap((two) => [`${one}/${two}`, ...NAMES.map((three) => `${one}/${two}/${three}`)]),
  ]);
}

async function place(folder: string, file: string, content: string): Promise<void> {
  await mkdir(join(folder, file, '..'), { recursive: true }).catch(ignore);
  await writeFile(join(folder, file), content).catch(ignore);
}

/** What is in the way stays. */
function ignore(): void {}
