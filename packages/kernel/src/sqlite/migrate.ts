import { existsSync } from 'node:fs';
import { MillforgeError } from '@millforge/contracts';
import type { Connection } from './driver.ts';

/** One step of the schema, in its order. */
export interface Migration {
  /** File name without ending: `0001-goals-and-trail`. */
  readonly name: string;
  /** Statements. */
  readonly sql: string;
}

/**
 * Brings a file to the newest schema: a new file in one transaction, an older one step by step.
 *
 * An older file is copied beside itself first, and refused while a process that uses it still runs. A new file is never
 * seen half made, so whoever opens it at the same moment takes it for no older one.
 */
export function migrate(
  connection: Connection,
  {
    path,
    migrations,
    isAlive,
  }: {
    readonly path: string;
    readonly migrations: readonly Migration[];
    readonly isAlive: (ownerId: string) => boolean;
  },
): void {
  const first = versionOf(connection);
  if (first > 0 && first < migrations.length) {
    refuseInUse(connection, path, isAlive);
    const copy = `${path}.schema-${first}`;
    if (!existsSync(copy)) connection.prepare('VACUUM INTO ?').run(copy);
  }
  for (let found = first; found < migrations.length; found = versionOf(connection)) {
    step(connection, found, found === 0 ? migrations : migrations.slice(found, found + 1));
  }
}

/** Marks a file as a Millforge trail: `MFTR` in ASCII. */
export const APPLICATION_ID = 0x4d465452;

/** Marks a copy that was made as a backup: `MFTB` in ASCII. */
export const BACKUP_ID = 0x4d465442;

function step(connection: Connection, version: number, steps: readonly Migration[]): void {
  connection.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have done this while this one waited for the lock.
    if (versionOf(connection) === version) {
      for (const { sql } of steps) connection.exec(sql);
      // A backup stays one until it is adopted.
      if (connection.pragma('application_id', { simple: true }) !== BACKUP_ID) {
        connection.pragma(`application_id = ${APPLICATION_ID}`);
      }
      connection.pragma(`user_version = ${version + steps.length}`);
    }
    connection.exec('COMMIT');
  } finally {
    if (connection.inTransaction) connection.exec('ROLLBACK');
  }
}

function refuseInUse(
  connection: Connection,
  path: string,
  isAlive: (ownerId: string) => boolean,
): void {
  const owners = connection
    .prepare('SELECT owner_id, pid, host FROM owners WHERE is_gone = 0')
    .raw()
    .all();
  for (const row of owners) {
    const [ownerId, pid, host] = Array.isArray(row) ? row : [];
    if (!isAlive(String(ownerId))) continue;
    throw new MillforgeError(
      'kernel/owner-alive',
      `${path} has an older schema and process ${String(pid)} on ${String(host)} still uses it; end that process, then open it again.`,
    );
  }
}

function versionOf(connection: Connection): number {
  return Number(connection.pragma('user_version', { simple: true }));
}
