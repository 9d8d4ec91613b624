import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { MillforgeError } from '@millforge/contracts';
import { createDatabase, type Database } from './database.ts';
import type { Connection, Driver } from './driver.ts';
import { assertTrail, type OpenDatabaseOptions } from './open-database.ts';
import { isBusy, sqlFault } from './sql-fault.ts';
import { isWritable } from './writable-file.ts';

/**
 * Opens a file to be read only, also a backup, and where nothing can be written. What others write to it meanwhile is
 * seen; every write through it rejects with `kernel/read-only`. Beside a file that can be written, SQLite puts an empty
 * log and its index, as for every reader; whoever writes next takes them away.
 */
export async function openToLook(options: Omit<OpenDatabaseOptions, 'adopt'>): Promise<Database> {
  const { path, migrations } = options;
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new MillforgeError(
      'kernel/path-invalid',
      `There is no trail at ${path} to be looked at; name its file.`,
    );
  }
  try {
    const connection = await whenFree(options, () => connect(options.driver, path));
    try {
      const version = await whenFree(options, () =>
        assertTrail(connection, { ...options, adopt: true }),
      );
      if (version !== migrations.length) throw olderTrail(path, version);
    } catch (error) {
      connection.close();
      throw error;
    }
    return {
      ...createDatabase(connection, { ...options, schemaVersion: migrations.length }),
      write: async () => {
        throw readOnlyTrail(path);
      },
    };
  } catch (error) {
    throw sqlFault(error, path);
  }
}

/** Does something at a moment when nobody keeps the file locked, as whoever recovers its log does. */
async function whenFree<T>(
  { clock, lockTimeoutMs, random }: Pick<OpenDatabaseOptions, 'clock' | 'lockTimeoutMs' | 'random'>,
  work: () => T,
): Promise<T> {
  const start = clock.monotonicMs();
  for (;;) {
    try {
      return work();
    } catch (error) {
      const isOthers = isBusy(error) || MillforgeError.is(error, 'kernel/busy');
      if (!isOthers || clock.monotonicMs() - start >= lockTimeoutMs) throw error;
    }
    await clock.delay(1 + Math.floor(random() * 4));
  }
}

/** The error of every call that would write to what is only looked at. */
export function readOnlyTrail(path: string): MillforgeError {
  return new MillforgeError(
    'kernel/read-only',
    `${path} was opened to be read only; open it where it can be written.`,
  );
}

function connect(driver: Driver, path: string): Connection {
  // What SQLite puts beside a file takes over its mode: nobody could write to it when the file can be written again.
  const isKept = !isWritable(path) && isWritable(dirname(path));
  if (isKept && !existsSync(`${path}-shm`)) return connectToCopy(driver, path);
  const connection = driver(path, { readonly: true, fileMustExist: true, timeout: 0 });
  try {
    connection.pragma('trusted_schema = OFF');
    connection.prepare('SELECT count(*) FROM sqlite_schema').get();
    return connection;
  } catch (error) {
    connection.close();
    // SQLite reads a file in WAL mode only with an index of the log beside it, which nobody has open then.
    if (isBusy(error) || existsSync(`${path}-shm`) || !isUnopened(error)) throw error;
    return connectToCopy(driver, path);
  }
}

/** Reads a copy, which has its name only until it is open: whatever becomes of this process, nothing is left. */
function connectToCopy(driver: Driver, path: string): Connection {
  const directory = temporaryFolder(path);
  try {
    const copy = join(directory, basename(path));
    copyStill(path, copy);
    const connection = driver(copy, { timeout: 0 });
    try {
      connection.pragma('trusted_schema = OFF');
      connection.prepare('SELECT count(*) FROM sqlite_schema').get();
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Copies a file with what lies beside it, unless somebody writes meanwhile: parts of two moments are no trail. */
function copyStill(path: string, copy: string): void {
  const before = momentOf(path);
  try {
    for (const suffix of ['', '-wal', '-journal']) {
      if (existsSync(`${path}${suffix}`)) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`);
    }
  } catch (cause) {
    if (momentOf(path) !== before) throw changedMeanwhile(path);
    throw uncopied(path, { to: dirname(copy), cause });
  }
  if (momentOf(path) !== before) throw changedMeanwhile(path);
}

function temporaryFolder(path: string): string {
  try {
    return mkdtempSync(join(tmpdir(), 'millforge-look-'));
  } catch (cause) {
    throw uncopied(path, { to: tmpdir(), cause });
  }
}

function uncopied(path: string, { to, cause }: { readonly to: string; readonly cause: unknown }) {
  return new MillforgeError(
    'kernel/read-only',
    `${path} lies where nothing can be written, and could not be copied to ${to} to be read there; name a place with room in TMPDIR.`,
    { cause },
  );
}

/** What changes with every write to a file, its log or its journal. */
function momentOf(path: string): string {
  const seen = ['', '-wal', '-shm', '-journal'].map((suffix) => {
    const found = statSync(`${path}${suffix}`, { throwIfNoEntry: false, bigint: true });
    return found === undefined
      ? ''
      : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
  });
  return seen.join('/');
}

function changedMeanwhile(path: string): MillforgeError {
  return new MillforgeError(
    'kernel/busy',
    `${path} is written to while it is copied to be read; try again when that is done.`,
  );
}

function isUnopened(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    /^SQLITE_(CANTOPEN|READONLY)/.test(String(error.code))
  );
}

function olderTrail(path: string, version: number): MillforgeError {
  return new MillforgeError(
    'kernel/read-only',
    `${path} has the older schema ${version}, which is brought up to date by writing; open it once where it can be written.`,
  );
}
