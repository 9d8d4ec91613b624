import { compileHarness } from '@millforge/compiler';
import { expect, test } from 'vitest';
import { hostileHeaps } from './support/hostile-heaps.ts';
import { LIMIT_MS, leastCpu, runHostile, warmUp } from './support/hostile-run.ts';

// Tests run beside other work, which takes caches and turns away from what is measured.
const TRIES = 20;

// Four runs, so that a fault names a quarter; `npm run soak:parse` runs as many as one likes.
test.each([1, 2, 3, 4])(
  'five thousand hostile documents of seed %i are answered at once and with a reason',
  { tags: ['slow'] },
  (seed) => {
    const figures = runHostile(5000, seed, { tries: TRIES });
    expect(figures.broken).toEqual([]);
    expect(figures.accepted).toBeGreaterThan(1000);
    expect(figures.compiled).toBeGreaterThan(50);
  },
);

test('a document that is wrong in thousands of places is answered at once', {
  tags: ['slow'],
}, () => {
  const heaps = hostileHeaps();
  warmUp();
  const slow = heaps.flatMap(({ name, content, input }) => {
    let codes: readonly string[] = [];
    const ms = leastCpu(TRIES, () => {
      codes = compileHarness(content, input).diagnostics.map(({ code }) => code);
    });
    expect(codes.length, name).toBeGreaterThan(1);
    return ms > LIMIT_MS ? [`${name}: ${ms.toFixed(0)} ms`] : [];
  });
  expect(slow).toEqual([]);
});
