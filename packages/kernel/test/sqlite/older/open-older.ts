import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kernel } from '@millforge/kernel';
import Database from 'better-sqlite3';
import { MIGRATIONS } from '../../../src/sqlite/embedded-migrations.ts';
import { APPLICATION_ID } from '../../../src/sqlite/migrate.ts';
import { open, temporaryDirectory } from '../../fixture.ts';

/** Makes the file as the code of a version left it, with the rows that it wrote, and opens it with this code. */
export async function openOlder(
  version: number,
): Promise<{ readonly kernel: Kernel; readonly path: string }> {
  const directory = temporaryDirectory();
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'trail.db');
  const file = new Database(path);
  file.pragma('journal_mode = WAL');
  for (const { sql } of MIGRATIONS.slice(0, version)) file.exec(sql);
  // In one transaction, whose references are looked at when all rows stand.
  file.exec('BEGIN; PRAGMA defer_foreign_keys = ON');
  file.exec(readFileSync(join(import.meta.dirname, `version-${version}.sql`), 'utf8'));
  file.exec('COMMIT');
  file.pragma(`application_id = ${APPLICATION_ID}`);
  file.pragma(`user_version = ${version}`);
  file.close();
  return { kernel: await open(directory), path };
}
