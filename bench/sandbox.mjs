// A warm call of a function, and the cold start of a command behind bubblewrap beside that of Node alone.
import { spawn } from 'node:child_process';
import { createSandbox } from '../packages/sandbox/dist/index.js';
import { compare, median, report, timed } from './measure.mjs';

export async function benchSandbox() {
  const sandbox = createSandbox({ clock, ids });
  try {
    await warmCalls(sandbox);
    const available = (await sandbox.report()).at(-1)?.isAvailable === true;
    if (!available) {
      process.stdout.write('bubblewrap does not work here: no cold call was measured\n');
      return;
    }
    const node = { command: [process.execPath, '-e', '0'], readOnlyPaths: [process.execPath] };
    const walled = () => timed(() => exits(sandbox.run(node)), 1);
    report(
      'node -e 0 behind bubblewrap / bare',
      await compare(walled, bare('-e', '0'), 25),
      'start',
    );
    const shell = () => timed(() => exits(sandbox.run({ command: ['true'] })), 1);
    report(
      'true behind bubblewrap / bare node',
      await compare(shell, bare('-e', '0'), 25),
      'start',
    );
  } finally {
    await sandbox[Symbol.asyncDispose]();
  }
}

async function warmCalls(sandbox) {
  const call = { source: 'export default ({ n }) => ({ n: n + 1 })', input: { n: 1 } };
  const samples = [];
  for (let round = 0; round < 400; round += 1) {
    const start = performance.now();
    const result = await sandbox.call(call);
    if (result.kind !== 'returned') throw new Error(`a call ended as ${result.kind}`);
    if (round >= 100) samples.push(performance.now() - start);
  }
  const slow = samples.toSorted((a, b) => a - b)[Math.floor(samples.length * 0.95)];
  process.stdout.write(
    `warm call of a pure function: median ${median(samples).toFixed(2)} ms, 95th percentile ${slow.toFixed(2)} ms\n`,
  );
}

const bare =
  (...argv) =>
  () =>
    timed(
      () =>
        new Promise((done, fail) => {
          // The same way of starting: with pipes, and waiting for their end.
          const child = spawn(process.execPath, argv, { stdio: 'pipe', env: {} });
          child.stdin.end();
          child.stdout.resume();
          child.stderr.resume();
          child.once('close', (code) => (code === 0 ? done() : fail(new Error(`exit ${code}`))));
        }),
      1,
    );

async function exits(running) {
  const result = await running;
  if (result.kind !== 'exited' || result.exitCode !== 0) throw new Error(JSON.stringify(result));
}

const clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  delay: (ms, signal) =>
    new Promise((done, fail) => {
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        fail(signal.reason);
      });
    }),
};
let names = 0;
const ids = { newId: (prefix) => `${prefix}_${process.pid}_${names++}` };
