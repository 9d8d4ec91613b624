// The time until the command tells its version, beside the start of Node alone.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compare, report, timed } from './measure.mjs';

const BIN = fileURLToPath(new URL('../packages/millforge/dist/bin.js', import.meta.url));

export async function benchStart() {
  report('millforge --version', await compare(startOfOurs, startOfNode, 15), 'start');
}

const startOfOurs = () => starts([BIN, '--version']);
const startOfNode = () => starts(['-e', '0']);

function starts(argv) {
  const count = 5;
  return timed(() => {
    for (let started = 0; started < count; started += 1) {
      const { status } = spawnSync(process.execPath, argv, { stdio: 'ignore' });
      if (status !== 0) throw new Error(`node ${argv.join(' ')} ended with ${status}`);
    }
  }, count);
}
