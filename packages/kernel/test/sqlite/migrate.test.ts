import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../src/sqlite/migrate.ts';
import { temporaryDirectory } from '../fixture.ts';

const first = {
  name: '0001-owners',
  sql: 'CREATE TABLE owners (owner_id TEXT, pid INTEGER, host TEXT, is_gone INTEGER) STRICT',
};
const second = { name: '0002-notes', sql: 'CREATE TABLE notes (text TEXT) STRICT' };
const broken = { name: '0002-broken', sql: 'CREATE TABLE notes (text TEXT) STRICT; NONSENSE' };

function fresh() {
  const path = join(temporaryDirectory(), 'trail.db');
  const connection = new Database(path);
  onTestFinished(() => void connection.close());
  return { path, connection };
}

function versionOf(connection: Database.Database): unknown {
  return connection.pragma('user_version', { simple: true });
}

test('applies every migration once, each with its number', () => {
  const { path, connection } = fresh();
  const options = { path, migrations: [first, second], isAlive: () => false };
  migrate(connection, options);
  migrate(connection, options);
  expect(versionOf(connection)).toBe(2);
});

test('copies an older file beside itself first', () => {
  const { path, connection } = fresh();
  migrate(connection, { path, migrations: [first], isAlive: () => false });
  connection.exec(`INSERT INTO owners VALUES ('owner_1', 7, 'host', 0)`);
  migrate(connection, { path, migrations: [first, second], isAlive: () => false });
  const copy = new Database(`${path}.schema-1`, { readonly: true });
  expect(copy.prepare('SELECT owner_id FROM owners').pluck().all()).toEqual(['owner_1']);
  expect(versionOf(copy)).toBe(1);
  copy.close();
});

test('refuses to migrate under a process that lives, and changes nothing', () => {
  const { path, connection } = fresh();
  migrate(connection, { path, migrations: [first], isAlive: () => false });
  connection.exec(`INSERT INTO owners VALUES ('owner_1', 7, 'host', 0)`);
  expect(() =>
    migrate(connection, { path, migrations: [first, second], isAlive: () => true }),
  ).toThrow(/process 7 on host/);
  expect(versionOf(connection)).toBe(1);
  expect(existsSync(`${path}.schema-1`)).toBe(false);
});

test('undoes a migration that fails', () => {
  const { path, connection } = fresh();
  migrate(connection, { path, migrations: [first], isAlive: () => false });
  expect(() =>
    migrate(connection, { path, migrations: [first, broken], isAlive: () => false }),
  ).toThrow();
  expect(versionOf(connection)).toBe(1);
  expect(
    connection.prepare(`SELECT count(*) FROM sqlite_schema WHERE name = 'notes'`).pluck().get(),
  ).toBe(0);
});
