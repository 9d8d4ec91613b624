// Parses and compiles hostile documents drawn from a seed and holds each to what is promised for all.
//   npm run soak:parse [-- --count 1000000 --seed 1]
import { LIMIT_MS, runHostile } from '../../packages/compiler/test/support/hostile-run.ts';
import { countAndSeed } from './count-and-seed.ts';

const { count, seed } = countAndSeed(100_000);

const MAX_GROWTH = 50 * 1024 * 1024;
// The heap of a short run is still finding its size.
const LEAST_FOR_GROWTH = 100_000;

console.log(`${count} documents, seed ${seed}`);
const startedAt = performance.now();
let told = startedAt;
const figures = runHostile(count, seed, {
  onProgress(done) {
    if (performance.now() - told < 10_000 && done < count) return;
    told = performance.now();
    console.error(`${done} of ${count}, ${Math.round((told - startedAt) / 1000)} s`);
  },
});

const rows: (readonly [what: string, figure: string])[] = [
  ['accepted by the parser', String(figures.accepted)],
  ['compiled', String(figures.compiled)],
  [
    'slowest, processor time',
    `${figures.slowestMs.toFixed(1)} of ${LIMIT_MS} ms (${figures.slowestKind})`,
  ],
  [
    'growth of the process',
    `${(figures.growth / 1048576).toFixed(1)} of ${MAX_GROWTH / 1048576} MiB`,
  ],
  ['broken promises', String(figures.broken.length)],
];
for (const [what, figure] of rows) console.log(`${what.padEnd(32)}${figure}`);
for (const line of figures.broken.slice(0, 50)) console.log(line);
const isSteady = count < LEAST_FOR_GROWTH || figures.growth < MAX_GROWTH;
process.exitCode = figures.broken.length === 0 && isSteady ? 0 : 1;
