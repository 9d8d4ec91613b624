import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BETWEEN, type Ended, type FaultyCase, goOn } from './faulty-publication.ts';

/** Kills a process that publishes at its COUNT-th moment, goes on after it, and gives what came of it. */
export async function killPublication(
  one: FaultyCase,
  moment: number,
  {
    child,
    completed,
    root,
  }: { readonly child: string; readonly completed: string; readonly root: string },
): Promise<Ended & { readonly isKilled: boolean }> {
  const directory = join(root, `${CASE_FOLDER}-${moment}`);
  mkdirSync(root, { recursive: true });
  cpSync(completed, directory, { recursive: true });
  const signal = await new Promise((resolve) => {
    const publishing = spawn(process.execPath, [child, one.name, directory, String(moment)], {
      stdio: 'inherit',
    });
    publishing.on('exit', (_code, by) => resolve(by));
  });
  const between = BETWEEN[moment % BETWEEN.length] ?? 'nothing';
  const ended = await goOn(directory, one, {
    between,
    arrives: moment % 2 === 0 ? 'early' : 'late',
  });
  rmSync(directory, { recursive: true, force: true });
  return { ...ended, isKilled: signal === 'SIGKILL' };
}

const CASE_FOLDER = 'killed';
