import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openKernel } from '@millforge/kernel';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { contract, open, randomIds, scope, systemClock, temporaryDirectory } from '../fixture.ts';

const opening = (path: string) => openKernel({ path, clock: systemClock, ids: randomIds });

/** A trail with a goal, which nobody has open. */
async function trailFile(): Promise<string> {
  const directory = temporaryDirectory();
  const kernel = await open(directory);
  await kernel.admitGoal(scope, contract('goal'));
  await kernel[Symbol.asyncDispose]();
  return join(directory, 'trail.db');
}

function change(path: string, sql: string): void {
  const connection = new Database(path);
  connection.exec(sql);
  connection.close();
}

const places: readonly (readonly [string, (directory: string) => string])[] = [
  [
    'a pipe',
    (directory) => {
      execFileSync('mkfifo', [join(directory, 'trail.db')]);
      return join(directory, 'trail.db');
    },
  ],
  ['a device', () => '/dev/null'],
  [
    'a link that leads to itself',
    (directory) => {
      symlinkSync('trail.db', join(directory, 'trail.db'));
      return join(directory, 'trail.db');
    },
  ],
  ['a path with a null character', (directory) => `${directory}/\0/trail.db`],
  ['no path', () => ''],
];

test.each(places)('refuses %s as a trail, and says what to name instead', async (_, make) => {
  await expect(opening(make(temporaryDirectory()))).rejects.toMatchObject({
    code: 'kernel/path-invalid',
    message: expect.stringMatching(/; name .+\.$|name its file/),
  });
});

test.each([
  ['a version below the first', 'PRAGMA user_version = -1'],
  ['no version beside its tables', 'PRAGMA user_version = 0'],
  ['an index too many', 'CREATE INDEX more ON trail (type)'],
  ['an index too few', 'DROP INDEX goals_by_id'],
  ['a trigger', 'CREATE TRIGGER eraser AFTER INSERT ON goals BEGIN DELETE FROM trail; END'],
  ['a view', 'CREATE VIEW more AS SELECT 1'],
  ['a table too many', 'CREATE TABLE more (more)'],
  ['a column too many', 'ALTER TABLE goals ADD COLUMN more TEXT'],
])('refuses a trail that has %s, and leaves the file as it was', async (_, sql) => {
  const path = await trailFile();
  change(path, sql);
  const bytes = readFileSync(path);
  await expect(opening(path)).rejects.toMatchObject({
    code: 'kernel/corrupt',
    message: expect.stringMatching(/^[^\n]+\.$/),
  });
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

test('refuses a file that has the mark of a trail and nothing else, and leaves it as it was', async () => {
  const path = join(temporaryDirectory(), 'trail.db');
  change(path, 'PRAGMA application_id = 0x4d465452; PRAGMA user_version = 4;');
  const bytes = readFileSync(path);
  await expect(opening(path)).rejects.toMatchObject({ code: 'kernel/corrupt' });
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

test('finds a trigger that was put in while the trail is open, and names it', async () => {
  const directory = temporaryDirectory();
  const kernel = await open(directory);
  await kernel.admitGoal(scope, contract('goal'));
  change(
    join(directory, 'trail.db'),
    'CREATE TRIGGER eraser AFTER INSERT ON notes BEGIN DELETE FROM holds; END',
  );
  await expect(kernel.verifyTrail(scope)).rejects.toMatchObject({
    code: 'kernel/corrupt',
    message: expect.stringMatching('trigger eraser'),
  });
});
