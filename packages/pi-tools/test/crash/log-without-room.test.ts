import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolWorld } from '../tool-world.ts';

test('a command goes on without its log where there is no room for it, and leaves no part of one', {
  tags: ['slow'],
}, async () => {
  const { workspace } = await toolWorld();
  const script = join(import.meta.dirname, 'one-call.ts');
  const conditions =
    process.env['MILLFORGE_TEST_DIST'] === undefined ? ['--conditions=millforge-src'] : [];
  const input = JSON.stringify({ command: 'seq 300000' });
  // No file of that process may be longer than 1 MiB, which is like a disk with as much room.
  const limited = ['-c', 'ulimit -f 1024 && exec "$0" "$@"', process.execPath];
  const end = spawnSync(
    '/bin/bash',
    [...limited, ...conditions, '--import=tsx', script, workspace, 'bash', input],
    { encoding: 'utf8', env: { ...process.env, TMPDIR: workspace } },
  );
  const result = JSON.parse(end.stdout);
  expect(result).toMatchObject({ kind: 'done', after: { exit_code: 0 } });
  expect(result.text).toMatch(/300000\n\n\[Showing lines 298001-300000 of 300000\]$/);
  expect(result.after).not.toHaveProperty('log');
  expect((await readdir(workspace)).filter((name) => name.endsWith('.log'))).toEqual([]);
});
