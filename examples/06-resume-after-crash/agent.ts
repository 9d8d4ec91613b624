// The process that is killed: it runs the task and dies right behind the write, before the trail
// knows how the write came out.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMillforge, piTools } from 'millforge';
import { toModelProfileCatalog } from 'millforge/compiler';
import { readModelScript } from 'millforge/models';

const folder = process.argv[2] ?? '.';
await using millforge = createMillforge({
  dataDir: join(folder, 'data'),
  shippedTools: piTools({
    onEffect(tool, phase) {
      if (tool === 'write' && phase === 'after-effect') process.kill(process.pid, 'SIGKILL');
    },
  }),
});
const grants = ['unrestricted.filesystem.read', 'unrestricted.filesystem.write', 'terminal.intent'];
const plan = millforge.compile(await readFile('harness.yaml', 'utf8'), {
  profiles: toModelProfileCatalog(['example.small']),
  request: { grants },
});
const script = readModelScript(JSON.parse(await readFile('script.json', 'utf8')));
if (!plan.ok || !script.ok) throw new Error('the harness or the script of this example is wrong');

const run = await millforge.run({
  plan: { bytes: new TextDecoder().decode(plan.bytes), sha256: plan.sha256 },
  task: 'Put the answer into answer.txt.',
  workspace: folder,
  model: { kind: 'scripted', script: script.script },
  grants,
});
process.stdout.write(`${run.runId}\n`);
await run.result;
