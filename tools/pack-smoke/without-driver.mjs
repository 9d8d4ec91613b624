// Runs a task without a trail, then one that keeps it: only that needs the SQLite driver.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const target = process.argv[2];
const { runTask } = await import(target);
assert.equal(createRequire(import.meta.url)(target).runTask, runTask);

const folder = mkdtempSync(join(tmpdir(), 'millforge-smoke-'));
try {
  const submit = { terminal_result: 'COMPLETE', summary: 'Greeted.' };
  const task = {
    harness: readFileSync(new URL('./greeter.yaml', import.meta.url), 'utf8'),
    task: 'Greet the reader in greeting.txt.',
    cwd: folder,
    model: {
      kind: 'scripted',
      script: {
        kind: 'model_script',
        schema_version: '1.0',
        replies: [
          {
            tool_calls: [
              { name: 'write', arguments: { path: 'greeting.txt', content: 'Hello.\n' } },
            ],
          },
          { tool_calls: [{ name: 'submit', arguments: submit }] },
        ],
      },
    },
    grants: ['unrestricted.filesystem.write', 'terminal.intent'],
  };
  const result = await runTask({ ...task, dataDir: null });
  assert.equal(result.status, 'success');
  assert.equal(readFileSync(join(folder, 'greeting.txt'), 'utf8'), 'Hello.\n');

  const kept = runTask({ ...task, dataDir: join(folder, 'data') });
  await assert.rejects(kept, { code: 'kernel/driver-missing' });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
