import { expect, test } from 'vitest';
import { LIMIT_MS, runHostile } from './support/hostile-run.ts';

// Four runs, so that a fault names a quarter; `npm run soak:parse` runs as many as one likes.
test.each([1, 2, 3, 4])(
  'five thousand hostile documents of seed %i are answered at once and with a reason',
  { tags: ['slow'] },
  (seed) => {
    // Tests run beside other work, which takes caches and turns away: the soak holds the limit itself.
    const figures = runHostile(5000, seed, { limitMs: 6 * LIMIT_MS });
    expect(figures.broken).toEqual([]);
    expect(figures.accepted).toBeGreaterThan(250);
    expect(figures.compiled).toBeGreaterThan(0);
  },
);
