import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contract, letterAdapter, openTrail, scope } from './letter-graph.ts';

const folder = await mkdtemp(join(tmpdir(), 'millforge-example-12-'));
try {
  const outbox = join(folder, 'outbox.txt');
  console.log(`the agent was ended by ${await startAgent(folder)}`);
  console.log(`letters in the outbox: ${await countLetters(outbox)}`);

  await using kernel = await openTrail(join(folder, 'data', 'trail.db'));
  const before = await kernel.readGoal(scope, contract.goal_id);
  console.log(`the goal is ${before.state}, its process has ${before.interruption?.reason}`);

  const adapter = letterAdapter(outbox, {
    works: (node) => console.log(`node ${node} works`),
    sent: () => console.log('a second letter was sent'),
  });
  const goal = await kernel.runGoal(scope, contract.goal_id, { adapters: [adapter] }).done;
  console.log(`the goal is ${goal.state}: ${JSON.stringify(goal.tasks[0]?.output)}`);
  console.log(`letters in the outbox: ${await countLetters(outbox)}`);
  for await (const { type } of kernel.readTrail(scope, contract.goal_id)) {
    if (type.includes('reconcil')) console.log(`the trail says: ${type}`);
  }
  const verdict = await kernel.verifyTrail(scope);
  console.log(verdict.ok ? 'the trail verifies' : verdict.what);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function countLetters(outbox: string): Promise<number> {
  return (await readFile(outbox, 'utf8')).split('\n').filter((line) => line !== '').length;
}

function startAgent(workspace: string): Promise<string | null> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [...process.execArgv, 'agent.ts', workspace], {
      stdio: 'inherit',
    });
    child.on('error', fail);
    child.on('close', (_code, signal) => done(signal));
  });
}
