import { join } from 'node:path';
import { openKernel } from '@millforge/kernel';
import Database from 'better-sqlite3';
import { crashClock, crashIds } from './finish-goal.ts';

/** Opens and closes what a crash left, twice, and tells what stands there each time but for who was at work. */
export async function recoverTwice(
  directory: string,
): Promise<{ readonly before: string; readonly once: string; readonly twice: string }> {
  const path = join(directory, 'trail.db');
  const recover = async (): Promise<string> => {
    const kernel = await openKernel({ path, clock: crashClock, ids: crashIds });
    await kernel[Symbol.asyncDispose]();
    return dump(path);
  };
  // The first opening may make the file at all.
  await recover();
  const before = dump(path);
  return { before, once: await recover(), twice: await recover() };
}

/** Every row of every table, in order; of owners and leases nothing. */
export function dump(path: string): string {
  const database = new Database(path);
  try {
    const tables = database
      .prepare<[], { name: string }>(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('owners', 'leases') ORDER BY name`,
      )
      .all();
    return tables
      .map(
        ({ name }) => `${name} ${JSON.stringify(database.prepare(`SELECT * FROM ${name}`).all())}`,
      )
      .join('\n');
  } finally {
    database.close();
  }
}
