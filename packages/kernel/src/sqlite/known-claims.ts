import type { ClaimedRow, StoreTable, StoreTransaction } from '../store/store-transaction.ts';

/** What a connection knows of the claims that it writes for. */
export interface KnownClaims {
  /** The same transaction; it asks the file for a claim only where nothing is known of it. */
  readonly tx: StoreTransaction;
  /** Forgets everything: somebody else wrote, or something that was written is undone. */
  forget(): void;
}

/**
 * Keeps what the file said of a claim, and what this connection changed of it since.
 *
 * Each operation asks for its claim and for the last record of its goal, which this very connection wrote a moment ago.
 * The file tells when any other connection wrote, so what is known is what would be read.
 */
export function createKnownClaims(tx: StoreTransaction): KnownClaims {
  const claims = new Map<number, Map<string, KnownClaim>>();

  const forgetIn = (table: StoreTable, goal: unknown): void => {
    if (table !== 'goals' && table !== 'attempts' && table !== 'trail') return;
    if (typeof goal === 'number') claims.delete(goal);
    else claims.clear();
  };

  return {
    forget: () => claims.clear(),
    tx: {
      ...tx,
      claimed(claim) {
        const { goal, tenant, taskId, number } = claim;
        const known = claims.get(goal)?.get(taskId);
        if (known?.tenant === tenant && known.number === number) return known.row;
        const row = tx.claimed(claim);
        if (row === undefined) return undefined;
        if (claims.size >= MAX_GOALS) claims.clear();
        const ofGoal = claims.get(goal) ?? new Map<string, KnownClaim>();
        ofGoal.set(taskId, { tenant, number, row });
        claims.set(goal, ofGoal);
        return row;
      },
      append(record) {
        tx.append(record);
        for (const known of claims.get(record.goal)?.values() ?? NONE) {
          const { state, attempt_state, fence } = known.row;
          known.row = {
            state,
            head_seq: record.seq,
            head_sha256: record.record_sha256,
            head_at: record.at,
            attempt_state,
            fence,
          };
        }
      },
      insert(table, row) {
        // A new goal or attempt is not known yet; of another trail's records only the insertion tells.
        if (table === 'trail') claims.clear();
        return tx.insert(table, row);
      },
      update(table, where, patch) {
        forgetIn(table, where['goal']);
        return tx.update(table, where, patch);
      },
      remove(table, where) {
        forgetIn(table, where['goal']);
        tx.remove(table, where);
      },
    },
  };
}

/** One claim, as this connection knows it. */
interface KnownClaim {
  readonly tenant: string;
  readonly number: number;
  row: ClaimedRow;
}

/** More than a process has in its hands at once; so many are forgotten together. */
const MAX_GOALS = 1024;
const NONE: readonly KnownClaim[] = [];
