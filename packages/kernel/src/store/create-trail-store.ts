import { deepFreeze, type JsonValue, MillforgeError, type TrailRecord } from '@millforge/contracts';
import { exportTrail } from '../trail/export-trail.ts';
import { importTrail, invalid, readExport } from '../trail/import-trail.ts';
import { verifyTenant } from '../trail/verify-trail.ts';
import { readGoalRow } from './goal-row.ts';
import type { SqlRow } from './sql-row.ts';
import type { StoreParts } from './store-parts.ts';
import type { TrailStore } from './trail-store.ts';

/** Puts the transactions about trails together. */
export function createTrailStore({ db, clock }: Pick<StoreParts, 'clock' | 'db'>): TrailStore {
  return {
    read: (tenant, goalId, { from, limit }) =>
      db.read((tx) => {
        const goal = readGoalRow(tx, tenant, { goalId, now: clock.now() });
        const rows = tx.list(
          'trail',
          { goal: goal.goal, tenant: goal.tenant },
          { orderBy: 'seq', after: from - 1, limit },
        );
        return {
          records: rows.map(toTrailRecord),
          hasEnded: ['completed', 'failed', 'cancelled'].includes(goal.state),
        };
      }),
    verify: (tenant, goalId) => verifyTenant({ db, clock }, tenant, goalId),
    export: (tenant, goalId) => exportTrail({ db, clock }, { tenant, goalId }),
    async import({ tenant, actor }, lines) {
      const read = await readExport(lines, tenant);
      try {
        await db.write('import-trail', (tx) =>
          importTrail(tx, read, { tenant, actor, now: clock.now() }),
        );
      } catch (error) {
        // The tables refuse a text where a number belongs; the statements themselves are those of every goal.
        if (MillforgeError.is(error, 'internal/sql')) {
          throw invalid(2, 'its rows do not fit the tables');
        }
        throw error;
      }
      return read.goalId;
    },
  };
}

/** Types a row of `trail`. */
function toTrailRecord(row: SqlRow): TrailRecord {
  return deepFreeze({
    seq: Number(row['seq']),
    at: String(row['at']),
    type: String(row['type']),
    actor: String(row['actor']),
    data: JSON.parse(String(row['data'])) as JsonValue, // JSON.parse gives nothing but JSON values.
    previous_sha256: String(row['previous_sha256']),
    record_sha256: String(row['record_sha256']),
  });
}
