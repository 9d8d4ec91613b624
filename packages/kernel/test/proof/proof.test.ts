import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleChild } from '../bundle-child.ts';
import { volatileFolder } from '../crash/moments.ts';
import { scriptedGoal } from '../crash/scripted-goal.ts';
import { type CutFigures, cutDatabase, cutLog, makeSubject } from './cut-files.ts';
import { killUnderLoad } from './kill-under-load.ts';
import { loseUnsynced } from './lost-sync.ts';
import { simulate } from './simulate.ts';
import { makeTemplate } from './template.ts';
import { randomOf } from './virtual-time.ts';

// A small share, drawn from a seed of its own; `npm run proof:kernel` does the whole.

let root = '';
let template = '';

beforeAll(async () => {
  root = volatileFolder('millforge-proof-');
  template = await makeTemplate(root);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

test('keeps every promise in simulated processes that fail, stop and die', {
  tags: ['slow'],
  timeout: 60_000,
}, async () => {
  const broken: unknown[] = [];
  const some = Array.from({ length: 100 }, (_, place) => place + 1);
  // These once found something.
  const known = [
    1013, 1038, 2160, 2305, 10_419, 10_730, 10_958, 20_478, 21_584, 23_203, 109_666, 200_900,
  ];
  for (const seed of [...some, ...known]) {
    const found = await simulate(seed, root, template);
    if (found.broken.length > 0) broken.push({ seed, broken: found.broken });
  }
  expect(broken).toEqual([]);
});

test('gives the same trail for the same seed', { tags: ['slow'], timeout: 60_000 }, async () => {
  for (const seed of [7, 1013, 2160]) {
    const first = await simulate(seed, root, template);
    const second = await simulate(seed, root, template);
    expect(second.digest).toBe(first.digest);
    expect(first.digest).not.toBe((await simulate(seed + 1, root, template)).digest);
  }
});

test('finds a consistent earlier state, or refuses, wherever a file is cut', {
  tags: ['slow'],
  timeout: 60_000,
}, async () => {
  const folder = join(root, 'cuts');
  const subject = await makeSubject(scriptedGoal, folder);
  const figures: CutFigures = { prefix: 0, refused: 0, broken: [] };
  const random = randomOf(5);
  for (let cut = 0; cut < 400; cut += 1) cutLog(subject, { random, root: folder, figures });
  for (let cut = 0; cut < 40; cut += 1)
    await cutDatabase(subject, { random, root: folder, figures });
  expect(figures.broken).toEqual([]);
  expect(figures.prefix).toBeGreaterThan(300);
  expect(figures.refused).toBeGreaterThan(30);
  expect(subject.states.size).toBeGreaterThan(20);
});

test('has every effect once when processes on one file are killed under load', {
  tags: ['slow'],
  timeout: 120_000,
}, async () => {
  const child = await bundleChild(join(import.meta.dirname, 'load-child.ts'));
  try {
    const figures = await killUnderLoad({ child, root, kills: 6, seed: 3 });
    expect(figures.broken).toEqual([]);
    expect(figures.kills).toBeGreaterThanOrEqual(6);
  } finally {
    rmSync(dirname(child), { recursive: true, force: true });
  }
});

const canTrace = spawnSync('strace', ['-V']).status === 0;

test.runIf(canTrace)(
  'loses nothing acknowledged when the power fails, as it would at the setting that the driver is built for',
  { tags: ['slow'], timeout: 120_000 },
  async () => {
    const child = await bundleChild(join(import.meta.dirname, 'lost-sync-child.ts'));
    try {
      const full = await loseUnsynced({ child, root, synchronous: 'FULL' });
      expect(full).toEqual({ acknowledged: 25, lost: 0 });
      const normal = await loseUnsynced({ child, root, synchronous: 'NORMAL' });
      expect(normal.lost).toBeGreaterThan(20);
    } finally {
      rmSync(dirname(child), { recursive: true, force: true });
    }
  },
);
