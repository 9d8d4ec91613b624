import { execFile, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Finished } from './finish-goal.ts';

const run = promisify(execFile);

/** Kills one process at each of some moments, lets fresh ones finish what they left, and gives what came of it. */
export async function killAt(
  moments: readonly number[],
  {
    child,
    scenario,
    root,
    onKill,
  }: {
    readonly child: string;
    readonly scenario: string;
    readonly root: string;
    readonly onKill?: () => void;
  },
): Promise<readonly (Finished & { readonly moment: number })[]> {
  const reports: (Finished & { moment: number })[] = [];
  for (let from = 0; from < moments.length; from += BATCH) {
    const batch = moments.slice(from, from + BATCH);
    const killed: { moment: number; directory: string }[] = [];
    for (const moment of batch) {
      const directory = join(root, `${scenario}-${moment}`);
      mkdirSync(directory, { recursive: true });
      const signal = await new Promise((resolve) => {
        const crashing = spawn(
          process.execPath,
          [child, 'crash', scenario, directory, String(moment)],
          { stdio: 'inherit' },
        );
        crashing.on('exit', (_code, by) => resolve(by));
      });
      onKill?.();
      // A run that takes another turn may have fewer moments; it ended then, and must stand as well.
      killed.push({ moment: signal === 'SIGKILL' ? moment : -moment, directory });
    }
    const { stdout } = await run(
      process.execPath,
      [child, 'finish', scenario, ...killed.map(({ directory }) => directory)],
      { maxBuffer: 1 << 28 },
    );
    for (const [place, line] of stdout.trim().split('\n').entries()) {
      const found: Finished = JSON.parse(line);
      reports.push({ ...found, moment: killed[place]?.moment ?? 0 });
    }
    for (const { directory } of killed) rmSync(directory, { recursive: true, force: true });
  }
  return reports;
}

const BATCH = 50;
