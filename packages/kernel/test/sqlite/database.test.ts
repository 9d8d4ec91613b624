import { join } from 'node:path';
import type { Clock } from '@millforge/contracts';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../src/sqlite/database.ts';
import { systemClock, temporaryDirectory } from '../fixture.ts';

function database(
  prepare?: (connection: Sqlite.Database) => Sqlite.Database,
  clock: Clock = systemClock,
) {
  const path = join(temporaryDirectory(), 'trail.db');
  const connection = new Sqlite(path, { timeout: 0 });
  connection.exec('CREATE TABLE notes (text TEXT NOT NULL) STRICT; PRAGMA user_version = 1');
  const db = createDatabase(prepare?.(connection) ?? connection, {
    path,
    clock,
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
  const { db } = database((connection) => failingAt(connection, 'COMMIT'));
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

test('writes together what waits at the same moment, each undone for itself', async () => {
  const statements: string[] = [];
  const { db } = database((connection) => watched(connection, (sql) => statements.push(sql)));
  const writes = Array.from({ length: 5 }, (_, place) =>
    db.write('admit-goal', (tx) => {
      tx.run(INSERT, `note ${place}`);
      if (place === 2) throw new Error('Not this one.');
      return place;
    }),
  );
  const settled = await Promise.allSettled(writes);
  expect(settled.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
  expect(statements.filter((sql) => sql === 'COMMIT')).toHaveLength(1);
  expect(await db.read((tx) => tx.all('SELECT text FROM notes'))).toEqual(
    [0, 1, 3, 4].map((place) => ({ text: `note ${place}` })),
  );
});

test('writes many runs together for as long as they go on, however long a turn takes', async () => {
  const statements: string[] = [];
  let now = 0;
  // Each look at the clock finds that the turn has lasted too long, and each group that the lock was held too long.
  const slow: Clock = { ...systemClock, monotonicMs: () => (now += 60), delay: async () => {} };
  const { db } = database((connection) => watched(connection, (sql) => statements.push(sql)), slow);
  const runs = Array.from({ length: 20 }, async (_, run) => {
    for (let step = 0; step < 10; step += 1) {
      // Some runs come back sooner than others.
      for (let hop = 0; hop < run; hop += 1) await Promise.resolve();
      await db.write('record-operation', (tx) => tx.run(INSERT, 'x'));
    }
  });
  await Promise.all(runs);
  expect(statements.filter((sql) => sql === 'COMMIT')).toHaveLength(10);
});

test('gives each its own answer when one of them fills the disk', async () => {
  const { db, connection } = database();
  await db.write('admit-goal', (tx) => tx.run(INSERT, 'first'));
  const pages = Number(connection.pragma('page_count', { simple: true }));
  connection.pragma(`max_page_count = ${pages + 2}`);
  const texts = ['a', 'x'.repeat(100_000), 'b'];
  const settled = await Promise.allSettled(
    texts.map((text) => db.write('admit-goal', (tx) => tx.run(INSERT, text))),
  );
  expect(settled.map((one) => (one.status === 'rejected' ? one.reason.code : 'written'))).toEqual([
    'written',
    'kernel/disk-full',
    'written',
  ]);
});

test('tells all of a group when nobody knows what became durable', async () => {
  const { db } = database((connection) => failingAt(connection, 'COMMIT'));
  const settled = await Promise.allSettled(
    ['a', 'b'].map((text) => db.write('admit-goal', (tx) => tx.run(INSERT, text))),
  );
  expect(settled.map((one) => (one.status === 'rejected' ? one.reason.code : 'written'))).toEqual([
    'kernel/commit-unknown',
    'kernel/commit-unknown',
  ]);
});

test('refuses new goals and decisions when too many writes wait, and keeps what runs waiting', async () => {
  const { db } = database();
  const results: Promise<PromiseSettledResult<unknown>>[] = [];
  const write = (name: 'admit-goal' | 'record-operation'): void => {
    const written = db.write(name, () => null);
    results.push(
      written.then(
        (value) => ({ status: 'fulfilled', value }),
        (reason: unknown) => ({ status: 'rejected', reason }),
      ),
    );
  };
  for (let count = 0; count < 4096; count += 1) write('record-operation');
  write('admit-goal');
  write('record-operation');
  const settled = await Promise.all(results);
  expect(settled.filter(({ status }) => status === 'rejected')).toMatchObject([
    { reason: { code: 'kernel/busy' } },
  ]);
  expect(settled[4096]?.status).toBe('rejected');
});

/** A connection that tells every statement that it runs. */
function watched(connection: Sqlite.Database, tell: (sql: string) => void): Sqlite.Database {
  return new Proxy(connection, {
    get(target, name) {
      if (name !== 'prepare') {
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return (sql: string) => {
        const statement = target.prepare(sql);
        return new Proxy(statement, {
          get(inner, call) {
            const value: unknown = Reflect.get(inner, call, inner);
            if (typeof value !== 'function') return value;
            return (...values: unknown[]) => {
              if (call === 'run') tell(sql);
              return Reflect.apply(value, inner, values);
            };
          },
        });
      };
    },
  });
}

function failingAt(connection: Sqlite.Database, sql: string): Sqlite.Database {
  return watched(connection, (ran) => {
    if (ran === sql) throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC');
  });
}
