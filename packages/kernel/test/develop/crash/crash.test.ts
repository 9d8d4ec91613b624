import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { treeDigest } from '../../../src/develop/tree/captured-tree.ts';
import { bundleChild } from '../../bundle-child.ts';
import { makeChecks, makeRepository } from '../sample.ts';
import { capture, temporaryDirectory } from '../trees.ts';
import type { Finished } from './develop-child.ts';

let child = '';
beforeAll(async () => {
  child = await bundleChild(join(import.meta.dirname, 'develop-child.ts'));
});
afterAll(() => rmSync(dirname(child), { recursive: true, force: true }));

/** Starts a development in a directory of its own and kills it at a moment; with 0 it goes to its end. */
async function killed(root: string, scenario: string, moment: number): Promise<string> {
  const directory = join(root, `${scenario}-${moment}`);
  mkdirSync(directory);
  cpSync(join(root, 'repository'), join(directory, 'repository'), { recursive: true });
  cpSync(join(root, 'checks'), join(directory, 'checks'), { recursive: true });
  const victim = spawn(process.execPath, [child, 'crash', scenario, directory, String(moment)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => victim.on('exit', resolve));
  return directory;
}

function finish(scenario: string, directories: readonly string[]): readonly Finished[] {
  const told = execFileSync(process.execPath, [child, 'finish', scenario, ...directories], {
    encoding: 'utf8',
  });
  return told
    .trim()
    .split('\n')
    .map((line): Finished => JSON.parse(line));
}

function prepared(): string {
  const root = temporaryDirectory();
  makeRepository(join(root, 'repository'));
  makeChecks(join(root, 'checks'));
  return root;
}

/** Every moment with `MILLFORGE_DEVELOP_KILLS=all`; else some, evenly. */
function momentsOf(all: number, usual: number): readonly number[] {
  const wanted = process.env['MILLFORGE_DEVELOP_KILLS'] === 'all' ? all : usual;
  return Array.from({ length: Math.min(all, wanted) }, (_, index) =>
    Math.round(((index + 0.5) * all) / Math.min(all, wanted) + 0.5),
  );
}

test.each([
  ['operations', 4],
  ['whole', 3],
] as const)(
  'a development whose build is of %s is killed anywhere, goes on, and hands over the same patch',
  { tags: ['slow'], timeout: 1_800_000 },
  async (scenario, usual) => {
    const root = prepared();
    const whole = join(root, 'whole');
    mkdirSync(whole);
    cpSync(join(root, 'repository'), join(whole, 'repository'), { recursive: true });
    cpSync(join(root, 'checks'), join(whole, 'checks'), { recursive: true });
    const all = Number(
      execFileSync(process.execPath, [child, 'crash', scenario, whole, '0'], { encoding: 'utf8' }),
    );
    const [reference] = finish(scenario, [whole]);
    const before = treeDigest(await capture(join(root, 'repository')));
    const moments = momentsOf(all, usual);
    const directories: string[] = [];
    for (const moment of moments) {
      const directory = await killed(root, scenario, moment);
      // Nothing is done to the tree that was handed in, at whatever moment.
      expect(treeDigest(await capture(join(directory, 'repository')))).toBe(before);
      directories.push(directory);
    }
    const phases = new Set<string | null>();
    for (const [index, finished] of finish(scenario, directories).entries()) {
      const at = `killed at moment ${moments[index]} of ${all}, in ${finished.killedIn}`;
      phases.add(finished.killedIn);
      expect(
        [finished.state, finished.failure, finished.patchSha256, finished.trailHolds],
        at,
      ).toEqual(['completed', null, reference?.patchSha256, true]);
      if (scenario === 'operations') {
        expect(finished.effects.length, at).toBe(new Set(finished.effects).size);
      }
      const directory = directories[index] ?? '';
      expect(treeDigest(await capture(join(directory, 'repository')))).toBe(before);
    }
    // Every phase has moments; that of commands has most.
    expect(phases.size).toBeGreaterThan(2);
  },
);
