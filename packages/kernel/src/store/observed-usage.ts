import type { JsonValue, Usage } from '@millforge/contracts';
import { NO_SHA256 } from './append-record.ts';
import type { Claim } from './claim.ts';
import { USAGE_NAMES } from './read-usage.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** What all operations of a goal used, as far as anybody saw, and may still use. */
export interface ObservedUsage {
  /**
   * The first limit that one more performance could pass; null when there is room for it.
   *
   * What has no record yet counts with its bound, interrupted performances included.
   */
  exceeded(
    tx: StoreTransaction,
    claim: Pick<Claim, 'goal' | 'tenant'>,
    asked: BudgetQuestion,
  ): SpentLimit | null;
}

/** What one more performance could use. */
export interface BudgetQuestion {
  /** What the goal may use. */
  readonly limits: Usage;
  /** Names the operation in its goal: task and key. */
  readonly name: string;
  /** The most that it may use, as far as that is known. */
  readonly bound: Usage;
  /** Whether it costs something. */
  readonly metered: boolean;
}

/** A limit that one more performance could pass. */
export interface SpentLimit {
  /** What is limited. */
  readonly name: string;
  /** How much may be used. */
  readonly limit: number;
  /** What is used or set aside. */
  readonly used: number;
}

/** Begins with nothing read; every question reads only what the trail has grown by. */
export function createObservedUsage(): ObservedUsage {
  let cursor = START;
  let operations = new Map<string, Counted>();
  let sums = new Map<string, number>();

  const count = (name: string, patch: ReadonlyMap<string, JsonValue>): void => {
    const before = operations.get(name) ?? { state: '', bound: {}, used: {} };
    const after = patched(before, patch);
    for (const one of USAGE_NAMES) {
      const grown = (counted(after)[one] ?? 0) - (counted(before)[one] ?? 0);
      if (grown !== 0) sums.set(one, (sums.get(one) ?? 0) + grown);
    }
    operations.set(name, after);
  };

  const catchUp = (
    tx: StoreTransaction,
    { goal, tenant }: Pick<Claim, 'goal' | 'tenant'>,
  ): void => {
    const last = tx.find('trail', { goal, tenant, seq: cursor.seq });
    // What was read in a transaction that came to nothing is read again from the beginning.
    if (cursor.seq > 0 && last?.['record_sha256'] !== cursor.sha256) {
      cursor = START;
      operations = new Map();
      sums = new Map();
    }
    for (;;) {
      const page = { orderBy: 'seq', after: cursor.seq, limit: 500 };
      const rows = tx.list('trail', { goal, tenant }, page);
      for (const row of rows) {
        for (const patch of operationPatches(String(row['data']))) {
          const [taskId, key] = [patch.get('task_id'), patch.get('key')];
          if (typeof taskId === 'string' && typeof key === 'string') {
            count(`${taskId}/${key}`, patch);
          }
        }
        cursor = { seq: Number(row['seq']), sha256: String(row['record_sha256']) };
      }
      if (rows.length < 500) return;
    }
  };

  return {
    exceeded(tx, claim, { limits, name, bound, metered }) {
      catchUp(tx, claim);
      // A repeat in doubt is counted already, with the bound of its first performance.
      const own = operations.get(name);
      for (const one of USAGE_NAMES) {
        const limit = limits[one];
        if (limit === undefined) continue;
        const used = (sums.get(one) ?? 0) - (own === undefined ? 0 : (counted(own)[one] ?? 0));
        const more = bound[one];
        const isOver = more === undefined ? metered && used >= limit : used + more > limit;
        if (isOver || used > limit) return { name: one, limit, used };
      }
      return null;
    },
  };
}

/** One operation, as far as it counts. */
interface Counted {
  readonly state: string;
  readonly bound: Usage;
  readonly used: Usage;
}

function patched(before: Counted, patch: ReadonlyMap<string, JsonValue>): Counted {
  const state = patch.get('state');
  const bound = patch.get('usage_bound');
  const used: { -readonly [Name in keyof Usage]: Usage[Name] } = { ...before.used };
  for (const name of USAGE_NAMES) {
    const amount = patch.get(name);
    if (typeof amount === 'number') used[name] = amount;
  }
  return {
    state: typeof state === 'string' ? state : before.state,
    bound: bound === undefined ? before.bound : readUsageJson(bound),
    used,
  };
}

/** What is recorded counts as it was observed, what is open with its bound. */
function counted({ state, bound, used }: Counted): Usage {
  return state === 'admitted' || state === 'uncertain' ? bound : used;
}

function readUsageJson(value: JsonValue): Usage {
  const fields = new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  const usage: { -readonly [Name in keyof Usage]: Usage[Name] } = {};
  for (const name of USAGE_NAMES) {
    const amount = fields.get(name);
    if (typeof amount === 'number') usage[name] = amount;
  }
  return usage;
}

function operationPatches(text: string): readonly ReadonlyMap<string, JsonValue>[] {
  // The text was written by this package; JSON.parse gives nothing but JSON values.
  const data = JSON.parse(text) as { readonly operations?: JsonValue };
  const patches = Array.isArray(data.operations) ? data.operations : [];
  return patches.map(
    (patch) => new Map(typeof patch === 'object' && patch !== null ? Object.entries(patch) : []),
  );
}

const START = { seq: 0, sha256: NO_SHA256 };
