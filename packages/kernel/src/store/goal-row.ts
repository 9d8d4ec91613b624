import type { GoalState } from '../goal-view.ts';
import { notFound } from '../kernel-error.ts';
import type { SqlRow } from '../sqlite/database.ts';
import { GOAL_STATES, oneOf, textOrNull } from './read-column.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** The part of a goal that every record needs. */
export interface GoalHead {
  readonly goal: number;
  readonly tenant: string;
  readonly goal_uid: string;
  readonly state: GoalState;
  readonly head_seq: number;
  readonly head_sha256: string;
  readonly head_at: string;
  /** The later of the clock and the last record; the time that the next records carry. */
  readonly at: string;
}

/** A goal inside a transaction. */
export interface GoalRow extends GoalHead {
  readonly goal_id: string;
  readonly resource: string;
  readonly admitted_by: string;
  readonly created_at: string;
  readonly title: string;
  readonly unchecked: boolean;
  readonly contract_sha256: string;
  readonly version: number;
  readonly fence: number;
  readonly units_limit: number;
  readonly units_reserved: number;
  readonly units_settled: number;
  readonly artifact_bytes: number;
  readonly receipt_sha256: string | null;
  readonly failure_code: string | null;
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
  return toGoalRow(row, now);
}

/** Reads a goal again by its row number. */
export function readGoalAgain(
  tx: StoreTransaction,
  { goal, tenant }: Pick<GoalRow, 'goal' | 'tenant'>,
  now: number,
): GoalRow {
  const row = tx.find('goals', { goal, tenant });
  if (row === undefined) throw notFound('goal');
  return toGoalRow(row, now);
}

/** Types a row of `goals`. */
export function toGoalRow(row: SqlRow, now: number): GoalRow {
  const head_at = String(row['head_at']);
  return {
    goal: Number(row['goal']),
    tenant: String(row['tenant']),
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
    head_seq: Number(row['head_seq']),
    head_sha256: String(row['head_sha256']),
    head_at,
    at: timeAfter(head_at, now),
  };
}

/** The later of the clock and the last record. */
export function timeAfter(headAt: string, now: number): string {
  const clock = new Date(now).toISOString();
  return clock > headAt ? clock : headAt;
}
