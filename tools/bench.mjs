// `npm run bench`: set-up, build, the peers, then the benchmarks. Arguments choose among them.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { installPeers, prepareCheckout, SetupError } from './prepare-checkout.mjs';

const BENCH = join(dirname(import.meta.dirname), 'bench');

try {
  await prepareCheckout({ build: true });
  await installPeers();
  const { status } = spawnSync(
    process.execPath,
    ['--expose-gc', join(BENCH, 'run.mjs'), ...process.argv.slice(2)],
    { stdio: 'inherit' },
  );
  process.exitCode = status ?? 1;
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
