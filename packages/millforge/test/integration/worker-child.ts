import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createMillforge } from 'millforge';
import { GRANTS } from '../crash/scripted-run.ts';
import { compiledPlan } from './compiled-plan.ts';
import { tokenReplies, tokenWorkspace } from './token-run.ts';

// node child.mjs DIRECTORY WORKER RUNS   waits for DIRECTORY/go, does so many runs, and writes its name after each

const [directory = '', worker = '', runs = '0'] = process.argv.slice(2);

const tell = (): void => appendFileSync(join(directory, 'log.txt'), `${worker}\n`);

await using millforge = createMillforge({ dataDir: join(directory, 'data') });
await millforge.doctor();
const plan = compiledPlan(millforge);
const workspace = tokenWorkspace(directory, worker);
tell();
while (!existsSync(join(directory, 'go'))) await delay(5);
for (let run = 0; run < Number(runs); run += 1) {
  const { result } = await millforge.run({
    plan,
    task: 'Keep it.',
    workspace,
    grants: GRANTS,
    model: {
      kind: 'scripted',
      script: { kind: 'model_script', schema_version: '1.0', replies: tokenReplies(worker) },
    },
  });
  const { status } = await result;
  if (status !== 'success') throw new Error(`A run of ${worker} is ${status}.`);
  tell();
}
