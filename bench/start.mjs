// The time until the command tells its version, and until the compiler is imported, beside Node alone.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, report, timed } from './measure.mjs';

const BIN = fileURLToPath(new URL('../packages/millforge/dist/bin.js', import.meta.url));
const COMPILER = new URL('../packages/compiler/dist/index.js', import.meta.url).href;

export async function benchStart() {
  report('millforge --version', await compare(startOfOurs, startOfNode, 15), 'start');
  const imported = await compare(importOfCompiler, moduleOfNothing, 21);
  report('import @millforge/compiler / bare Node', imported, 'start');
  const more = (imported.ours - imported.theirs) / 1000;
  process.stdout.write(
    `import of the compiler: ${more.toFixed(1)} ms more than Node${filesOpened()}\n`,
  );
}

const startOfOurs = () => starts([BIN, '--version'], 5);
const startOfNode = () => starts(['-e', '0'], 5);
const importOfCompiler = () => starts(['--input-type=module', '-e', `import '${COMPILER}'`], 1);
const moduleOfNothing = () => starts(['--input-type=module', '-e', '0'], 1);

function starts(argv, count) {
  return timed(() => {
    for (let started = 0; started < count; started += 1) {
      const { status } = spawnSync(process.execPath, argv, { stdio: 'ignore' });
      if (status !== 0) throw new Error(`node ${argv.join(' ')} ended with ${status}`);
    }
  }, count);
}

/** Files below the packages that the import opens; silent where no strace is. */
function filesOpened() {
  const folder = mkdtempSync(join(tmpdir(), 'millforge-bench-'));
  try {
    const argv = ['-f', '-e', 'trace=openat', '-o', join(folder, 'trace'), process.execPath];
    const run = spawnSync('strace', [...argv, '--input-type=module', '-e', `import '${COMPILER}'`]);
    if (run.error !== undefined || run.status !== 0) return '';
    const [trace = ''] = readdirSync(folder).map((name) =>
      readFileSync(join(folder, name), 'utf8'),
    );
    const opened = trace.split('\n').filter((line) => /\/packages\/.*= [0-9]+$/.test(line));
    return `, ${opened.length} files opened`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
