import { type Clock, deepFreeze, type JsonValue, type TrailRecord } from '@millforge/contracts';
import type { Kernel } from '../kernel.ts';
import type { Database, SqlRow } from '../sqlite/database.ts';
import { type GoalRow, readGoalRow } from '../store/goal-row.ts';

/** Reads a trail by pages; an open cursor would block this connection's writes. */
export async function* readTrail(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  goalOf: { readonly tenant: string; readonly goalId: string },
  options: NonNullable<Parameters<Kernel['readTrail']>[2]>,
): AsyncIterable<TrailRecord> {
  let next = Math.max(1, options.from ?? 1);
  const isAborted = (): boolean => options.signal?.aborted ?? false;
  for (;;) {
    const { goal, rows } = await db.read((tx) => {
      const found = readGoalRow(tx, goalOf.tenant, { goalId: goalOf.goalId, now: clock.now() });
      return {
        goal: found,
        rows: tx.all(
          'SELECT * FROM trail WHERE goal = ? AND tenant = ? AND seq >= ? ORDER BY seq LIMIT ?',
          found.goal,
          found.tenant,
          next,
          PAGE,
        ),
      };
    });
    for (const row of rows) {
      if (isAborted()) return;
      const record = toTrailRecord(row);
      next = record.seq + 1;
      yield record;
    }
    if (rows.length === PAGE) continue;
    if (options.follow !== true || isEnded(goal) || isAborted()) return;
    await clock.delay(POLL_MS, options.signal).catch(() => undefined);
    if (isAborted()) return;
  }
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

function isEnded({ state }: GoalRow): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}

const PAGE = 200;
const POLL_MS = 200;
