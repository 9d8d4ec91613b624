import { chmodSync, existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Connection, Driver } from '../sqlite/driver.ts';
import { makeDirectory } from '../sqlite/prepare-directory.ts';
import { isBusy, sqlFault } from '../sqlite/sql-fault.ts';

/** Tells the living from the dead: a process lives as long as it keeps the file of its name locked. */
export interface OwnerLocks {
  /** Locks the file of a new owner; false when the name is taken. */
  lock(ownerId: string): boolean;
  /** Whether the process of an owner still lives, also while it is stopped. */
  readonly isAlive: (ownerId: string) => boolean;
  /** Frees the lock and removes the file. */
  release(): void;
  /** Removes the file of a dead owner. */
  forget(ownerId: string): void;
}

/** Keeps the locks beside a trail. Only SQLite opens these files: another descriptor would drop the lock. */
export function createOwnerLocks(trailPath: string, driver: Driver): OwnerLocks {
  const directory = join(dirname(trailPath), 'owners');
  const fileOf = (ownerId: string): string => join(directory, ownerId);
  let held: { readonly ownerId: string; readonly connection: Connection } | null = null;

  const remove = (ownerId: string): void => {
    rmSync(fileOf(ownerId), { force: true });
  };

  return {
    lock(ownerId) {
      makeDirectory(directory);
      const file = fileOf(ownerId);
      if (existsSync(file)) return false;
      try {
        const connection = driver(file, { timeout: 0 });
        held = { ownerId, connection };
        chmodSync(file, 0o600);
        // Without this an empty file beside it would outlive a killed process.
        connection.pragma('journal_mode = MEMORY');
        connection.exec('BEGIN EXCLUSIVE');
      } catch (error) {
        throw sqlFault(error, file);
      }
      return true;
    },
    isAlive(ownerId) {
      if (held?.ownerId === ownerId) return true;
      const file = fileOf(ownerId);
      if (!existsSync(file)) return false;
      let probe: Connection | null = null;
      try {
        probe = driver(file, { readonly: true, fileMustExist: true, timeout: 0 });
        probe.prepare('SELECT count(*) FROM sqlite_schema').get();
        return false;
      } catch (error) {
        // Whoever cannot be shown to be dead counts as alive; a file that went meanwhile was released.
        return isBusy(error) || existsSync(file);
      } finally {
        probe?.close();
      }
    },
    release() {
      if (held === null) return;
      const { ownerId, connection } = held;
      held = null;
      connection.close();
      remove(ownerId);
    },
    forget: remove,
  };
}
