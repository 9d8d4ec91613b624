// Opens one baseline and prints what came of it, in a process that can be stopped from outside.
import { setTimeout as sleep } from 'node:timers/promises';
import { openBaseline } from '@millforge/builtin-tools';

const [workspace = '', directory = ''] = process.argv.slice(2);
const clock = { now: () => Date.now(), monotonicMs: () => performance.now(), delay: sleepFor };
const end = await openBaseline({ workspace, directory, clock }).then(
  ({ files }) => `${files.size} files`,
  (error: unknown) => (error instanceof Error ? error.message : 'no error'),
);
process.stdout.write(end);

async function sleepFor(ms: number): Promise<void> {
  await sleep(ms);
}
