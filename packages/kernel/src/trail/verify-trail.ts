import { type Clock, canonicalJson, type JsonValue, sha256 } from '@millforge/contracts';
import type { TrailVerdict } from '../kernel.ts';
import { kernelError } from '../kernel-error.ts';
import type { Database, SqlRow, Transaction } from '../sqlite/database.ts';
import { NO_SHA256, recordSha256 } from '../store/append-record.ts';
import { readGoalRow } from '../store/goal-row.ts';
import { TABLES, type TableName } from '../store/tables.ts';
import { createFold, type Fold, TABLE_NAMES } from './fold-trail.ts';

/** Recomputes everything of one goal, or of all goals of a tenant, and names the first thing that does not hold. */
export async function verifyTenant(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  tenant: string,
  goalId: string | null,
): Promise<TrailVerdict> {
  let goals = 0;
  let records = 0;
  for (let after = 0; ; ) {
    const goal = await db.read((tx) =>
      goalId === null
        ? nextGoal(tx, tenant, after)
        : oneGoal(tx, tenant, { goalId, now: clock.now() }),
    );
    if (goal === null) break;
    const found = await verifyGoal(db, tenant, goal);
    if ('what' in found) return { ok: false, goal: goal.goalId, ...found };
    goals += 1;
    records += found.records;
    if (goalId !== null) break;
    after = goal.goal;
  }
  const orphan = goalId === null ? await db.read((tx) => findOrphan(tx, tenant)) : null;
  if (orphan !== null) return orphan;
  await assertIntact(db);
  return { ok: true, goals, records };
}

/** A table and its index that disagree show different rows to different readers, and not all of them to a verifier. */
async function assertIntact(db: Database): Promise<void> {
  const found = await db.read((tx) => tx.get('PRAGMA integrity_check(1)')?.['integrity_check']);
  if (found === 'ok') return;
  throw kernelError(
    'kernel/corrupt',
    `${db.path} is damaged; copy it away, run \`millforge doctor\` on the copy and restore a backup.`,
    { path: db.path, found: String(found) },
  );
}

/** A goal to be verified. */
interface VerifiedGoal {
  readonly goal: number;
  readonly goalId: string;
}

function oneGoal(
  tx: Transaction,
  tenant: string,
  which: { readonly goalId: string; readonly now: number },
): VerifiedGoal {
  return { goal: readGoalRow(tx, tenant, which).goal, goalId: which.goalId };
}

function nextGoal(tx: Transaction, tenant: string, after: number): VerifiedGoal | null {
  const row = tx.get(
    'SELECT goal, goal_id FROM goals WHERE tenant = ? AND goal > ? ORDER BY goal LIMIT 1',
    tenant,
    after,
  );
  return row === undefined ? null : { goal: Number(row['goal']), goalId: String(row['goal_id']) };
}

/** A trail whose goal is gone, or was given to another tenant. */
function findOrphan(tx: Transaction, tenant: string): TrailVerdict | null {
  const row = tx.get(
    `SELECT goal, max(seq) AS seq FROM trail WHERE tenant = ? AND goal NOT IN (SELECT goal FROM goals WHERE tenant = ?)
      GROUP BY goal ORDER BY goal LIMIT 1`,
    tenant,
    tenant,
  );
  if (row === undefined) return null;
  return {
    ok: false,
    goal: `#${String(row['goal'])}`,
    seq: Number(row['seq']),
    what: 'there is a trail whose goal is missing',
  };
}

type Problem = { readonly seq: number; readonly what: string };

async function verifyGoal(
  db: Database,
  tenant: string,
  { goal }: VerifiedGoal,
): Promise<Problem | { readonly records: number }> {
  const fold = createFold();
  const chain: Chain = { seq: 0, sha256: NO_SHA256, at: '', goalUid: null };
  for (;;) {
    // One consistent state per page; what is appended meanwhile is read by a later page.
    const page = await db.read((tx) => readPage(tx, { goal, tenant, after: chain.seq }));
    for (const row of page.rows) {
      const problem = follow(chain, fold, { row, tenant });
      if (problem !== null) return problem;
    }
    if (page.rows.length === PAGE) continue;
    return (
      (await db.read((tx) => compareRows(tx, { goal, tenant, chain, fold }))) ?? {
        records: chain.seq,
      }
    );
  }
}

/** Where the chain stands. */
interface Chain {
  seq: number;
  sha256: string;
  at: string;
  goalUid: string | null;
}

const PAGE = 500;

function readPage(
  tx: Transaction,
  {
    goal,
    tenant,
    after,
  }: { readonly goal: number; readonly tenant: string; readonly after: number },
): { readonly rows: readonly SqlRow[] } {
  return {
    rows: tx.all(
      'SELECT * FROM trail WHERE goal = ? AND tenant = ? AND seq > ? ORDER BY seq LIMIT ?',
      goal,
      tenant,
      after,
      PAGE,
    ),
  };
}

