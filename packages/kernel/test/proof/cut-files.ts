import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MillforgeError, sha256 } from '@millforge/contracts';
import { openKernel } from '@millforge/kernel';
import { openKernelOn } from '../../src/open-kernel.ts';
import { crashClock, crashIds, crashScope } from '../crash/finish-goal.ts';
import { journalDriver } from '../crash/journal-driver.ts';
import { dump } from '../crash/recover-twice.ts';
import { type Scenario, tracesIn } from '../crash/scenario.ts';
import type { Random } from './virtual-time.ts';

/** What cutting files came to. */
export interface CutFigures {
  /** Cuts after which a consistent earlier state was there. */
  prefix: number;
  /** Cuts that were refused with a code. */
  refused: number;
  /** What does not hold. */
  readonly broken: string[];
}

/** A trail as it stood after each commit, and its files in the middle of all. */
export interface CutSubject {
  /** Digests of every state that was ever committed. */
  readonly states: ReadonlySet<string>;
  /** The database before its log, and the whole log. */
  readonly database: Buffer;
  readonly log: Buffer;
  /** The database alone, with everything in it. */
  readonly whole: Buffer;
}

/** Runs a goal and notes every state that its commits make. */
export async function makeSubject(scenario: Scenario, root: string): Promise<CutSubject> {
  const live = join(root, 'live');
  const look = join(root, 'look');
  mkdirSync(live, { recursive: true });
  mkdirSync(look, { recursive: true });
  const path = join(live, 'trail.db');
  const states = new Set<string>();
  let isOpen = false;
  const note = (): void => {
    if (!isOpen) return;
    cpSync(path, join(look, 'trail.db'));
    cpSync(`${path}-wal`, join(look, 'trail.db-wal'));
    rmSync(join(look, 'trail.db-shm'), { force: true });
    states.add(sha256(dump(join(look, 'trail.db'))));
  };
  const first = await openKernel({ path, clock: crashClock, ids: crashIds });
  await first[Symbol.asyncDispose]();
  const database = readFileSync(path);
  states.add(sha256(dump(path)));
  const kernel = await openKernelOn(
    journalDriver((point) => {
      if (point === 'after:COMMIT') note();
    }),
    { path, clock: crashClock, ids: crashIds },
  );
  isOpen = true;
  note();
  await kernel.admitGoal(crashScope, scenario.contract);
  const adapters = scenario.adapters(tracesIn(live), () => undefined);
  await kernel.runGoal(crashScope, scenario.contract.goal_id, { adapters }).done;
  const log = readFileSync(`${path}-wal`);
  isOpen = false;
  await kernel[Symbol.asyncDispose]();
  return { states, database, log, whole: readFileSync(path) };
}

/** Cuts the log at a drawn byte: what is left must be exactly what some commit made. */
export function cutLog(
  subject: CutSubject,
  {
    random,
    root,
    figures,
  }: { readonly random: Random; readonly root: string; readonly figures: CutFigures },
): void {
  const size = Math.floor(random() * (subject.log.length + 1));
  const directory = join(root, 'cut');
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'trail.db');
  writeFileSync(path, subject.database);
  writeFileSync(`${path}-wal`, subject.log.subarray(0, size));
  rmSync(`${path}-shm`, { force: true });
  const state = sha256(dump(path));
  if (subject.states.has(state)) figures.prefix += 1;
  else figures.broken.push(`the log cut at ${size} gives a state that no commit made`);
}

/** Cuts the database at a drawn byte: it is refused with a code, or holds as a whole. */
export async function cutDatabase(
  subject: CutSubject,
  {
    random,
    root,
    figures,
  }: { readonly random: Random; readonly root: string; readonly figures: CutFigures },
): Promise<void> {
  const size = 1 + Math.floor(random() * subject.whole.length);
  const directory = join(root, 'cut-database');
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'trail.db');
  writeFileSync(path, subject.whole.subarray(0, size));
  const before = readFileSync(path);
  try {
    const kernel = await openKernel({ path, clock: crashClock, ids: crashIds, check: true });
    try {
      const verdict = await kernel.verifyTrail(crashScope);
      if (verdict.ok && size === subject.whole.length) figures.prefix += 1;
      else figures.broken.push(`the database cut at ${size} of ${subject.whole.length} was used`);
    } finally {
      await kernel[Symbol.asyncDispose]();
    }
  } catch (error) {
    if (!MillforgeError.is(error) || !error.code.startsWith('kernel/')) throw error;
    figures.refused += 1;
    if (!readFileSync(path).equals(before)) {
      figures.broken.push(`the database cut at ${size} was refused and changed`);
    }
  }
}
