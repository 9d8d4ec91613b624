// A host program that is killed, or that was started with open descriptors.
import { createSandbox } from '@millforge/sandbox';
import { clock, ids } from './real-clock.ts';

const [mode = '', mark = ''] = process.argv.slice(2);
const sandbox = createSandbox({
  clock,
  ids,
  ...(mode === 'call-unwalled'
    ? { commandTier: { kind: 'bubblewrap', program: '/nonexistent' } }
    : {}),
});
if (mode === 'descriptors') {
  const result = await sandbox.run({
    command: ['/bin/sh', '-c', 'cat /proc/self/fd/* 2>/dev/null </dev/null; :'],
  });
  process.stdout.write(`${JSON.stringify(result)}\n`);
  await sandbox[Symbol.asyncDispose]();
} else if (mode === 'user') {
  const forks = await sandbox.run({
    command: ['/bin/sh', '-c', 'for i in 1 2 3 4 5 6 7 8; do sleep 0.2 & done; wait'],
    limits: { processes: 6 },
  });
  const script = 'const kept = []; for (;;) kept.push(Buffer.alloc(8 << 20, 1));';
  const memory = await sandbox.run({
    command: [process.execPath, '-e', script],
    readOnlyPaths: [process.execPath],
    limits: { memoryBytes: 128 * 2 ** 20 },
  });
  // Five processes of 60 MiB, each inside its own limit.
  const perl = `perl -e '$x = "a" x (60 << 20); sleep 20' &`;
  const many = await sandbox.run({
    command: ['/bin/sh', '-c', `${perl} ${perl} ${perl} ${perl} ${perl} wait`],
    limits: { memoryBytes: 128 * 2 ** 20 },
  });
  process.stdout.write(`${JSON.stringify([forks, memory, many])}\n`);
  await sandbox[Symbol.asyncDispose]();
} else if (mode === 'run') {
  await sandbox.run({
    command: ['/bin/sh', '-c', `echo; sleep ${mark}`],
    onOutput: async () => void process.stdout.write('running\n'),
    limits: { timeoutMs: 60_000 },
  });
} else {
  // A built-in function of the engine, which no interrupt reaches.
  const source = `export default () => 'x'.repeat(2e7).split('').sort().length`;
  await sandbox.call({ source: 'export default () => 1' });
  const call = sandbox.call({ source, limits: { timeoutMs: 60_000, memoryBytes: 2 ** 30 } });
  await clock.delay(300);
  process.stdout.write('running\n');
  await call;
}
