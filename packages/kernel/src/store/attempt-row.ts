import { notFound } from '../kernel-error.ts';
import type { SqlRow } from '../sqlite/database.ts';
import type { AttemptState, TaskState } from '../states/transitions.ts';
import type { GoalRow } from './goal-row.ts';
import { ATTEMPT_STATES, oneOf, TASK_STATES, textOrNull } from './read-column.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** A step of a goal as it stands. */
export interface TaskRow {
  readonly task_id: string;
  readonly binding_sha256: string;
  readonly state: TaskState;
  readonly version: number;
  readonly attempts: number;
  /** Attempts that people granted beyond those of the contract. */
  readonly retries: number;
  readonly output_sha256: string | null;
  /** What a verify task said. */
  readonly verdict: 'pass' | 'fail' | null;
}

/** One execution of a task as it stands. */
export interface AttemptRow {
  readonly number: number;
  readonly state: AttemptState;
  readonly fence: number;
  readonly units: number;
  readonly resumes: number;
  readonly elapsed_ms: number;
  readonly admitted_at: string;
  readonly suspended_by: string | null;
  readonly failure_class: string | null;
  readonly failure_code: string | null;
  readonly failure_message: string | null;
  /** Part of the idempotency key of the whole attempt. */
  readonly generation: number;
  /** Whether it failed and is known to have had no effect. */
  readonly is_clean: boolean;
  /** Who claimed it last. */
  readonly owner_id: string;
  /** Whether the callback of an attempt in doubt is known to have ended. */
  readonly is_settled: boolean;
  readonly version: number;
}

/** Who performs an attempt at this moment. */
export interface LeaseRow {
  readonly owner_id: string;
  readonly number: number;
  readonly fence: number;
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
