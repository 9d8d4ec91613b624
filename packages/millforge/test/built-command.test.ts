import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const BIN = join(import.meta.dirname, '../dist/bin.js');

/** The built command as a shell starts it; `$0` is Node, `$1` the command. */
function inShell(script: string) {
  return spawnSync('sh', ['-c', script, process.execPath, BIN], { encoding: 'utf8' });
}

test('says in one sentence that the folder it was started in is gone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millforge-gone-'));
  const ended = inShell(`cd '${folder}' && rmdir '${folder}' && exec "$0" "$1" runs`);
  expect(ended).toMatchObject({
    status: 64,
    stdout: '',
    stderr: 'millforge: The folder you are in is gone: change to one that exists.\n',
  });
});

test.runIf(process.platform === 'linux')('says in one sentence that its output has no room', () => {
  expect(inShell('exec "$0" "$1" --help > /dev/full')).toMatchObject({
    status: 1,
    stderr: 'millforge: The output cannot be written (ENOSPC).\n',
  });
});
