import { statSync } from 'node:fs';
import type { StoreFacts } from '../kernel.ts';
import type { Database } from './database.ts';

/** Reads the whole file for damage, and tells its sizes. */
export async function examineStore(db: Database): Promise<StoreFacts> {
  return db.read((tx) => {
    const found = tx
      .all('PRAGMA integrity_check(20)')
      .map((row) => String(row['integrity_check']))
      .filter((line) => line !== 'ok');
    const broken = tx
      .all('PRAGMA foreign_key_check')
      .map((row) => `A row of ${String(row['table'])} names a goal that is not there.`);
    const problems = [...found, ...broken].slice(0, 20);
    const count = (sql: string): number => Number(tx.get(sql)?.['count'] ?? 0);
    return {
      intact: problems.length === 0,
      problems,
      schema_version: Number(tx.get('PRAGMA user_version')?.['user_version'] ?? 0),
      file_bytes: sizeOf(db.path),
      wal_bytes: sizeOf(`${db.path}-wal`),
      goals: count('SELECT count(*) AS count FROM goals'),
      records: count('SELECT count(*) AS count FROM trail'),
      sqlite_version: String(tx.get('SELECT sqlite_version() AS version')?.['version'] ?? ''),
    };
  });
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
