import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedServer } from '@millforge/models/testing';
import { runTask } from 'millforge';
import { readModelScript } from 'millforge/models';

const script = readModelScript(JSON.parse(await readFile('script.json', 'utf8')));
if (!script.ok) throw new Error('the script of this example is wrong');

const folder = await mkdtemp(join(tmpdir(), 'millforge-example-08-'));
try {
  const workspace = join(folder, 'project');
  await cp('project', workspace, { recursive: true });
  console.log(`tests before: ${testsPass(workspace) ? 'pass' : 'fail'}`);

  // A real server over real HTTP; only what it says is written down.
  await using server = await startScriptedServer({ replies: script.script.replies });
  const result = await runTask({
    harness: await readFile('harness.yaml', 'utf8'),
    task: 'npm test fails. Find out why and mend the source, not the test.',
    cwd: workspace,
    dataDir: join(folder, 'data'),
    model: {
      kind: 'endpoint',
      profile: { profile_id: 'example.coder', base_url: server.url, model: 'scripted' },
    },
    grants: [
      'unrestricted.filesystem.read',
      'unrestricted.filesystem.write',
      'unrestricted.process.execute',
      'terminal.intent',
    ],
    onEvent(event) {
      if (event.kind === 'model-replied') {
        console.log(`turn ${event.turn}: ${event.calls.join(', ') || 'text'}`);
      }
      if (event.kind === 'model-re-asked') console.log('  asked again');
      if (event.kind === 'call-refused') console.log(`  ${event.tool} refused: ${event.code}`);
      if (event.kind === 'call-ended') console.log(`  ${event.tool}: ${event.status}`);
    },
  });
  console.log(`${result.status} ${result.terminal_result}`);
  console.log(result.summary);
  console.log(`tests after: ${testsPass(workspace) ? 'pass' : 'fail'}`);
  console.log(`requests to the server: ${server.requestCount}`);
} finally {
  await rm(folder, { recursive: true, force: true });
}

function testsPass(cwd: string): boolean {
  return spawnSync(process.execPath, ['--test'], { cwd, stdio: 'ignore' }).status === 0;
}
