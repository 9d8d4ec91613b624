import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolWorld } from '../tool-world.ts';

// Node's recursive `mkdir` holds the whole process there, so that only a process of its own can be stopped.
test.runIf(process.platform === 'linux')(
  'a baseline below a folder that takes no new ones is refused at once',
  { tags: ['slow'] },
  async () => {
    const world = await toolWorld();
    await world.write('a', 'one\n');
    expect(openedIn('/proc/none/of/them', world.workspace)).toBe(
      "ENOENT: no such file or directory, mkdir '/proc/none'",
    );
    const beside = `${world.workspace}.baselines/of/this`;
    expect(openedIn(beside, world.workspace)).toBe('1 files');
    expect(openedIn(join(world.path('a'), 'x'), world.workspace)).toMatch(
      /^ENOTDIR: not a directory/,
    );
  },
);

function openedIn(directory: string, workspace: string): string {
  const conditions =
    process.env['MILLFORGE_TEST_DIST'] === undefined ? ['--conditions=millforge-src'] : [];
  const script = join(import.meta.dirname, 'one-baseline.ts');
  const end = spawnSync(
    process.execPath,
    [...conditions, '--import=tsx', script, workspace, directory],
    { timeout: 20_000, killSignal: 'SIGKILL', encoding: 'utf8' },
  );
  return end.signal ?? end.stdout;
}
