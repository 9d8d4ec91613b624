import { type Clock, sha256 } from '@millforge/contracts';
import { readGoalRow } from '../store/goal-row.ts';
import type { SqlRow } from '../store/sql-row.ts';
import type { StoreGround } from '../store/store-parts.ts';
import type { StoreTransaction } from '../store/store-transaction.ts';
import { TABLES, type TableName } from '../store/tables.ts';
import { createFold, type Fold, TABLE_NAMES } from './fold-trail.ts';
import { type Chain, emptyChain, followChain, type Problem } from './follow-chain.ts';
import type { TrailVerdict } from './trail-verdict.ts';

/** Recomputes everything of one goal, or of all goals of a tenant, and names the first thing that does not hold. */
export async function verifyTenant(
  { db, clock }: { readonly db: StoreGround; readonly clock: Clock },
  tenant: string,
  goalId: string | null,
): Promise<TrailVerdict> {
  let goals = 0;
  let records = 0;
  const named = new Set<string>();
  for (let after = 0; ; ) {
    const goal = await db.read((tx) =>
      goalId === null
        ? nextGoal(tx, tenant, after)
        : oneGoal(tx, tenant, { goalId, now: clock.now() }),
    );
    if (goal === null) break;
    const found = await verifyGoal(db, tenant, { ...goal, named: goalId === null ? named : null });
    if ('what' in found) return { ok: false, goal: goal.goalId, ...found };
    goals += 1;
    records += found.records;
    if (goalId !== null) break;
    after = goal.goal;
  }
  const orphan = goalId === null ? await findOrphan(db, tenant, named) : null;
  if (orphan !== null) return orphan;
  // A table and its index that disagree show different rows to different readers, and not all of them to a verifier.
  await db.assertIntact();
  return { ok: true, goals, records };
}

/** A goal to be verified. */
interface VerifiedGoal {
  readonly goal: number;
  readonly goalId: string;
}

function oneGoal(
  tx: StoreTransaction,
  tenant: string,
  which: { readonly goalId: string; readonly now: number },
): VerifiedGoal {
  return { goal: readGoalRow(tx, tenant, which).goal, goalId: which.goalId };
}

function nextGoal(tx: StoreTransaction, tenant: string, after: number): VerifiedGoal | null {
  const row = tx.find('goals', { tenant }, { orderBy: 'goal', after });
  return row === undefined ? null : { goal: Number(row['goal']), goalId: String(row['goal_id']) };
}

/** A row whose goal is gone or was given to another tenant, or a payload that no record names. */
async function findOrphan(
  db: StoreGround,
  tenant: string,
  named: ReadonlySet<string>,
): Promise<TrailVerdict | null> {
  const lost = await db.read((tx) => findLostRow(tx, tenant));
  if (lost !== null) return lost;
  for (let after = ''; ; ) {
    const rows = await db.read((tx) =>
      tx.list(
        'payloads',
        { tenant },
        { orderBy: 'sha256', after, limit: 1000, columns: ['sha256'] },
      ),
    );
    for (const row of rows) {
      after = String(row['sha256']);
      if (named.has(after)) continue;
      // A goal that was admitted meanwhile was not read.
      const isNew = await db.read((tx) => tx.isNamed(tenant, after));
      if (!isNew) {
        return { ok: false, goal: '', seq: 0, what: `no record names the payload ${after}` };
      }
    }
    if (rows.length < 1000) return null;
  }
}

function findLostRow(tx: StoreTransaction, tenant: string): TrailVerdict | null {
  const lost = tx.lostRow(tenant);
  if (lost === null) return null;
  const last = tx.find(
    'trail',
    { tenant, goal: lost.goal },
    { orderBy: 'seq', descending: true, columns: ['seq'] },
  );
  return {
    ok: false,
    goal: `#${lost.goal}`,
    seq: Number(last?.['seq'] ?? 0),
    what: `there is a row of ${lost.table} whose goal is missing`,
  };
}

async function verifyGoal(
  db: StoreGround,
  tenant: string,
  { goal, named }: { readonly goal: number; readonly named: Set<string> | null },
): Promise<Problem | { readonly records: number }> {
  const fold = createFold();
  const chain = emptyChain();
  for (;;) {
    // One consistent state per page; what is appended meanwhile is read by a later page.
    const page = await db.read((tx) => readPage(tx, { goal, tenant, after: chain.seq }));
    for (const row of page.rows) {
      const problem = followChain(chain, fold, { row, tenant });
      if (problem !== null) return problem;
    }
    if (page.rows.length === PAGE) continue;
    if (named !== null) for (const digest of fold.named()) named.add(digest);
    return (
      (await db.read((tx) => compareRows(tx, { goal, tenant, chain, fold }))) ?? {
        records: chain.seq,
      }
    );
  }
}

const PAGE = 500;

function readPage(
  tx: StoreTransaction,
  {
    goal,
    tenant,
    after,
  }: { readonly goal: number; readonly tenant: string; readonly after: number },
): { readonly rows: readonly SqlRow[] } {
  return {
    rows: tx.list('trail', { goal, tenant }, { orderBy: 'seq', after, limit: PAGE }),
  };
}

/** Compares the rows with what the trail tells, and payloads with their digests. */
export function compareRows(
  tx: StoreTransaction,
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
  const head = tx.find('goals', { goal, tenant });
  if (
    head?.['head_seq'] !== chain.kept.seq ||
    head['head_sha256'] !== chain.kept.sha256 ||
    head['head_at'] !== chain.kept.at
  ) {
    return problem('the goal names another last record than the trail has');
  }
  for (const table of TABLE_NAMES) {
    const shape = TABLES[table];
    const rows = tx.list(table, { goal, tenant });
    const difference = fold.compare(table, rows);
    if (difference !== null) return problem(difference);
    // Rows under this goal in the name of another tenant would be invisible to every other query.
    if (tx.hasForeignRow(table, { goal, tenant })) {
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
  tx: StoreTransaction,
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

function checkDigest(tx: StoreTransaction, tenant: string, digest: string): string | null {
  const bytes = tx.find('payloads', { tenant, sha256: digest })?.['bytes'];
  if (!(bytes instanceof Uint8Array)) return `the payload ${digest} is missing`;
  return sha256(bytes) === digest ? null : `the payload ${digest} has other bytes`;
}
