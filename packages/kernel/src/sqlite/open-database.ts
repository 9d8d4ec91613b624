import { chmodSync, existsSync, statSync } from 'node:fs';
import { type Clock, MillforgeError } from '@millforge/contracts';
import type { Failpoint } from '../failpoints.ts';
import { createDatabase, type Database } from './database.ts';
import type { Connection, Driver } from './driver.ts';
import { APPLICATION_ID, BACKUP_ID, type Migration, migrate } from './migrate.ts';
import { prepareDirectory } from './prepare-directory.ts';
import { isBusy, sqlFault } from './sql-fault.ts';
import { watchFiles } from './watch-files.ts';
import { assertWritableFiles } from './writable-file.ts';

/** How a trail's file is opened. */
export interface OpenDatabaseOptions {
  readonly path: string;
  readonly driver: Driver;
  readonly clock: Clock;
  readonly migrations: readonly Migration[];
  readonly check: boolean;
  /** Whether a backup is opened as a trail of its own. */
  readonly adopt: boolean;
  readonly lockTimeoutMs: number;
  readonly random: () => number;
  readonly failpoint: ((name: Failpoint) => void) | undefined;
  /** Whether a process that registered itself in the file still runs. */
  readonly isAlive: (ownerId: string) => boolean;
}

/** Opens the file, making it when it is missing; a file that is refused is left as it was. */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const { path, clock } = options;
  prepareDirectory(path);
  assertWritableFiles(path);
  const isNew = !existsSync(path);
  const sizes = sizesOf(path);
  let connection: Connection | null = null;
  try {
    connection = options.driver(path, { timeout: 0 });
    const opened = connection;
    // Before the first write: the files that SQLite puts beside it take over its mode.
    if (isNew) chmodSync(path, 0o600);
    const start = clock.monotonicMs();
    for (;;) {
      try {
        // Before the first setting that could be written: what is refused stays as it was.
        const version = assertTrail(opened, options, sizes);
        const isCurrent = version === options.migrations.length;
        configure(opened);
        options.failpoint?.('before:migrate');
        migrate(opened, options);
        options.failpoint?.('after:migrate');
        if (!isCurrent) checkSchema(opened, options);
        if (options.check) checkPages(opened, path);
        break;
      } catch (error) {
        if (!isBusy(error) || clock.monotonicMs() - start >= options.lockTimeoutMs) throw error;
      }
      await clock.delay(1 + Math.floor(options.random() * 4));
    }
    return createDatabase(opened, {
      ...options,
      schemaVersion: options.migrations.length,
      assertSchema: () => checkSchema(opened, options),
      movedFile: watchFiles(path),
    });
  } catch (error) {
    connection?.close();
    throw sqlFault(error, path);
  }
}

/** Refuses a file that is no whole trail of this version or an older one; gives the version of its schema. */
export function assertTrail(
  connection: Connection,
  options: Pick<OpenDatabaseOptions, 'path' | 'driver' | 'migrations' | 'adopt'>,
  { logBytes, fileBytes }: FileSizes = sizesOf(options.path),
): number {
  const version = refuseForeign(connection, options);
  if (logBytes === 0) refuseCut(connection, { path: options.path, fileBytes });
  if (version === options.migrations.length) checkSchema(connection, options);
  return version;
}

/** What a file and its log hold before somebody opens them. */
interface FileSizes {
  readonly fileBytes: number;
  readonly logBytes: number;
}

function sizesOf(path: string): FileSizes {
  return { fileBytes: sizeOf(path), logBytes: sizeOf(`${path}-wal`) };
}

/**
 * Whole pages are all that is ever written: a page that ends in the middle was cut off, and SQLite would read the rest
 * of it as zeros. Where a log lies beside the file, the page is in there.
 */
