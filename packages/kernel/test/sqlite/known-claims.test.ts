import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase, type Database, type Transaction } from '../../src/sqlite/database.ts';
import { MIGRATIONS } from '../../src/sqlite/embedded-migrations.ts';
import { systemClock, temporaryDirectory } from '../fixture.ts';

const CLAIM = { goal: 1, tenant: 'local', taskId: 'run', number: 1 };

/** A file with one goal, one attempt and one record. */
function fileWithGoal(): { readonly db: Database; readonly path: string } {
  const path = join(temporaryDirectory(), 'trail.db');
  const connection = new Sqlite(path, { timeout: 0 });
  connection.pragma('journal_mode = WAL');
  for (const { sql } of MIGRATIONS) connection.exec(sql);
  connection.pragma(`user_version = ${MIGRATIONS.length}`);
  connection.exec(`
    INSERT INTO goals VALUES
      (1, 'local', 'g', 'uid', 'r', 'ann', '', '', 0, '', 'running', 1, 1, 1, 0, 0, 0, NULL, NULL, NULL, 0, '', '');
    INSERT INTO attempts (goal, tenant, task_id, number, state, version, fence, units, resumes, elapsed_ms, admitted_at)
      VALUES (1, 'local', 'run', 1, 'running', 1, 7, 1, 0, 0, '')`);
  const db = createDatabase(connection, {
    path,
    clock: systemClock,
    schemaVersion: MIGRATIONS.length,
    lockTimeoutMs: 200,
    random: () => 0.5,
    failpoint: undefined,
  });
  onTestFinished(() => db.close());
  return { db, path };
}

function append(tx: Transaction, seq: number): void {
  const text = { at: 'now', type: 'a-record', actor: 'ann', data: '{}', previous_sha256: '' };
  tx.append({ goal: 1, tenant: 'local', seq, ...text, record_sha256: `digest ${seq}` });
}

const headOf = (db: Database) =>
  db.write('record-operation', (tx) => tx.claimed(CLAIM)?.head_sha256);

async function withOneRecord() {
  const { db, path } = fileWithGoal();
  await db.write('record-operation', (tx) => append(tx, 1));
  expect(await headOf(db)).toBe('digest 1');
  return { db, path };
}

test('knows the record that it appended last', async () => {
  const { db } = await withOneRecord();
  await db.write('record-operation', (tx) => append(tx, 2));
  expect(await headOf(db)).toBe('digest 2');
  expect(await db.read((tx) => tx.claimed(CLAIM))).toEqual(
    await db.write('record-operation', (tx) => tx.claimed(CLAIM)),
  );
});

test('forgets a record that was undone, alone or in a group', async () => {
  const { db } = await withOneRecord();
  const undone = (): Promise<unknown> =>
    db.write('record-operation', (tx) => {
      append(tx, 2);
      throw new Error('No.');
    });
  await expect(undone()).rejects.toThrow('No.');
  expect(await headOf(db)).toBe('digest 1');
  const [first, second] = await Promise.allSettled([undone(), headOf(db)]);
  expect(first.status).toBe('rejected');
  expect(second).toMatchObject({ value: 'digest 1' });
});

test('sees what another connection wrote', async () => {
  const { db, path } = await withOneRecord();
  const other = new Sqlite(path, { timeout: 0 });
  onTestFinished(() => void other.close());
  other.exec('UPDATE attempts SET fence = 8');
  expect(await db.write('record-operation', (tx) => tx.claimed(CLAIM))).toMatchObject({
    fence: 8,
    head_seq: 1,
  });
});

test('sees what it changed of a goal or an attempt, by a statement of its own too', async () => {
  const { db } = await withOneRecord();
  const claimed = await db.write('record-operation', (tx) => {
    tx.update('goals', { goal: 1, tenant: 'local' }, { state: 'held' });
    tx.update('attempts', { goal: 1, tenant: 'local' }, { state: 'suspended' });
    const updated = tx.claimed(CLAIM);
    tx.run('UPDATE attempts SET fence = 9');
    return [updated, tx.claimed(CLAIM)];
  });
  expect(claimed).toMatchObject([
    { state: 'held', attempt_state: 'suspended', fence: 7 },
    { state: 'held', attempt_state: 'suspended', fence: 9 },
  ]);
});

test('tells nothing of a claim to another tenant, nor of another attempt', async () => {
  const { db } = await withOneRecord();
  const others = await db.write('record-operation', (tx) => [
    tx.claimed({ ...CLAIM, tenant: 'other' }),
    tx.claimed({ ...CLAIM, number: 2 }),
    tx.claimed({ ...CLAIM, taskId: 'walk' }),
  ]);
  expect(others).toEqual([undefined, undefined, undefined]);
});
