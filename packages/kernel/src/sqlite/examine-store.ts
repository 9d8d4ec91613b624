import { statSync } from 'node:fs';
import type { Clock } from '@millforge/contracts';
import type { StoreFacts } from '../kernel.ts';
import { TABLE_NAMES } from '../trail/fold-trail.ts';
import type { TrailVerdict } from '../trail/trail-verdict.ts';
import { verifyTenant } from '../trail/verify-trail.ts';
import type { Database } from './database.ts';

/** Reads the whole file for damage, verifies every trail, and tells its sizes. */
export async function examineStore(parts: {
  readonly db: Database;
  readonly clock: Clock;
}): Promise<StoreFacts> {
  const { db } = parts;
  const facts = await readFacts(db);
  // Rows of a damaged file say nothing about its trails.
  return { ...facts, trails: facts.intact ? await verifyAll(parts) : null };
}

/** The first trail of any tenant that does not hold. */
async function verifyAll(parts: {
  readonly db: Database;
  readonly clock: Clock;
}): Promise<TrailVerdict> {
  const tenants = await parts.db.read((tx) => tx.all(TENANTS));
  let goals = 0;
  let records = 0;
  for (const { tenant } of tenants) {
    const verdict = await verifyTenant(parts, String(tenant), null);
    if (!verdict.ok) return verdict;
    goals += verdict.goals;
    records += verdict.records;
  }
  return { ok: true, goals, records };
}

// A row in the name of a tenant without goals is met by no verification of another one.
const TENANTS = ['goals', 'trail', 'payloads', ...TABLE_NAMES.filter((name) => name !== 'goals')]
  .map((table) => `SELECT tenant FROM ${table}`)
  .join(' UNION ');

async function readFacts(db: Database): Promise<Omit<StoreFacts, 'trails'>> {
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
      publications_unknown: count(
        `SELECT count(*) AS count FROM publications WHERE tenant IS NOT NULL AND state IN ('sending', 'unknown')`,
      ),
      sqlite_version: String(tx.get('SELECT sqlite_version() AS version')?.['version'] ?? ''),
    };
  });
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
