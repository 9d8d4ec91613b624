import { copyFileSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@millforge/contracts';
import { openKernel } from '@millforge/kernel';
import { expect, test } from 'vitest';
import {
  acting,
  adapter,
  contract,
  modelTurn,
  outcome,
  randomIds,
  scope,
  systemClock,
  temporaryDirectory,
} from '../fixture.ts';

/** A kernel whose monotonic clock is put forward by hand, and its file. */
async function opened() {
  const path = join(temporaryDirectory(), 'data', 'trail.db');
  let now = 0;
  const clock: Clock = { ...systemClock, monotonicMs: () => now };
  const kernel = await openKernel({ path, clock, ids: randomIds });
  await kernel.admitGoal(scope, contract('first'));
  return {
    path,
    kernel,
    pass: (ms: number): void => {
      now += ms;
    },
  };
}

test.each([
  ['deleted', (path: string) => rmSync(path)],
  ['moved away', (path: string) => renameSync(path, `${path}.old`)],
  [
    'replaced by a copy of itself',
    (path: string) => {
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
    },
  ],
  ['lost with its log', (path: string) => rmSync(`${path}-wal`)],
  ['lost with its directory', (path: string) => rmSync(join(path, '..'), { recursive: true })],
])('acknowledges nothing more a quarter of a second after its file was %s', async (_, happens) => {
  const { path, kernel, pass } = await opened();
  happens(path);
  pass(250);
  const refused = {
    code: 'kernel/file-moved',
    message: expect.stringMatching(
      /trail\.db(-wal)? was deleted, moved or replaced while it was open, [^\n]*open the trail again\.$/,
    ),
  };
  await expect(kernel.admitGoal(scope, contract('second'))).rejects.toMatchObject(refused);
  await expect(kernel.listGoals(scope)).rejects.toMatchObject(refused);
  // The fault was told: closing what it closed already has nothing to add.
  await kernel[Symbol.asyncDispose]();
  await expect(kernel.listGoals(scope)).rejects.toMatchObject(refused);
});

test('rejects as it closes where it is the first to find that its file was deleted, and frees its name', async () => {
  const { path, kernel, pass } = await opened();
  rmSync(path);
  pass(250);
  const closing = { code: 'kernel/file-moved' };
  await expect(kernel[Symbol.asyncDispose]()).rejects.toMatchObject(closing);
  expect(readdirSync(join(path, '../owners'))).toEqual([]);
});

test('ends a run whose file was deleted with the reason, and begins no further act', async () => {
  const { path, kernel, pass } = await opened();
  const later = acting('late');
  const run = adapter(async (context) => {
    await context.perform(modelTurn(1), async () => {
      rmSync(path);
      pass(250);
      return { value: 'answer' };
    });
    await context.perform(modelTurn(2), later.run);
    return outcome();
  });
  await expect(kernel.runGoal(scope, 'first', { adapters: [run] }).done).rejects.toMatchObject({
    code: 'kernel/file-moved',
  });
  expect(later.count).toBe(0);
  await kernel[Symbol.asyncDispose]();
  expect(existsSync(path)).toBe(false);
});

test('leaves the log of a trail that was put in its place to whoever has that open', async () => {
  const { path, kernel, pass } = await opened();
  for (const suffix of ['', '-wal', '-shm']) renameSync(`${path}${suffix}`, `${path}.old${suffix}`);
  const other = await openKernel({ path, clock: systemClock, ids: randomIds });
  await other.admitGoal(scope, contract('other'));
  pass(250);
  await expect(kernel.listGoals(scope)).rejects.toMatchObject({ code: 'kernel/file-moved' });
  await kernel[Symbol.asyncDispose]();
  expect(existsSync(`${path}-wal`)).toBe(true);
  expect((await other.listGoals(scope)).map(({ goal_id }) => goal_id)).toEqual(['other']);
  expect(await other.verifyTrail(scope)).toMatchObject({ ok: true, goals: 1 });
  await other[Symbol.asyncDispose]();
});

test('goes on where the files stayed what they were', async () => {
  const { kernel, pass } = await opened();
  for (let goal = 0; goal < 20; goal += 1) {
    pass(250);
    await kernel.admitGoal(scope, contract(`goal-${goal}`));
  }
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true, goals: 21 });
  await kernel[Symbol.asyncDispose]();
});
