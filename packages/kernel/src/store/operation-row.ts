import type { Operation, OperationEffect, OperationRepeat } from '@millforge/contracts';
import type { SqlRow, SqlValue, Transaction } from '../sqlite/database.ts';
import type { OperationState } from '../states/transitions.ts';
import { columnText, keptColumns, type RowPatch, type RowPayloads } from './append-record.ts';
import type { GoalRow } from './goal-row.ts';
import { EFFECTS, OPERATION_STATES, OUTCOMES, oneOf, REPEATS, textOrNull } from './read-column.ts';
import { TABLES } from './tables.ts';

/** An operation as it stands. */
export interface OperationRow {
  readonly key: string;
  readonly step: number;
  readonly kind: Operation['kind'];
  readonly effect: OperationEffect;
  readonly repeat: OperationRepeat;
  readonly metered: boolean;
  readonly sensitive: boolean;
  readonly describe: string;
  readonly extends: string | null;
  readonly input_sha256: string;
  readonly part_sha256: string;
  readonly key_ttl_ms: number;
  readonly state: OperationState;
  readonly attempt: number;
  readonly fence: number;
  readonly owner_id: string;
  readonly generation: number;
  readonly tries: number;
  readonly first_at: string;
  readonly elapsed_ms: number;
  readonly before_sha256: string | null;
  /** Whether the act of the last performance is known to have ended. */
  readonly is_settled: boolean;
  /** Whether the last performance is known not to have happened. */
  readonly is_absent: boolean;
  /** Whether a person allowed one more performance. */
  readonly may_repeat: boolean;
  readonly outcome: (typeof OUTCOMES)[number] | null;
  readonly outcome_sha256: string | null;
  readonly after_sha256: string | null;
  readonly attested_by: string | null;
  /** Payloads that the row keeps. */
  readonly part_json: string | null;
  readonly before_json: string | null;
  readonly outcome_json: string | null;
  /** The row as SQLite has it. */
  readonly columns: SqlRow;
}

/** Reads all operations of a task in the order of their first record. */
export function readOperations(
  tx: Transaction,
  { goal, tenant }: Pick<GoalRow, 'goal' | 'tenant'>,
  taskId: string,
): readonly OperationRow[] {
  return tx
    .all(
      'SELECT * FROM operations WHERE goal = ? AND tenant = ? AND task_id = ? ORDER BY rowid',
      goal,
      tenant,
      taskId,
    )
    .map(toOperationRow);
}

/** Reads one operation. */
export function readOperation(
  tx: Transaction,
  { goal, tenant }: Pick<GoalRow, 'goal' | 'tenant'>,
  { taskId, key }: { readonly taskId: string; readonly key: string },
): OperationRow | null {
  const row = tx.get(
    'SELECT * FROM operations WHERE goal = ? AND tenant = ? AND task_id = ? AND key = ?',
    goal,
    tenant,
    taskId,
    key,
  );
  return row === undefined ? null : toOperationRow(row);
}

/** What a row is after a change, without reading it again. */
export function patchedRow(
  before: OperationRow | null,
  patch: RowPatch,
  payloads: RowPayloads,
): OperationRow {
  const columns: { [column: string]: SqlValue } = { ...(before?.columns ?? DEFAULTS) };
  for (const [column, value] of Object.entries(patch)) {
    columns[column] = columnText(TABLES.operations, column, value);
  }
  return toOperationRow({ ...columns, ...keptColumns('operations', patch, payloads) });
}

function toOperationRow(row: SqlRow): OperationRow {
  const outcome = row['outcome'];
  return {
    columns: row,
    key: String(row['key']),
    step: Number(row['step']),
    kind: oneOf(['model', 'tool', 'read'], row['kind']),
    effect: oneOf(EFFECTS, row['effect']),
    repeat: oneOf(REPEATS, row['repeat']),
    metered: row['metered'] === 1,
    sensitive: row['sensitive'] === 1,
    describe: String(row['describe']),
    extends: textOrNull(row['extends']),
    input_sha256: String(row['input_sha256']),
    part_sha256: String(row['part_sha256']),
    key_ttl_ms: Number(row['key_ttl_ms']),
    state: oneOf(OPERATION_STATES, row['state']),
    attempt: Number(row['attempt']),
    fence: Number(row['fence']),
    owner_id: String(row['owner_id']),
    generation: Number(row['generation']),
    tries: Number(row['tries']),
    first_at: String(row['first_at']),
    elapsed_ms: Number(row['elapsed_ms']),
    before_sha256: textOrNull(row['before_sha256']),
    is_settled: row['is_settled'] === 1,
    is_absent: row['is_absent'] === 1,
    may_repeat: row['may_repeat'] === 1,
    outcome: outcome === null ? null : oneOf(OUTCOMES, outcome),
    outcome_sha256: textOrNull(row['outcome_sha256']),
    after_sha256: textOrNull(row['after_sha256']),
    attested_by: textOrNull(row['attested_by']),
    part_json: textOrNull(row['part_json']),
    before_json: textOrNull(row['before_json']),
    outcome_json: textOrNull(row['outcome_json']),
  };
}

const DEFAULTS = TABLES.operations.defaults;
