import { createHash } from 'node:crypto';
import { type Clock, canonicalJson, type JsonObject } from '@millforge/contracts';
import { type GoalRow, readGoalRow } from '../store/goal-row.ts';
import type { SqlRow } from '../store/sql-row.ts';
import type { StoreGround } from '../store/store-parts.ts';
import type { StoreTransaction } from '../store/store-transaction.ts';
import { TABLES, type TableName } from '../store/tables.ts';
import { TABLE_NAMES } from './fold-trail.ts';

/**
 * Writes a goal as JSON Lines: a header, its records, the payloads that they name, and a summary over all of it.
 *
 * What is appended while it is read is part of it. The bytes of artifacts are not; their digests are.
 */
export async function* exportTrail(
  { db, clock }: { readonly db: StoreGround; readonly clock: Clock },
  which: { readonly tenant: string; readonly goalId: string },
): AsyncIterable<string> {
  const hash = createHash('sha256');
  let records = 0;
  const written = new Set<string>();
  const line = (document: JsonObject): string => {
    const text = canonicalJson(document);
    hash.update(text);
    return text;
  };
  const read = (tx: StoreTransaction): GoalRow =>
    readGoalRow(tx, which.tenant, { goalId: which.goalId, now: clock.now() });

  const first = await db.read(read);
  yield line({
    kind: 'trail_export',
    schema_version: '1.0',
    tenant: first.tenant,
    goal_id: first.goal_id,
    goal_uid: first.goal_uid,
  });
  let seq = 0;
  let at: Place = BEGINNING;
  for (;;) {
    const page = await db.read((tx) => {
      const goal = read(tx);
      if (goal.head_seq > seq) return { goal, rows: readRecords(tx, goal, seq), payloads: null };
      return { goal, rows: [], payloads: readPayloads(tx, goal, at) };
    });
    for (const row of page.rows) {
      seq = Number(row['seq']);
      records += 1;
      yield line({ record: recordOf(row) });
    }
    if (page.payloads === null) {
      // Rows may have changed with it, so their payloads are looked at once more.
      at = BEGINNING;
      continue;
    }
    for (const { sha256, text } of page.payloads.found) {
      if (written.has(sha256)) continue;
      written.add(sha256);
      yield line({ payload: { sha256, text } });
    }
    if (page.payloads.next === null) {
      yield canonicalJson({
        summary: {
          records,
          payloads: written.size,
          head_sha256: page.goal.head_sha256,
          export_sha256: hash.digest('hex'),
        },
      });
      return;
    }
    at = page.payloads.next;
  }
}

/** Where the reading of payloads stands: a table, and the last row read of it. */
interface Place {
  readonly table: number;
  readonly rowid: number;
}

interface PayloadPage {
  readonly found: readonly { readonly sha256: string; readonly text: string }[];
  readonly next: Place | null;
}

const BEGINNING: Place = { table: 0, rowid: 0 };
const PAGE = 200;

function readRecords(tx: StoreTransaction, goal: GoalRow, after: number): readonly SqlRow[] {
  return tx.list(
    'trail',
    { goal: goal.goal, tenant: goal.tenant },
    { orderBy: 'seq', after, limit: PAGE },
  );
}

function recordOf(row: SqlRow): JsonObject {
  return {
    seq: Number(row['seq']),
    at: String(row['at']),
    type: String(row['type']),
    actor: String(row['actor']),
    // The text is kept as it stands: its digest is taken over these very bytes.
    data: String(row['data']),
    previous_sha256: String(row['previous_sha256']),
    record_sha256: String(row['record_sha256']),
  };
}

/** The payloads of one page of rows; the trail's own oversize data comes last. */
function readPayloads(tx: StoreTransaction, goal: GoalRow, at: Place): PayloadPage {
  const table = TABLE_NAMES[at.table];
  if (table === undefined) return readTrailPayloads(tx, goal, at);
  const rows = tx.list(
    table,
    { goal: goal.goal, tenant: goal.tenant },
    { orderBy: 'rowid', after: at.rowid, limit: PAGE },
  );
  const found = rows.flatMap((row) => payloadsOf(tx, goal, { table, row }));
  const last = rows.at(-1);
  return {
    found,
    next:
      last === undefined || rows.length < PAGE
        ? { table: at.table + 1, rowid: 0 }
        : { table: at.table, rowid: Number(last['rowid']) },
  };
}

function payloadsOf(
  tx: StoreTransaction,
  { tenant }: GoalRow,
  { table, row }: { readonly table: TableName; readonly row: SqlRow },
): readonly { readonly sha256: string; readonly text: string }[] {
  const { payloads, kept } = TABLES[table];
  return payloads.flatMap((column) => {
    const sha256 = row[column];
    if (typeof sha256 !== 'string') return [];
    const keeper = kept[column];
    const inRow = keeper === undefined ? null : row[keeper];
    const text = typeof inRow === 'string' ? inRow : readText(tx, tenant, sha256);
    return text === null ? [] : [{ sha256, text }];
  });
}

/** Late results and large decisions lie beside the trail, named by records only. */
function readTrailPayloads(tx: StoreTransaction, goal: GoalRow, at: Place): PayloadPage {
  const rows = readRecords(tx, goal, at.rowid);
  const found = rows.flatMap((row) => {
    const [, sha256] = /"(?:oversize":\{"bytes":\d+,"sha256|outcome_sha256)":"([0-9a-f]{64})"/.exec(
      String(row['data']),
    ) ?? [null, null];
    const text = typeof sha256 === 'string' ? readText(tx, goal.tenant, sha256) : null;
    return typeof sha256 === 'string' && text !== null ? [{ sha256, text }] : [];
  });
  const last = rows.at(-1);
  return {
    found,
    next:
      last === undefined || rows.length < PAGE
        ? null
        : { table: at.table, rowid: Number(last['seq']) },
  };
}

function readText(tx: StoreTransaction, tenant: string, sha256: string): string | null {
  const bytes = tx.find('payloads', { tenant, sha256 })?.['bytes'];
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString('utf8') : null;
}
