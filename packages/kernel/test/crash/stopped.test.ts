import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleChild } from '../bundle-child.ts';
import { volatileFolder } from './moments.ts';
import { SCENARIOS } from './scenarios.ts';
import { type Stopped, stopAt } from './stop-at.ts';

let child = '';
let root = '';

beforeAll(async () => {
  root = volatileFolder('millforge-stopped-');
  child = await bundleChild(join(import.meta.dirname, 'stopped-child.ts'));
}, 60_000);

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
  rmSync(dirname(child), { recursive: true, force: true });
});

// Every failpoint takes half a minute; so many in the default run, all with `npm run proof:kernel -- --only stops`.
const STEP = 6;

test.each(Object.values(SCENARIOS))(
  'lets a process that was stopped and superseded enter nothing more of a goal of kind $name, and change nothing',
  { tags: ['slow'], timeout: 120_000 },
  async (scenario) => {
    const all: Stopped[] = [];
    for (let moment = 2; ; moment += STEP) {
      const found = await stopAt(moment, { child, scenario, root });
      if (found.at === null) break;
      all.push(found);
    }
    expect(all.filter(({ faults }) => faults.length > 0)).toEqual([]);
    const superseded = all.filter(({ isTakenOver }) => isTakenOver);
    expect(superseded.length).toBeGreaterThan(all.length / 3);
    expect(new Set(superseded.map(({ ended }) => ended))).toEqual(new Set(['kernel/lease-lost']));
  },
);
