import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleChild } from '../bundle-child.ts';
import { type Leftover, volatileFolder } from '../crash/moments.ts';
import { copyPublication } from './copy-publication.ts';
import { BETWEEN, CASES, goOn, makeCompleted } from './faulty-publication.ts';
import { killPublication } from './kill-publication.ts';

/** Those whose process is really killed, which is dear: of each pair of alike ones one. */
const SOME_CASES = CASES.filter((_, place) => place % 2 === 0);

let root = '';
let completed = '';

beforeAll(async () => {
  root = volatileFolder('millforge-publication-');
  completed = join(root, 'completed');
  await makeCompleted(completed);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe.each(CASES)('with $name', (one) => {
  let left: readonly Leftover[] = [];

  beforeAll(async () => {
    left = await copyPublication(one, { completed, root: join(root, one.name) });
  });

  afterAll(() => rmSync(join(root, one.name), { recursive: true, force: true }));

  test('is left at every statement, every commit, before and after the send and every question', () => {
    const moments = left.flatMap((leftover) => leftover.moments);
    const places = ['send-publication', 'publish', 'deliver', 'settle-publication', 'COMMIT'];
    if (one.fault !== null && one.fault !== 'refusal' && one.fault !== 'duplicate-delivery')
      places.push('inspect');
    for (const place of places) {
      expect(moments).toContain(`before:${place}`);
      expect(moments).toContain(`after:${place}`);
    }
    expect(moments.length).toBeGreaterThan(80);
    expect(left.length).toBeGreaterThan(8);
  });

  test('is applied at most once for each approval, wherever a process was left and whatever came between', {
    tags: ['slow'],
    timeout: 60_000,
  }, async () => {
    const broken: unknown[] = [];
    const states = new Set<string>();
    for (const [place, { directory, moments }] of left.entries()) {
      for (const [turn, between] of BETWEEN.entries()) {
        const arrives = (place + turn) % 2 === 0 ? 'early' : 'late';
        const copy = `${directory}-${between}`;
        cpSync(directory, copy, { recursive: true });
        const ended = await goOn(copy, one, { between, arrives });
        for (const state of ended.states) states.add(state);
        if (ended.faults.length > 0) {
          broken.push({ between, arrives, moments: moments.slice(0, 3), faults: ended.faults });
        }
        rmSync(copy, { recursive: true, force: true });
      }
    }
    expect(broken).toEqual([]);
    expect([...states].filter((state) => state === 'sending' || state === 'approved')).toEqual([]);
    for (const state of ['revoked', 'expired', 'accepted']) expect(states).toContain(state);
  });
});

test('is applied at most once when its process is really killed', {
  tags: ['slow'],
  timeout: 60_000,
}, async () => {
  const child = await bundleChild(join(import.meta.dirname, 'publish-child.ts'));
  try {
    const broken: unknown[] = [];
    let killed = 0;
    for (const [place, one] of SOME_CASES.entries()) {
      // Around the send; every case and every moment is tried by `npm run proof:kernel`.
      const moment = 150 + 14 * place;
      const where = { child, completed, root: join(root, 'killed') };
      const ended = await killPublication(one, moment, where);
      if (ended.isKilled) killed += 1;
      if (ended.faults.length > 0) broken.push({ one, moment, faults: ended.faults });
    }
    expect(broken).toEqual([]);
    expect(killed).toBe(SOME_CASES.length);
  } finally {
    rmSync(dirname(child), { recursive: true, force: true });
  }
});
