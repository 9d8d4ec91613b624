import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { createSandbox } from '@millforge/sandbox';

// Time and names come from the program; `createHostSandbox()` of 'millforge' brings both.
export const sandbox = createSandbox({
  clock: {
    now: () => Date.now(),
    monotonicMs: () => performance.now(),
    delay: (ms, signal) => setTimeout(ms, undefined, signal === undefined ? {} : { signal }),
  },
  ids: { newId: (prefix) => `${prefix}_${randomUUID()}` },
  hiddenPaths: [`${homedir()}/.config`], // hidden also where a folder around it is bound
});

const called = await sandbox.call({
  source: 'export default ({ text }) => text.split(/\\s+/).length',
  input: { text: 'three small words' },
  limits: { timeoutMs: 5000 },
});
export const words = called.kind === 'returned' ? called.value : called.kind; // 3

const ran = await sandbox.run({
  command: ['/bin/sh', '-c', 'wc -l < README.md'],
  folder: process.cwd(),
  readOnlyPaths: [process.cwd()],
});
export const lines = ran.kind === 'exited' ? Number(ran.stdout) : ran.kind;

// Disposed of by whoever made it: `await using sandbox = …` in a program.
