import { notFound } from '../kernel-error.ts';
import type { AttemptState, TaskState } from '../states/transitions.ts';
import type { GoalRow } from './goal-row.ts';
import { ATTEMPT_STATES, oneOf, TASK_STATES, textOrNull } from './read-column.ts';
import type { SqlRow } from './sql-row.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** A step of a goal as it stands. */
export interface TaskRow {
  /** Name in its goal. */
  readonly task_id: string;
  /** Digest of the adapter as it was at admission. */
  readonly binding_sha256: string;
  /** How it stands. */
  readonly state: TaskState;
  /** Grows with every change. */
  readonly version: number;
  /** Attempts so far. */
  readonly attempts: number;
  /** Attempts that people granted beyond those of the contract. */
  readonly retries: number;
  /** Digest of its output. */
  readonly output_sha256: string | null;
  /** What a verify task said. */
  readonly verdict: 'pass' | 'fail' | null;
}

/** One execution of a task as it stands. */
export interface AttemptRow {
  /** Counts the attempts of its task from 1. */
  readonly number: number;
  /** How it stands. */
  readonly state: AttemptState;
  /** Number of its last claim. */
  readonly fence: number;
  /** Units that it reserved. */
  readonly units: number;
  /** Crashes that it was taken over from. */
  readonly resumes: number;
  /** Milliseconds under a lease, as far as they were told. */
  readonly elapsed_ms: number;
  /** When it was admitted. */
  readonly admitted_at: string;
  /** Why it was let go. */
  readonly suspended_by: string | null;
  /** Which side could not be reached. */
  readonly failure_class: string | null;
  /** Why it failed, or what put it in doubt. */
  readonly failure_code: string | null;
  /** The same for people. */
  readonly failure_message: string | null;
  /** Part of the idempotency key of the whole attempt. */
  readonly generation: number;
  /** Whether it failed and is known to have had no effect. */
  readonly is_clean: boolean;
  /** Who claimed it last. */
  readonly owner_id: string;
  /** Whether the callback of an attempt in doubt is known to have ended. */
  readonly is_settled: boolean;
  /** Grows with every change. */
  readonly version: number;
}

/** Who performs an attempt at this moment. */
export interface LeaseRow {
  /** Whose it is. */
  readonly owner_id: string;
  /** Which attempt. */
  readonly number: number;
  /** Number of the claim. */
  readonly fence: number;
  /** Milliseconds used, as the last heartbeat told. */
  readonly elapsed_ms: number;
}

/** Reads the tasks of a goal in their order. */
export function readTasks(
  tx: StoreTransaction,
  { goal, tenant }: Pick<GoalRow, 'goal' | 'tenant'>,
): readonly TaskRow[] {
  return tx.list('tasks', { goal, tenant }, { orderBy: 'place' }).map((row) => ({
    task_id: String(row['task_id']),
    binding_sha256: String(row['binding_sha256']),
    state: oneOf(TASK_STATES, row['state']),
    version: Number(row['version']),
    attempts: Number(row['attempts']),
    retries: Number(row['retries']),
    verdict: row['verdict'] === null ? null : oneOf(['pass', 'fail'], row['verdict']),
    output_sha256: textOrNull(row['output_sha256']),
  }));
}

/** Reads one task of a goal. */
export function readTask(
  tx: StoreTransaction,
  goal: Pick<GoalRow, 'goal' | 'tenant'>,
  taskId: string,
): TaskRow {
  const task = readTasks(tx, goal).find(({ task_id }) => task_id === taskId);
  if (task === undefined) throw notFound('task');
  return task;
}

/** Reads the latest attempt of a task. */
export function readLatestAttempt(
  tx: StoreTransaction,
  { goal, tenant }: Pick<GoalRow, 'goal' | 'tenant'>,
  taskId: string,
): AttemptRow | null {
  const last = { orderBy: 'number', descending: true };
  const row = tx.find('attempts', { goal, tenant, task_id: taskId }, last);
  return row === undefined ? null : toAttemptRow(row);
}

/** Reads who holds a task. */
export function readLease(
  tx: StoreTransaction,
  { goal, tenant }: Pick<GoalRow, 'goal' | 'tenant'>,
  taskId: string,
): LeaseRow | null {
  const row = tx.find('leases', { goal, tenant, task_id: taskId });
  if (row === undefined) return null;
  return {
    owner_id: String(row['owner_id']),
    number: Number(row['number']),
    fence: Number(row['fence']),
    elapsed_ms: Number(row['elapsed_ms']),
  };
}

/** Lets a task go. */
export function dropLease(
  tx: StoreTransaction,
  { goal, tenant }: Pick<GoalRow, 'goal' | 'tenant'>,
  taskId: string,
): void {
  tx.remove('leases', { goal, tenant, task_id: taskId });
}

function toAttemptRow(row: SqlRow): AttemptRow {
  return {
    number: Number(row['number']),
    state: oneOf(ATTEMPT_STATES, row['state']),
    fence: Number(row['fence']),
    units: Number(row['units']),
    resumes: Number(row['resumes']),
    elapsed_ms: Number(row['elapsed_ms']),
    admitted_at: String(row['admitted_at']),
    suspended_by: textOrNull(row['suspended_by']),
    failure_class: textOrNull(row['failure_class']),
    failure_code: textOrNull(row['failure_code']),
    failure_message: textOrNull(row['failure_message']),
    generation: Number(row['generation']),
    is_clean: row['is_clean'] === 1,
    owner_id: String(row['owner_id']),
    is_settled: row['is_settled'] === 1,
    version: Number(row['version']),
  };
}
