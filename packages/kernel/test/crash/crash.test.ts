import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleChild } from '../bundle-child.ts';
import { type Finished, finishGoal } from './finish-goal.ts';
import { killAt } from './kill-at.ts';
import { copyAtEveryMoment, type Leftover, volatileFolder } from './moments.ts';
import { recoverTwice } from './recover-twice.ts';
import { SCENARIOS } from './scenarios.ts';

/** Real kills of each goal in the default run; all moments are covered by copies, and by `npm run proof:kernel`. */
const REAL_KILLS = 6;

describe.each(Object.values(SCENARIOS))('a goal of kind $name', (scenario) => {
  let root = '';
  let child = '';
  let left: readonly Leftover[] = [];
  let finished: readonly Finished[] = [];

  beforeAll(async () => {
    root = volatileFolder('millforge-crash-');
    child = await bundleChild(join(import.meta.dirname, 'child.ts'));
    left = await copyAtEveryMoment(scenario, root);
    const ends: Finished[] = [];
    for (const { directory } of left) ends.push(await finishGoal(directory, scenario));
    finished = ends;
  }, 300_000);

  afterAll(() => {
    rmSync(root, { recursive: true, force: true });
    rmSync(dirname(child), { recursive: true, force: true });
  });

  test('is left at every statement, every commit and every effect', () => {
    const moments = left.flatMap((one) => one.moments);
    for (const moment of ['BEGIN IMMEDIATE', 'COMMIT', 'effect']) {
      expect(moments.filter((one) => one === `before:${moment}`).length).toBeGreaterThan(2);
    }
    expect(moments.length).toBeGreaterThan(500);
    expect(left.length).toBeGreaterThan(30);
  });

  test('keeps every promise wherever it is left', () => {
    const broken = finished.flatMap(({ faults }, place) =>
      faults.length === 0 ? [] : [{ at: left[place]?.moments, faults }],
    );
    expect(broken).toEqual([]);
  });

  test('asks a person about each thing that nobody can look for, at some moment', () => {
    const asked = new Set(finished.flatMap((one) => one.asked));
    expect([...asked].toSorted()).toEqual(scenario.asked.toSorted());
  });

  test('stands the same whether it is recovered once or twice', async () => {
    const again = volatileFolder('millforge-twice-');
    try {
      const some = await copyAtEveryMoment(scenario, again);
      for (const { directory } of some.filter((_, place) => place % 5 === 0)) {
        const { before, once, twice } = await recoverTwice(directory);
        expect(once).toBe(before);
        expect(twice).toBe(before);
      }
    } finally {
      rmSync(again, { recursive: true, force: true });
    }
  }, 60_000);

  test('keeps every promise when its process is really killed', {
    tags: ['slow'],
    timeout: 60_000,
  }, async () => {
    const count = left.reduce((sum, { moments }) => sum + moments.length, 0);
    const step = Math.floor(count / (REAL_KILLS + 1));
    const kills = Array.from({ length: REAL_KILLS }, (_, place) => (place + 1) * step);
    const reports = await killAt(kills, {
      child,
      scenario: scenario.name,
      root: join(root, 'kills'),
    });
    expect(reports.filter(({ faults }) => faults.length > 0)).toEqual([]);
    expect(reports).toHaveLength(REAL_KILLS);
  });
});
