// Kills runs at moments drawn from a seed, lets fresh processes finish them, and counts what broke.
//   npm run soak:kills [-- --count 300 --seed 1]
import { PHASES, soakKills } from '../../packages/millforge/test/crash/soak-kills.ts';
import { countAndSeed } from './count-and-seed.ts';

const { count, seed } = countAndSeed(300);

console.log(`${count} kills, seed ${seed}`);
const startedAt = performance.now();
let told = startedAt;
const figures = await soakKills({
  count,
  seed,
  onKill(done) {
    if (performance.now() - told < 10_000 && done < count) return;
    told = performance.now();
    console.error(`${done} of ${count}, ${Math.round((told - startedAt) / 1000)} s`);
  },
});

const rows: (readonly [what: string, howMany: number])[] = [
  ...PHASES.map((phase) => [`killed ${phase}`, figures.phases[phase]] as const),
  ['killed again while resuming', figures.secondKills],
  ['ended in success', figures.success],
  ['of these after a person decided', figures.held],
  ...Object.entries(figures.broken).map(([what, crashes]) => [what, crashes.length] as const),
];
for (const [what, howMany] of rows) console.log(`${what.padEnd(32)}${String(howMany).padStart(5)}`);
console.log('\nkills by operation');
for (const [operation, kills] of Object.entries(figures.operations)) {
  console.log(`${operation.padEnd(32)}${String(kills).padStart(5)}`);
}

const broken = Object.entries(figures.broken).filter(([, crashes]) => crashes.length > 0);
for (const [what, crashes] of broken) {
  for (const crash of crashes) console.log(`${what}: ${JSON.stringify(crash)}`);
}
// So many kills must reach every phase often enough to mean something.
const seldom = PHASES.filter((phase) => figures.phases[phase] < Math.floor(count / 15));
for (const phase of seldom) console.log(`too few kills: ${phase}`);
process.exitCode = broken.length === 0 && seldom.length === 0 && figures.success === count ? 0 : 1;
