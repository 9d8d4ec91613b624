import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from './run-cli.ts';

// Node's recursive `mkdir` holds the whole process there, so that only a process of its own can be stopped.
test.runIf(process.platform === 'linux').each<[string, readonly string[], string]>([
  [
    'init',
    ['init', '/proc/none/of/them'],
    'millforge: The project in /proc/none/of/them cannot be written (ENOENT); choose another place.\n',
  ],
  [
    'doctor',
    ['doctor', '--data', '/proc/none/of/them'],
    '/proc/none/of/them cannot be made (ENOENT); choose another with --data.\n',
  ],
])(
  'a folder below one that takes no new ones is one sentence: %s',
  { tags: ['slow'] },
  (_, argv, said) => {
    const cwd = testFolder();
    const bin = join(import.meta.dirname, '../../src/bin.ts');
    const end = spawnSync(
      process.execPath,
      ['--conditions=millforge-src', `--import=${import.meta.resolve('tsx')}`, bin, ...argv],
      { cwd, timeout: 30_000, killSignal: 'SIGKILL', encoding: 'utf8', env: { HOME: cwd } },
    );
    expect(end.status).toBe(1);
    expect(`${end.stdout}${end.stderr}`).toContain(said);
  },
);
