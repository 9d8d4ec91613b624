import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolWorld } from '../tool-world.ts';

// Node's recursive `mkdir` holds the whole process there, so that only a process of its own can be stopped.
test.runIf(process.platform === 'linux')(
  'a write below a folder that takes no new ones is told at once',
  { tags: ['slow'] },
  async () => {
    const { workspace } = await toolWorld();
    const script = join(import.meta.dirname, 'one-call.ts');
    const conditions =
      process.env['MILLFORGE_TEST_DIST'] === undefined ? ['--conditions=millforge-src'] : [];
    const input = JSON.stringify({ path: '/proc/none/of/them', content: 'x' });
    const end = spawnSync(
      process.execPath,
      [...conditions, '--import=tsx', script, workspace, 'write', input],
      { timeout: 20_000, killSignal: 'SIGKILL', encoding: 'utf8' },
    );
    expect(end.signal).toBe(null);
    expect(JSON.parse(end.stdout)).toMatchObject({
      kind: 'failed',
      code: 'not_found',
      text: "ENOENT: no such file or directory, mkdir '/proc/none'",
    });
  },
);
