import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, symlinkSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { MillforgeError } from '@millforge/contracts';
import { openKernel } from '@millforge/kernel';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../fixture.ts';
import { crashClock, crashIds, crashScope, finishGoal } from './finish-goal.ts';
import { type Scenario, tracesIn } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

/** Every so many moments in the default run; `MILLFORGE_FULL_DISK_STEP=1` takes them all. */
const STEP = Number(process.env['MILLFORGE_FULL_DISK_STEP'] ?? 5);

const canMount = process.getuid?.() === 0 && spawnSync('mount', ['--version']).status === 0;

test.runIf(canMount).each(Object.values(SCENARIOS))(
  'says in one sentence that the disk became full at any moment of a goal of kind $name, and keeps every promise',
  { tags: ['slow'] },
  async (scenario) => {
    const disk = smallDisk();
    if (disk === null) return;
    const whole = await runUntilFull(ground(disk, 'whole'), scenario, Number.POSITIVE_INFINITY);
    expect(whole.told).toEqual([]);
    expect(whole.moments).toBeGreaterThan(30);

    const codes = new Set<string>();
    const broken: object[] = [];
    for (let place = 1; place <= whole.moments; place += STEP) {
      const directory = ground(disk, `at-${place}`);
      const { at, told } = await runUntilFull(directory, scenario, place);
      const { faults } = await finishGoal(directory, scenario);
      const unclear = told.filter((one) => !isClear(one));
      if (faults.length > 0 || unclear.length > 0)
        broken.push({ place, at, faults, unclear: unclear.map(String), told: told.map(String) });
      for (const one of told) if (MillforgeError.is(one)) codes.add(one.code);
      rmSync(directory, { recursive: true });
    }
    expect(broken).toEqual([]);
    expect([...codes]).toContain('kernel/disk-full');
  },
);

/** Runs a goal whose disk is full from one moment on, and has space again once the kernel is closed. */
async function runUntilFull(directory: string, scenario: Scenario, place: number) {
  const filler = join(directory, '..', `${basename(directory)}.filler`);
  const told: unknown[] = [];
  let moments = 0;
  let at = '';
  const opening = openKernel({
    path: join(directory, 'trail.db'),
    clock: crashClock,
    ids: crashIds,
    failpoint(name) {
      moments += 1;
      if (moments !== place) return;
      at = name;
      fill(filler);
    },
  });
  try {
    await using kernel = await opening;
    await kernel.admitGoal(crashScope, scenario.contract);
    const adapters = scenario.adapters(tracesIn(directory), () => undefined);
    await kernel.runGoal(crashScope, scenario.contract.goal_id, { adapters }).done;
  } catch (error) {
    // Closing on a full disk can fail as well.
    const isDouble = error instanceof Error && 'suppressed' in error;
    told.push(isDouble ? error.suppressed : error);
  }
  rmSync(filler, { force: true });
  return { moments, at, told };
}

/** A directory on the disk whose traces, which are no part of the trail, lie elsewhere. */
function ground(disk: string, name: string): string {
  const directory = join(disk, name);
  mkdirSync(directory);
  const elsewhere = tracesIn(temporaryDirectory());
  for (const [trace, file] of Object.entries(tracesIn(directory))) {
    const target = Object.entries(elsewhere).find(([other]) => other === trace)?.[1];
    if (target !== undefined) symlinkSync(target, file);
  }
  return directory;
}

/** Writes until nothing more fits. */
function fill(file: string): void {
  const descriptor = openSync(file, 'w');
  try {
    for (;;) writeSync(descriptor, BLOCK);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** Whether an error is one sentence of the kernel that says what is wrong with the disk. */
function isClear(error: unknown): boolean {
  return MillforgeError.is(error) && CLEAR.has(error.code) && /^[^\n]+\.$/.test(error.message);
}

function smallDisk(): string | null {
  const directory = join(temporaryDirectory(), 'disk');
  mkdirSync(directory);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', directory]);
  if (mounted.status !== 0) return null;
  onTestFinished(() => void spawnSync('umount', ['-l', directory]));
  return directory;
}

const BLOCK = new Uint8Array(4096);
const CLEAR: ReadonlySet<string> = new Set(['kernel/disk-full', 'kernel/commit-unknown']);
