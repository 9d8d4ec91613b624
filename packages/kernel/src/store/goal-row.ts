import type { GoalState } from '../goal-view.ts';
import { notFound } from '../kernel-error.ts';
import { GOAL_STATES, oneOf, textOrNull } from './read-column.ts';
import type { SqlRow } from './sql-row.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** The part of a goal that every record needs. */
export interface GoalHead {
  /** Number under which the store keeps it. */
  readonly goal: number;
  /** Whose it is. */
  readonly tenant: string;
  /** Name that no other goal of any store has. */
  readonly goal_uid: string;
  /** How it stands. */
  readonly state: GoalState;
  /** Number of its last record. */
  readonly head_seq: number;
  /** Digest of its last record. */
  readonly head_sha256: string;
  /** Time of its last record. */
  readonly head_at: string;
  /** The later of the clock and the last record; the time that the next records carry. */
  readonly at: string;
}

/** A goal inside a transaction. */
export interface GoalRow extends GoalHead {
  /** Name in its tenant. */
  readonly goal_id: string;
  /** What the host works on. */
  readonly resource: string;
  /** Who admitted it. */
  readonly admitted_by: string;
  /** When it was admitted. */
  readonly created_at: string;
  /** First line of its objective, cut short. */
  readonly title: string;
  /** Whether it needs no check. */
  readonly unchecked: boolean;
  /** Digest of its contract. */
  readonly contract_sha256: string;
  /** Grows with every change. */
  readonly version: number;
  /** Number of the last claim of any of its tasks. */
  readonly fence: number;
  /** Units that it may use. */
  readonly units_limit: number;
  /** Units of attempts that have not ended. */
  readonly units_reserved: number;
  /** Units of attempts that have. */
  readonly units_settled: number;
  /** Bytes of artifacts that it saved. */
  readonly artifact_bytes: number;
  /** Digest of its last receipt. */
  readonly receipt_sha256: string | null;
  /** Why it failed. */
  readonly failure_code: string | null;
  /** The same for people. */
  readonly failure_message: string | null;
}

/** Reads a goal of a tenant; `kernel/not-found` when it has none of that name. */
export function readGoalRow(
  tx: StoreTransaction,
  tenant: string,
  { goalId, now }: { readonly goalId: string; readonly now: number },
): GoalRow {
  const row = tx.find('goals', { tenant, goal_id: goalId });
  if (row === undefined) throw notFound('goal');
  return toGoalRow(tx, row, now);
}

/** Reads a goal again by its row number. */
export function readGoalAgain(
  tx: StoreTransaction,
  { goal, tenant }: Pick<GoalRow, 'goal' | 'tenant'>,
  now: number,
): GoalRow {
  const row = tx.find('goals', { goal, tenant });
  if (row === undefined) throw notFound('goal');
  return toGoalRow(tx, row, now);
}

/** Types a row of `goals`, with the last record of its trail. */
export function toGoalRow(tx: StoreTransaction, row: SqlRow, now: number): GoalRow {
  const [goal, tenant] = [Number(row['goal']), String(row['tenant'])];
  // A goal that is being admitted has no record yet; its row says where the chain begins.
  const head = readHead(tx, { goal, tenant }) ?? {
    head_seq: Number(row['head_seq']),
    head_sha256: String(row['head_sha256']),
    head_at: String(row['head_at']),
  };
  return {
    goal,
    tenant,
    goal_id: String(row['goal_id']),
    goal_uid: String(row['goal_uid']),
    resource: String(row['resource']),
    admitted_by: String(row['admitted_by']),
    created_at: String(row['created_at']),
    title: String(row['title']),
    unchecked: row['unchecked'] === 1,
    contract_sha256: String(row['contract_sha256']),
    state: oneOf(GOAL_STATES, row['state']),
    version: Number(row['version']),
    fence: Number(row['fence']),
    units_limit: Number(row['units_limit']),
    units_reserved: Number(row['units_reserved']),
    units_settled: Number(row['units_settled']),
    artifact_bytes: Number(row['artifact_bytes']),
    receipt_sha256: textOrNull(row['receipt_sha256']),
    failure_code: textOrNull(row['failure_code']),
    failure_message: textOrNull(row['failure_message']),
    ...head,
    at: timeAfter(head.head_at, now),
  };
}

/** The last record of a goal; null before the first. */
function readHead(
  tx: StoreTransaction,
  { goal, tenant }: Pick<GoalHead, 'goal' | 'tenant'>,
): Pick<GoalHead, 'head_seq' | 'head_sha256' | 'head_at'> | null {
  const last = tx.find('trail', { goal, tenant }, LAST);
  if (last === undefined) return null;
  return {
    head_seq: Number(last['seq']),
    head_sha256: String(last['record_sha256']),
    head_at: String(last['at']),
  };
}

const LAST = { orderBy: 'seq', descending: true, columns: ['seq', 'record_sha256', 'at'] };

/** The later of the clock and the last record. */
export function timeAfter(headAt: string, now: number): string {
  // Many records of one millisecond need its text.
  if (now !== lastNow) {
    lastText = new Date(now).toISOString();
    lastNow = now;
  }
  return lastText > headAt ? lastText : headAt;
}

let lastNow = Number.NaN;
let lastText = '';
