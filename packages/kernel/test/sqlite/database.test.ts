import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../src/sqlite/database.ts';
import { systemClock, temporaryDirectory } from '../fixture.ts';

function database(prepare?: (connection: Sqlite.Database) => Sqlite.Database) {
  const path = join(temporaryDirectory(), 'trail.db');
  const connection = new Sqlite(path, { timeout: 0 });
  connection.exec('CREATE TABLE notes (text TEXT NOT NULL) STRICT; PRAGMA user_version = 1');
  const db = createDatabase(prepare?.(connection) ?? connection, {
    path,
    clock: systemClock,
    schemaVersion: 1,
    lockTimeoutMs: 200,
    random: () => 0.5,
    failpoint: undefined,
  });
  onTestFinished(() => db.close());
  return { db, connection, path };
}

const INSERT = 'INSERT INTO notes (text) VALUES (?)';

test('undoes all of a transaction that fails', async () => {
  const { db } = database();
  const failing = db.write('admit-goal', (tx) => {
    tx.run(INSERT, 'half');
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await db.read((tx) => tx.all('SELECT text FROM notes'))).toEqual([]);
});

test('reports a full disk, keeps what was written, and goes on when there is space', async () => {
  const { db, connection } = database();
  await db.write('admit-goal', (tx) => tx.run(INSERT, 'first'));
  const pages = Number(connection.pragma('page_count', { simple: true }));
  connection.pragma(`max_page_count = ${pages + 2}`);
  const large = 'x'.repeat(100_000);
  await expect(db.write('admit-goal', (tx) => tx.run(INSERT, large))).rejects.toMatchObject({
    code: 'kernel/disk-full',
  });
  connection.pragma('max_page_count = 1000000');
  await db.write('admit-goal', (tx) => tx.run(INSERT, large));
  expect(await db.read((tx) => tx.all('SELECT length(text) AS size FROM notes'))).toEqual([
    { size: 5 },
    { size: 100_000 },
  ]);
});

test('closes when the disk fails in a commit, since nobody knows what became durable', async () => {
  const { db } = database((connection) => {
    return new Proxy(connection, {
      get(target, name) {
        if (name === 'prepare') return (sql: string) => failingCommit(target, sql);
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  });
  await expect(db.write('admit-goal', (tx) => tx.run(INSERT, 'lost?'))).rejects.toMatchObject({
    code: 'kernel/commit-unknown',
  });
  await expect(db.read((tx) => tx.all('SELECT 1'))).rejects.toMatchObject({
    code: 'kernel/commit-unknown',
  });
});

test('lets two connections in turn write to one file', async () => {
  const { db, path } = database();
  const other = new Sqlite(path, { timeout: 0 });
  onTestFinished(() => void other.close());
  const second = createDatabase(other, {
    path,
    clock: systemClock,
    schemaVersion: 1,
    lockTimeoutMs: 5000,
    random: Math.random,
    failpoint: undefined,
  });
  const writes = [db, second].map(async (one) => {
    for (let count = 0; count < 50; count += 1) {
      await one.write('admit-goal', (tx) => tx.run(INSERT, 'x'));
    }
  });
  await Promise.all(writes);
  expect(await db.read((tx) => tx.get('SELECT count(*) AS count FROM notes'))).toEqual({
    count: 100,
  });
});

function failingCommit(connection: Sqlite.Database, sql: string): Sqlite.Statement {
  const statement = connection.prepare(sql);
  if (sql !== 'COMMIT') return statement;
  return new Proxy(statement, {
    get(target, name) {
      if (name !== 'run') return Reflect.get(target, name, target);
      return () => {
        throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC');
      };
    },
  });
}
