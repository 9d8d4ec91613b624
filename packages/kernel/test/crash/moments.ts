import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKernelOn } from '../../src/open-kernel.ts';
import { crashClock, crashIds, crashScope } from './finish-goal.ts';
import { journalDriver } from './journal-driver.ts';
import { type Scenario, tracesIn } from './scenario.ts';

/** A folder that is gone with the machine, where syncing costs nothing: what is looked at is what was written. */
export function volatileFolder(name: string): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), name));
}

/** What a process leaves that is killed at some moments. */
export interface Leftover {
  /** All moments at which exactly this is left. */
  readonly moments: readonly string[];
  /** A copy of all files. */
  readonly directory: string;
}

/**
 * Runs a goal to its end once, and at every moment on the way looks at all its files: exactly what a process that is
 * killed there leaves behind, since the system keeps what it was given and nothing else. What differs is kept.
 */
export async function copyAtEveryMoment(
  scenario: Scenario,
  root: string,
): Promise<readonly Leftover[]> {
  const whole = join(root, 'whole');
  mkdirSync(whole, { recursive: true });
  const left: { moments: string[]; directory: string }[] = [];
  let last = '';
  const reach = (moment: string): void => {
    const digest = digestOf(whole);
    if (digest !== last) {
      const directory = join(root, String(left.length));
      cpSync(whole, directory, { recursive: true });
      left.push({ moments: [], directory });
      last = digest;
    }
    left.at(-1)?.moments.push(moment);
  };
  const kernel = await openKernelOn(journalDriver(reach), {
    path: join(whole, 'trail.db'),
    clock: crashClock,
    ids: crashIds,
    failpoint: reach,
  });
  await kernel.admitGoal(crashScope, scenario.contract);
  const adapters = scenario.adapters(tracesIn(whole), reach);
  await kernel.runGoal(crashScope, scenario.contract.goal_id, { adapters }).done;
  await kernel[Symbol.asyncDispose]();
  return left;
}

/** Digest over all files; the index of the write-ahead log is made anew after a kill. */
function digestOf(directory: string): string {
  const hash = createHash('sha256');
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  for (const name of names.toSorted()) {
    const path = join(directory, name);
    hash.update(name);
    if (statSync(path).isFile() && !name.endsWith('-shm')) hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}
