import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '@millforge/contracts/testing';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import type { Driver } from '../../src/sqlite/driver.ts';
import { MIGRATIONS } from '../../src/sqlite/embedded-migrations.ts';
import { migrate } from '../../src/sqlite/migrate.ts';
import { openDatabase } from '../../src/sqlite/open-database.ts';
import { isBusy } from '../../src/sqlite/sql-fault.ts';
import { temporaryDirectory } from '../fixture.ts';

const isAlive = (): boolean => false;

/** What another process does to a file that it opens at the same moment. */
function makeTrail(path: string): 'made' | 'busy' {
  const other = new Database(path, { timeout: 0 });
  try {
    migrate(other, { path, migrations: MIGRATIONS, isAlive });
    return 'made';
  } catch (error) {
    if (isBusy(error)) return 'busy';
    throw error;
  } finally {
    other.close();
  }
}

test('a file that another process makes between two looks is no file of another program', async () => {
  const path = join(temporaryDirectory(), 'trail.db');
  const met: string[] = [];
  const driver: Driver = (file, options) => {
    const connection = new Database(file, options);
    const pragma = connection.pragma.bind(connection);
    connection.pragma = (source, how) => {
      const found: unknown = pragma(source, how);
      if (source === 'application_id' && met.length === 0 && file === path) {
        met.push(makeTrail(path));
      }
      return found;
    };
    return connection;
  };
  const db = await openDatabase({
    path,
    driver,
    clock: manualClock(),
    migrations: MIGRATIONS,
    check: false,
    adopt: false,
    lockTimeoutMs: 1000,
    random: () => 0,
    failpoint: undefined,
    isAlive,
  });
  onTestFinished(() => db.close());
  expect(met).toHaveLength(1);
});

test('a new file is never seen half made, so no copy of an older one is taken of it', () => {
  const path = join(temporaryDirectory(), 'trail.db');
  const connection = new Database(path);
  onTestFinished(() => void connection.close());
  const exec = connection.exec.bind(connection);
  const seen: unknown[] = [];
  connection.exec = (source) => {
    const other = new Database(path, { readonly: true });
    seen.push(other.pragma('user_version', { simple: true }));
    other.close();
    return exec(source);
  };
  migrate(connection, { path, migrations: MIGRATIONS, isAlive });
  expect(connection.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
  expect(new Set(seen)).toEqual(new Set([0]));
  expect(existsSync(`${path}.schema-1`)).toBe(false);
});
