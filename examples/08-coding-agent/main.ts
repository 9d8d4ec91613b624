import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedServer } from '@millforge/models/testing';
import { createMillforgeBase } from 'millforge';
import { readModelScript } from 'millforge/models';

const script = readModelScript(JSON.parse(await readFile('base-script.json', 'utf8')));
if (!script.ok) throw new Error('the script of this example is wrong');

const folder = await mkdtemp(join(tmpdir(), 'millforge-example-08-'));
try {
  const workspace = join(folder, 'project');
  await cp('project', workspace, { recursive: true });
  await writeFile(join(workspace, 'AGENTS.md'), 'Change the source, never a test.\n');
  console.log(`tests before: ${testsPass(workspace) ? 'pass' : 'fail'}`);

  // A real server over real HTTP; only what it says is written down.
  await using server = await startScriptedServer({ replies: script.script.replies });
  // #region base
  await using base = await createMillforgeBase({
    profile: { profile_id: 'example.coder', base_url: server.url, model: 'scripted' },
    cwd: workspace,
    dataDir: join(folder, 'data'),
  });
  for (const { path, bytes } of base.contextFiles) console.log(`told: ${path}, ${bytes} bytes`);
  const request = { task: 'npm test fails. Find out why and mend the source, not the test.' };
  const result = await base.execute(request, {
    onEvent(event) {
      if (event.kind === 'model-replied') {
        console.log(`turn ${event.turn}: ${event.calls.join(', ') || 'text'}`);
      }
      if (event.kind === 'model-re-asked') console.log('  asked again');
      if (event.kind === 'call-ended') console.log(`  ${event.tool}: ${event.status}`);
    },
  });
  console.log(`${result.status} ${result.terminal_result}`);
  // #endregion base
  console.log(result.summary);
  console.log(`tests after: ${testsPass(workspace) ? 'pass' : 'fail'}`);
  const { capability_envelope_sha256: grants } = base.evidenceFor(request);
  console.log(`evidence of the grants: ${grants.slice(0, 12)}`);
  console.log(`requests to the server: ${server.requestCount}`);
} finally {
  await rm(folder, { recursive: true, force: true });
}

function testsPass(cwd: string): boolean {
  return spawnSync(process.execPath, ['--test'], { cwd, stdio: 'ignore' }).status === 0;
}
