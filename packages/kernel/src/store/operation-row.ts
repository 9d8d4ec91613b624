import type { Operation, OperationEffect, OperationRepeat } from '@millforge/contracts';
import type { OperationState } from '../states/transitions.ts';
import { columnText, keptColumns, type RowPatch, type RowPayloads } from './append-record.ts';
import type { GoalRow } from './goal-row.ts';
import { EFFECTS, OPERATION_STATES, OUTCOMES, oneOf, REPEATS, textOrNull } from './read-column.ts';
import type { SqlValue } from './sql-row.ts';
import type { StoreTransaction } from './store-transaction.ts';
import { TABLES } from './tables.ts';

/** Gives the value of a column by its name. */
type ColumnReader = (column: string) => SqlValue | undefined;

/** An operation as it stands. */
export interface OperationRow {
  /** Names it in its task. */
  readonly key: string;
  /** Step of the program. */
  readonly step: number;
  /** What it reaches. */
  readonly kind: Operation['kind'];
  /** The strongest thing that it may do. */
  readonly effect: OperationEffect;
  /** Whether it may be repeated. */
  readonly repeat: OperationRepeat;
  /** Whether it costs something. */
  readonly metered: boolean;
  /** Whether its input is kept as a digest only. */
  readonly sensitive: boolean;
  /** Redacted line for a person. */
  readonly describe: string;
  /** Key of the operation whose input it continues. */
  readonly extends: string | null;
  /** Digest over its part of the input and all that it extends. */
  readonly input_sha256: string;
  /** Digest of its own part of the input. */
  readonly part_sha256: string;
  /** How long a receiver remembers its idempotency key. */
  readonly key_ttl_ms: number;
  /** How it stands. */
  readonly state: OperationState;
  /** Grows with every change. */
  readonly version: number;
  /** Attempt that performed it last. */
  readonly attempt: number;
  /** Claim under which that was. */
  readonly fence: number;
  /** Process that performed it last. */
  readonly owner_id: string;
  /** Part of its idempotency key. */
  readonly generation: number;
  /** Performances so far. */
  readonly tries: number;
  /** Time of its first record. */
  readonly first_at: string;
  /** Milliseconds of its attempt under a lease by then. */
  readonly elapsed_ms: number;
  /** Digest of what was seen before it. */
  readonly before_sha256: string | null;
  /** Whether the act of the last performance is known to have ended. */
  readonly is_settled: boolean;
  /** Whether the last performance is known not to have happened. */
  readonly is_absent: boolean;
  /** Whether a person allowed one more performance. */
  readonly may_repeat: boolean;
  /** How it came out. */
  readonly outcome: 'done' | 'failed' | 'refused' | null;
  /** Digest of its outcome. */
  readonly outcome_sha256: string | null;
  /** Digest of what was seen after it. */
  readonly after_sha256: string | null;
  /** Who attests its outcome. */
  readonly attested_by: string | null;
  /** Payloads that the row keeps. */
  readonly part_json: string | null;
  /** Likewise what was seen before it. */
  readonly before_json: string | null;
  /** Likewise its outcome. */
  readonly outcome_json: string | null;
}

/** Reads all operations of a task in the order of their first record. */
export function readOperations(
  tx: StoreTransaction,
  { goal, tenant }: Pick<GoalRow, 'goal' | 'tenant'>,
  taskId: string,
): readonly OperationRow[] {
  return tx
    .list('operations', { goal, tenant, task_id: taskId })
    .map((row) => toOperationRow((column) => row[column]));
}

/** Reads one operation. */
export function readOperation(
  tx: StoreTransaction,
  { goal, tenant }: Pick<GoalRow, 'goal' | 'tenant'>,
  { taskId, key }: { readonly taskId: string; readonly key: string },
): OperationRow | null {
  const row = tx.find('operations', { goal, tenant, task_id: taskId, key });
  return row === undefined ? null : toOperationRow((column) => row[column]);
}

/** What a row is after a change, without reading it again. */
export function patchedRow(
  before: OperationRow | null,
  patch: RowPatch,
  payloads: RowPayloads,
): OperationRow {
  const kept = keptColumns('operations', patch, payloads);
  // Each column is looked up in turn: copying rows of forty columns takes longer than writing them.
  return toOperationRow((column) => {
    const payload = kept[column];
    if (payload !== undefined) return payload;
    const value = patch[column];
    if (value !== undefined) return columnText(TABLES.operations, column, value);
    return before === null ? DEFAULTS[column] : columnOf(before, column);
  });
}

/** What a column holds that was read into a row; undefined for one that no row keeps. */
function columnOf(row: OperationRow, column: string): SqlValue | undefined {
  const value: unknown = Reflect.get(row, column);
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'string' || typeof value === 'number' || value === null
    ? value
    : undefined;
}

function toOperationRow(column: ColumnReader): OperationRow {
  const outcome = column('outcome');
  return {
    key: String(column('key')),
    step: Number(column('step')),
    kind: oneOf(['model', 'tool', 'read'], column('kind')),
    effect: oneOf(EFFECTS, column('effect')),
    repeat: oneOf(REPEATS, column('repeat')),
    metered: column('metered') === 1,
    sensitive: column('sensitive') === 1,
    describe: String(column('describe')),
    extends: textOrNull(column('extends')),
    input_sha256: String(column('input_sha256')),
    part_sha256: String(column('part_sha256')),
    key_ttl_ms: Number(column('key_ttl_ms')),
    state: oneOf(OPERATION_STATES, column('state')),
    version: Number(column('version')),
    attempt: Number(column('attempt')),
    fence: Number(column('fence')),
    owner_id: String(column('owner_id')),
    generation: Number(column('generation')),
    tries: Number(column('tries')),
    first_at: String(column('first_at')),
    elapsed_ms: Number(column('elapsed_ms')),
    before_sha256: textOrNull(column('before_sha256')),
    is_settled: column('is_settled') === 1,
    is_absent: column('is_absent') === 1,
    may_repeat: column('may_repeat') === 1,
    outcome: outcome === null || outcome === undefined ? null : oneOf(OUTCOMES, outcome),
    outcome_sha256: textOrNull(column('outcome_sha256')),
    after_sha256: textOrNull(column('after_sha256')),
    attested_by: textOrNull(column('attested_by')),
    part_json: textOrNull(column('part_json')),
    before_json: textOrNull(column('before_json')),
    outcome_json: textOrNull(column('outcome_json')),
  };
}

const DEFAULTS = TABLES.operations.defaults;
