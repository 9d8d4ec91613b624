import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMillforge } from 'millforge';

const folder = await mkdtemp(join(tmpdir(), 'millforge-example-06-'));
try {
  const { runId, signal } = await startAgent(folder);
  console.log(`the agent was ended by ${signal}`);
  const file = join(folder, 'answer.txt');
  const written = await stat(file, { bigint: true });
  console.log(`answer.txt is there: ${(await readFile(file, 'utf8')).trim()}`);

  const dataDir = join(folder, 'data');
  // #region resume
  await using millforge = createMillforge({ dataDir });
  console.log(`the run is ${(await millforge.readRun(runId)).status}`);

  const run = await millforge.resume(runId, {
    onEvent(event) {
      const how = event.replayed ? 'replayed' : 'live';
      if (event.kind === 'model-replied') console.log(`turn ${event.turn}, ${how}`);
      if (event.kind === 'call-ended') console.log(`  ${event.tool}, ${how}: ${event.status}`);
    },
  });
  const result = await run.result;
  // #endregion
  console.log(`${result.status}: ${result.summary}`);

  const now = await stat(file, { bigint: true });
  console.log(
    `the file was written ${now.ino === written.ino && now.ctimeNs === written.ctimeNs ? 'once' : 'again'}`,
  );
  for await (const record of millforge.readTrail(runId)) {
    if (record.type.includes('reconcil')) console.log(`the trail says: ${record.type}`);
  }
  const verdict = await millforge.verifyTrail(runId);
  console.log(verdict.ok ? 'the trail verifies' : verdict.what);
} finally {
  await rm(folder, { recursive: true, force: true });
}

function startAgent(workspace: string): Promise<{ runId: string; signal: string | null }> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [...process.execArgv, 'agent.ts', workspace], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.on('error', fail);
    child.on('close', (_code, signal) => done({ runId: output.trim(), signal }));
  });
}
