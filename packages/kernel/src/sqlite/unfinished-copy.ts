import { chmodSync, existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Ids, MillforgeError } from '@millforge/contracts';
import type { Connection, Driver } from './driver.ts';
import { assertWritable, makeDirectory } from './prepare-directory.ts';
import { isBusy, sqlFault } from './sql-fault.ts';

/** The folder that a copy is made in, beside the place that it gets when it is whole. */
export interface UnfinishedCopy {
  /** The folder. */
  readonly directory: string;
  /** Ends the claim on the folder's name; takes away what is still there under it. */
  end(): void;
}

/**
 * Makes a folder for a copy to `target`, after it has taken away those that dead processes left.
 *
 * A file beside the folder is locked as long as its process lives, and is there before and after the folder is: what
 * has no such file is nobody's here, and stays.
 */
export function beginCopy(
  { driver, ids }: { readonly driver: Driver; readonly ids: Ids },
  target: string,
): UnfinishedCopy {
  makeDirectory(dirname(target));
  // SQLite would say of a folder that takes no files only that it cannot open one.
  assertWritable(dirname(target));
  removeLeft(driver, target);
  for (let name = 0; name < MAX_NAMES; name += 1) {
    const directory = `${target}.${ids.newId('unfinished')}`;
    // Whatever has a name that was never given is somebody's own.
    if (isThere(directory) || isThere(`${directory}${LOCK}`)) continue;
    const lock = makeLock(driver, `${directory}${LOCK}`);
    if (lock === null) continue;
    const end = (): void => {
      rmSync(directory, { recursive: true, force: true });
      lock.release();
    };
    try {
      makeDirectory(directory);
    } catch (error) {
      end();
      throw error;
    }
    return { directory, end };
  }
  throw new MillforgeError(
    'kernel/path-invalid',
    `Each of ${MAX_NAMES} names that were tried for a copy beside ${target} is taken; name another place.`,
  );
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Takes away what was begun for a target by processes that are dead; those that live keep theirs. */
function removeLeft(driver: Driver, target: string): void {
  const folder = dirname(target);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(target)}.`) || !LEFT.test(name)) continue;
    const file = join(folder, name);
    const directory = file.slice(0, -LOCK.length);
    try {
      if (!isLock(file) || !isOfCopy(directory)) continue;
      const lock = takeLock(driver, file);
      if (lock === null) continue;
      rmSync(directory, { recursive: true, force: true });
      lock.release();
    } catch {
      // A copy of today does not fail for what one of yesterday left; the next one tries again.
    }
  }
}

/** Nothing is ever written into a lock; what has bytes, or is no file, is somebody's own of a like name. */
function isLock(file: string): boolean {
  const found = lstatSync(file);
  return found.isFile() && found.size === 0;
}

/** Whether a folder holds nothing but what a copy has, or is not there at all. */
function isOfCopy(directory: string): boolean {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  if (found === undefined) return true;
  return found.isDirectory() && readdirSync(directory).every((name) => OF_COPY.test(name));
}

/** Some folders that may be written take no files, as `/proc` does. */
function makeLock(driver: Driver, file: string): ReturnType<typeof takeLock> {
  try {
    return takeLock(driver, file);
  } catch (cause) {
    if (existsSync(file)) throw cause;
    throw new MillforgeError(
      'kernel/path-invalid',
      `No file can be made in ${dirname(file)}; name another place for the backup.`,
      { cause },
    );
  }
}

/** Locks a file for this process, making it; null where another one has it, or took it away meanwhile. */
function takeLock(driver: Driver, file: string): { readonly release: () => void } | null {
  let connection: Connection | null = null;
  try {
    connection = driver(file, { timeout: 0 });
    chmodSync(file, 0o600);
    connection.pragma('journal_mode = MEMORY');
    connection.exec('BEGIN EXCLUSIVE');
    if (existsSync(file)) return lockOf(connection, file);
  } catch (error) {
    connection?.close();
    if (isBusy(error)) return null;
    throw sqlFault(error, file);
  }
  connection.close();
  return null;
}

function lockOf(connection: Connection, file: string): { readonly release: () => void } {
  return {
    release() {
      // Before the lock ends, so that nobody takes a name that is about to go.
      rmSync(file, { force: true });
      connection.close();
    },
  };
}

const LOCK = '.lock';
const MAX_NAMES = 16;
const OF_COPY = /^(artifacts|trail\.db(-journal|-wal|-shm)?)$/;
const LEFT = /\.unfinished_[\w-]+\.lock$/;
