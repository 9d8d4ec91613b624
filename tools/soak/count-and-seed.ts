import { parseArgs } from 'node:util';

/** Reads `--count` and `--seed`; ends the process with 64 where they are no whole numbers. */
export function countAndSeed(defaultCount: number): {
  readonly count: number;
  readonly seed: number;
} {
  const { values } = parseArgs({
    options: {
      count: { type: 'string', default: String(defaultCount) },
      seed: { type: 'string', default: '1' },
    },
  });
  const count = Number(values.count);
  const seed = Number(values.seed);
  if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(seed)) {
    console.error('--count takes a whole number from 1, --seed a whole number.');
    process.exit(64);
  }
  return { count, seed };
}