/** Checks one record against the one before it, and folds it. */
function follow(
  chain: Chain,
  fold: Fold,
  { row, tenant }: { readonly row: SqlRow; readonly tenant: string },
): Problem | null {
  const seq = Number(row['seq']);
  const problem = (what: string): Problem => ({ seq: chain.seq + 1, what });
  if (seq !== chain.seq + 1) return problem(`record ${chain.seq + 1} is missing`);
  if (row['previous_sha256'] !== chain.sha256) {
    return problem('the record does not name the digest of the one before it');
  }
  const text = String(row['data']);
  const data = parse(text);
  if (data === undefined || canonicalJson(data, { newline: false }) !== text) {
    return problem('the data of the record is not in its canonical form');
  }
  chain.goalUid ??= goalUidOf(data);
  const at = String(row['at']);
  if (at < chain.at) return problem('the record is older than the one before it');
  const digest = recordSha256({
    tenant,
    goal_uid: chain.goalUid ?? '',
    seq,
    at,
    type: String(row['type']),
    actor: String(row['actor']),
    data: text,
    previous_sha256: chain.sha256,
  });
  if (digest !== row['record_sha256']) {
    return problem('the digest of the record is not that of its content');
  }
  const unfolded = fold.apply({ type: String(row['type']), data });
  if (unfolded !== null) return problem(unfolded);
  chain.seq = seq;
  chain.sha256 = digest;
  chain.at = at;
  return null;
}

/** Compares the rows with what the trail tells, and payloads with their digests. */
function compareRows(
  tx: Transaction,
  {
    goal,
    tenant,
    chain,
    fold,
  }: {
    readonly goal: number;
    readonly tenant: string;
    readonly chain: Chain;
    readonly fold: Fold;
  },
): Problem | null {
  const problem = (what: string): Problem => ({ seq: chain.seq, what });
  const head = tx.get(
    'SELECT head_seq, head_sha256, head_at FROM goals WHERE goal = ? AND tenant = ?',
    goal,
    tenant,
  );
  if (
    head?.['head_seq'] !== chain.seq ||
    head['head_sha256'] !== chain.sha256 ||
    head['head_at'] !== chain.at
  ) {
    return problem('the goal names another last record than the trail has');
  }
  for (const table of TABLE_NAMES) {
    const shape = TABLES[table];
    const rows = tx.all(`SELECT * FROM ${table} WHERE goal = ? AND tenant = ?`, goal, tenant);
    const difference = fold.compare(table, rows);
    if (difference !== null) return problem(difference);
    // Rows under this goal in the name of another tenant would be invisible to every other query.
    const others = `SELECT goal FROM ${table} WHERE goal = ? AND tenant <> ? LIMIT 1`;
    if (tx.get(others, goal, tenant) !== undefined) {
      return problem(`a row of ${table} names another tenant`);
    }
    for (const row of rows) {
      for (const column of shape.payloads) {
        const found = checkPayload(tx, { tenant, table, row, column });
        if (found !== null) return problem(`${table}: ${found}`);
      }
    }
  }
  for (const digest of fold.payloads()) {
    const found = checkDigest(tx, tenant, digest);
    if (found !== null) return problem(found);
  }
  return null;
}

function checkPayload(
  tx: Transaction,
  {
    tenant,
    table,
    row,
    column,
  }: {
    readonly tenant: string;
    readonly table: TableName;
    readonly row: SqlRow;
    readonly column: string;
  },
): string | null {
  const digest = row[column];
  const keeper = TABLES[table].kept[column];
  const kept = keeper === undefined ? null : row[keeper];
  // A sensitive input is kept as its digest only.
  const isDigestOnly = column === 'part_sha256' && row['sensitive'] === 1;
  if (typeof digest !== 'string' || isDigestOnly) {
    return kept === null ? null : `${String(keeper)} keeps what the trail tells no digest of`;
  }
  if (typeof kept === 'string') {
    return sha256(kept) === digest ? null : `the payload ${digest} has other bytes`;
  }
  return checkDigest(tx, tenant, digest);
}

function checkDigest(tx: Transaction, tenant: string, digest: string): string | null {
  const bytes = tx.get(
    'SELECT bytes FROM payloads WHERE tenant = ? AND sha256 = ?',
    tenant,
    digest,
  )?.['bytes'];
  if (!(bytes instanceof Uint8Array)) return `the payload ${digest} is missing`;
  return sha256(bytes) === digest ? null : `the payload ${digest} has other bytes`;
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue; // JSON.parse gives nothing but JSON values.
  } catch {
    // A text that is no JSON is what the caller reports.
    return undefined;
  }
}

/** The first record says which goal it is. */
function goalUidOf(data: JsonValue): string | null {
  const goals = typeof data === 'object' && data !== null && 'goals' in data ? data['goals'] : null;
  const [first] = Array.isArray(goals) ? goals : [];
  return typeof first?.goal_uid === 'string' ? first.goal_uid : null;
}
