import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openKernel } from '@millforge/kernel';
import { expect, onTestFinished, test } from 'vitest';
import { bundleChild } from './bundle-child.ts';
import {
  acting,
  adapter,
  contract,
  modelTurn,
  open,
  outcome,
  randomIds,
  scope,
  systemClock,
  temporaryDirectory,
} from './fixture.ts';

/** Mounts a file system of a megabyte, where that is allowed; gives null elsewhere. */
function smallDisk(): string | null {
  const directory = join(temporaryDirectory(), 'disk');
  mkdirSync(directory);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory]);
  if (mounted.status !== 0) return null;
  onTestFinished(() => void spawnSync('umount', ['-l', directory]));
  return directory;
}

const canMount = process.getuid?.() === 0 && spawnSync('mount', ['--version']).status === 0;

test.runIf(canMount)(
  'says in one sentence that a real disk is full, and goes on when there is space',
  async () => {
    const directory = smallDisk();
    if (directory === null) return;
    const path = join(directory, 'data', 'trail.db');
    const kernel = await openKernel({ path, clock: systemClock, ids: randomIds });
    const large = 'x'.repeat(200_000);
    const failures: unknown[] = [];
    let goals = 0;
    for (let place = 0; place < 50 && failures.length === 0; place += 1) {
      const admitted = contract(`goal-${place}`, { inputs: { large: `${large}${place}` } });
      try {
        await kernel.admitGoal(scope, admitted);
        goals += 1;
      } catch (error) {
        failures.push(error);
      }
    }
    expect(failures[0]).toMatchObject({
      code: 'kernel/disk-full',
      message: expect.stringMatching(
        /^The disk of .* is full; free some space and try again, nothing is lost\.$/,
      ),
    });
    expect(goals).toBeGreaterThan(0);
    expect(await kernel.listGoals(scope)).toHaveLength(goals);

    expect(spawnSync('mount', ['-o', 'remount,size=8m', directory]).status).toBe(0);
    const run = adapter(async (context) => {
      await context.perform(modelTurn(1), acting('a').run);
      return outcome();
    });
    expect((await kernel.runGoal(scope, 'goal-0', { adapters: [run] }).done).state).toBe(
      'completed',
    );
    expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true, goals });
    await kernel[Symbol.asyncDispose]();
  },
);

test.runIf(canMount)('says of artifacts and backups, too, that the disk is full', async () => {
  const disk = smallDisk();
  if (disk === null) return;
  const full = { code: 'kernel/disk-full', message: expect.stringMatching(/\(ENOSPC\); free /) };
  const kernel = await open(join(disk, 'data'));
  const large = { mediaType: 'text/plain', maxBytes: 9_000_000 };
  const put = (bytes: number) => kernel.artifacts(scope).put(Buffer.alloc(bytes), large);
  await expect(put(8_000_000)).rejects.toMatchObject(full);
  // What was begun is gone, so that there is room for what is smaller.
  await put(1000);

  const other = await open(join(temporaryDirectory(), 'data'));
  await other.admitGoal(scope, contract('goal-1'));
  const saving = adapter(async (context) => {
    await context.saveArtifact(Buffer.alloc(8_000_000), large);
    return outcome();
  });
  await other.runGoal(scope, 'goal-1', { adapters: [saving] }).done;
  await expect(other.backup(join(disk, 'copy'))).rejects.toMatchObject(full);
  expect(readdirSync(disk)).toEqual(['data']);
});

test('says in one sentence that a directory may not be written, and leaves it as it was', {
  tags: ['slow'],
}, async () => {
  const child = await bundleChild(join(import.meta.dirname, 'opening-child.ts'));
  const directory = join(temporaryDirectory(), 'data');
  mkdirSync(directory);
  onTestFinished(() => {
    rmSync(dirname(child), { recursive: true, force: true });
    chmodSync(directory, 0o700);
  });
  // Nobody's rights are asked of root, so that it opens the trail as somebody else.
  chmodSync(dirname(directory), 0o755);
  chmodSync(directory, 0o555);
  const other = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const opened = spawnSync(process.execPath, [child, join(directory, 'trail.db')], {
    ...other,
    encoding: 'utf8',
  });
  expect(opened.stderr).toBe('');
  expect(JSON.parse(opened.stdout)).toEqual({
    code: expect.stringMatching(/^kernel\/(no-permission|read-only)$/),
    message: expect.stringMatching(/^[^\n]*data[^\n]*\.$/),
  });
  expect(readdirSync(directory)).toEqual([]);
});

const NOBODY = 65_534;

test.runIf(canMount)('says in one sentence that a file system is read-only', async () => {
  const directory = smallDisk();
  if (directory === null) return;
  expect(spawnSync('mount', ['-o', 'remount,ro', directory]).status).toBe(0);
  const opening = openKernel({
    path: join(directory, 'data', 'trail.db'),
    clock: systemClock,
    ids: randomIds,
  });
  await expect(opening).rejects.toMatchObject({
    code: 'kernel/read-only',
    message: expect.stringMatching(/^The data directory .* cannot be used \(EROFS\); .*\.$/),
  });
});

test.runIf(canMount)(
  'says in one sentence that the file system of a trail became read-only, and leaves it as it was',
  async () => {
    const directory = smallDisk();
    if (directory === null) return;
    const options = {
      path: join(directory, 'data', 'trail.db'),
      clock: systemClock,
      ids: randomIds,
    };
    const kernel = await openKernel(options);
    await kernel.admitGoal(scope, contract('goal-1'));
    await kernel[Symbol.asyncDispose]();
    expect(spawnSync('mount', ['-o', 'remount,ro', directory]).status).toBe(0);
    await expect(openKernel(options)).rejects.toMatchObject({
      code: 'kernel/read-only',
      message: expect.stringMatching(/^The data directory .* cannot be used \(EROFS\); .*\.$/),
    });
    expect(spawnSync('mount', ['-o', 'remount,rw', directory]).status).toBe(0);
    const again = await openKernel(options);
    expect(await again.verifyTrail(scope)).toMatchObject({ ok: true, goals: 1 });
    await again[Symbol.asyncDispose]();
  },
);