function refuseCut(
  connection: Connection,
  { path, fileBytes }: { readonly path: string; readonly fileBytes: number },
): void {
  const pageBytes = Number(pragma(connection, 'page_size'));
  if (fileBytes % pageBytes === 0) return;
  throw damaged(path, `the file ends in the middle of a page, at byte ${fileBytes}`);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Refuses a file that is not ours, or not for this version; gives the version of its schema. */
function refuseForeign(
  connection: Connection,
  { path, migrations, adopt }: Pick<OpenDatabaseOptions, 'path' | 'migrations' | 'adopt'>,
): number {
  const { application, version, tables } = readMarks(connection);
  const isEmpty = application === 0 && version === 0 && tables === 0;
  if (application === BACKUP_ID && !adopt) {
    throw new MillforgeError(
      'kernel/is-backup',
      `${path} is a backup: what happened after it was made is not in it. Copy it to where it shall be used and open it with \`adopt\`, which holds every goal that can have effects.`,
    );
  }
  if (!isEmpty && application !== APPLICATION_ID && application !== BACKUP_ID) {
    throw new MillforgeError(
      'kernel/not-a-trail',
      `${path} is a database of another program; name another file, it was left as it is.`,
    );
  }
  if (version > migrations.length) {
    throw new MillforgeError(
      'kernel/newer-schema',
      `${path} has schema ${version}, this version reads up to schema ${migrations.length}; use a newer Millforge.`,
    );
  }
  // Mark and schema are written in one transaction, so that neither is ever there without the other.
  if (!isEmpty && version < 1) throw damaged(path, `the file says that it has schema ${version}`);
  return version;
}

/**
 * What tells whose file this is, read at one moment: between two reads another process may make the file, which would
 * then have tables and no mark.
 */
function readMarks(connection: Connection) {
  connection.exec('BEGIN');
  try {
    return {
      application: pragma(connection, 'application_id'),
      version: Number(pragma(connection, 'user_version')),
      tables: connection.prepare('SELECT count(*) FROM sqlite_schema').pluck().get(),
    };
  } finally {
    if (connection.inTransaction) connection.exec('ROLLBACK');
  }
}

/** Sets what durability and safety need, and reads it back: the driver is built to fall below. */
function configure(connection: Connection): void {
  const settings = process.platform === 'darwin' ? [...SETTINGS, FULL_SYNC] : SETTINGS;
  for (const [name, value, expected] of settings) {
    connection.pragma(`${name} = ${value}`);
    const actual = pragma(connection, name);
    if (actual === expected) continue;
    throw new MillforgeError(
      'kernel/setting-refused',
      `SQLite keeps ${name} at ${String(actual)} where the trail needs ${expected}; use the driver version that Millforge names.`,
    );
  }
}

const SETTINGS: readonly (readonly [string, string, string | number])[] = [
  ['busy_timeout', '0', 0],
  ['journal_mode', 'WAL', 'wal'],
  ['synchronous', 'FULL', 2],
  ['foreign_keys', 'ON', 1],
  ['trusted_schema', 'OFF', 0],
  // Pages. As long as the log grows, each sync writes its new length too and takes twice as long; written over it costs
  // the same at a quarter and at four times this size.
  ['wal_autocheckpoint', '1000', 1000],
];
const FULL_SYNC = ['fullfsync', 'ON', 1] as const;

/**
 * Compares the schema with the one that the migrations make: a damaged letter of it would else come to light as a
 * statement that SQLite does not understand, or as a rule that it does not keep.
 */
function checkSchema(
  connection: Connection,
  { path, driver, migrations }: Pick<OpenDatabaseOptions, 'path' | 'driver' | 'migrations'>,
): void {
  const found = schemaOf(connection);
  const expected = expectedSchema(driver, migrations);
  if (found.length === expected.length && found.every((row, place) => row === expected[place])) {
    return;
  }
  // A newer version migrated it a moment ago: every write says so.
  if (pragma(connection, 'user_version') !== migrations.length) return;
  const missing = expected.find((row) => !found.includes(row));
  const foreign = found.find((row) => !expected.includes(row));
  // Whatever was put in may do things of its own: a trigger, for one.
  const what = foreign === undefined ? `lacks ${shown(missing)}` : `has ${shown(foreign)}`;
  throw damaged(path, `its schema ${what}, unlike that of a trail`);
}

/** What a row of the schema is about, on one line and short enough for one. */
function shown(row: string | undefined): string {
  return (row ?? '').replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, 80);
}

/** The schema that the migrations make; the same for the whole life of a process. */
function expectedSchema(driver: Driver, migrations: readonly Migration[]): readonly string[] {
  const known = EXPECTED.get(migrations);
  if (known !== undefined) return known;
  const fresh = driver(':memory:');
  try {
    for (const { sql } of migrations) fresh.exec(sql);
    const expected = schemaOf(fresh);
    EXPECTED.set(migrations, expected);
    return expected;
  } finally {
    fresh.close();
  }
}

const EXPECTED = new WeakMap<readonly Migration[], readonly string[]>();

/** What the file says about its tables and indexes; what SQLite keeps there for itself is left out. */
function schemaOf(connection: Connection): readonly string[] {
  return connection
    .prepare(
      `SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '') FROM sqlite_schema
        WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\' ORDER BY 1`,
    )
    .pluck()
    .all()
    .map(String);
}

function checkPages(connection: Connection, path: string): void {
  const found = connection.prepare('PRAGMA quick_check(1)').pluck().get();
  if (found === 'ok') return;
  throw damaged(path, String(found));
}

function damaged(path: string, found: string): MillforgeError {
  return new MillforgeError(
    'kernel/corrupt',
    `${path} is damaged (${found}); copy its folder, look at that with \`millforge doctor --data COPY\`, and restore a backup.`,
    { details: { path, found } },
  );
}

function pragma(connection: Connection, name: string): unknown {
  return connection.pragma(name, { simple: true });
}
