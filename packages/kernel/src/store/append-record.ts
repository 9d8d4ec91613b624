import { canonicalJson, type JsonObject, type JsonValue, sha256 } from '@millforge/contracts';
import { illegalTransition } from '../kernel-error.ts';
import { isLegal } from '../states/transitions.ts';
import type { GoalHead } from './goal-row.ts';
import { isKeptInRow, keptText, type Payload, savePayload } from './payloads.ts';
import type { SqlValue } from './sql-row.ts';
import type { StoreTransaction } from './store-transaction.ts';
import { TABLES, type TableName, type TableShape } from './tables.ts';
import { toWellFormed } from './well-formed-text.ts';

/** Columns of one row as a record tells them: the key, and what is new. */
export type RowPatch = { readonly [column: string]: JsonValue };

/** A row that a record inserts or changes. */
export interface RowChange {
  readonly table: TableName;
  readonly isNew: boolean;
  readonly row: RowPatch;
  /** Payloads that the row names, by the column of their digest; the record tells digests only. */
  readonly payloads?: RowPayloads;
  /** The row as last written by whoever changes it; the change asks the store only where it is another one by now. */
  readonly known?: KnownRow;
}

/** What a change compares a row by. */
export interface KnownRow {
  readonly state: string;
  readonly version: number;
}

/** Payloads by the column that names their digest. */
export type RowPayloads = { readonly [column: string]: Payload };

/** One record to append. */
export interface RecordDraft {
  /** Noun-verb. */
  readonly type: string;
  readonly actor: string;
  /** Rows that change with it; the record tells exactly these changes. */
  readonly changes: readonly RowChange[];
  /** What else a reader should know. */
  readonly facts?: JsonObject;
}

/** A row that is inserted. */
export function added(table: TableName, row: RowPatch, payloads: RowPayloads = {}): RowChange {
  return { table, isNew: true, row, payloads };
}

/** A row that is changed; its version grows by itself. */
export function changed(table: TableName, row: RowPatch, payloads: RowPayloads = {}): RowChange {
  return { table, isNew: false, row, payloads };
}

/** A change by whoever wrote the row last, which tells the next version itself. */
export function changedFrom(
  known: KnownRow,
  { table, row, payloads = {} }: Pick<RowChange, 'table' | 'row' | 'payloads'>,
): RowChange {
  return { table, isNew: false, row, payloads, known };
}

/**
 * Changes rows and appends the record that tells it, in the caller's transaction.
 *
 * The rows are written from the very patches that the record holds, so that folding the trail gives the rows.
 */
export function appendRecord<Goal extends GoalHead>(
  tx: StoreTransaction,
  goal: Goal,
  draft: RecordDraft,
): Goal {
  const data: { [name: string]: JsonValue } = { ...draft.facts };
  const told = new Map<TableName, RowPatch[]>();
  for (const change of draft.changes) {
    for (const column in change.payloads) {
      const payload = change.payloads[column];
      if (payload !== undefined && !isKeptInRow(payload)) savePayload(tx, goal.tenant, payload);
    }
    const patch = change.isNew ? insertRow(tx, goal, change) : changeRow(tx, goal, change);
    const patches = told.get(change.table);
    if (patches === undefined) told.set(change.table, [patch]);
    else patches.push(patch);
  }
  for (const [table, patches] of told) data[table] = patches;
  return appendHead(tx, goal, {
    type: draft.type,
    actor: draft.actor,
    data: canonicalJson(data, { newline: false }),
    isKept: isKeptInGoal(data),
  });
}

/** The text whose digest a record carries. */
export function recordSha256(record: {
  readonly tenant: string;
  readonly goal_uid: string;
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly actor: string;
  /** Canonical text, without a line feed. */
  readonly data: string;
  readonly previous_sha256: string;
}): string {
  const { tenant, goal_uid, seq, at, type, actor, data, previous_sha256 } = record;
  // Written out in the order of canonical JSON, so that the data is not encoded twice.
  const [who, goal, kind, owner] = [actor, goal_uid, type, tenant].map((text) =>
    canonicalJson(text, { newline: false }),
  );
  return sha256(
    `{"actor":${who},"at":"${at}","data":${data},"goal_uid":${goal},"previous_sha256":"${previous_sha256}","seq":${seq},"tenant":${owner},"type":${kind}}\n`,
  );
}

/**
 * Whether the row of a goal names a record as its last one: one that changes this very row, or no row at all.
 *
 * Every other record shows in a row that it changed, so that it can be missed all the same; writing its name into the
 * goal would cost each operation a page.
 */
export function isKeptInGoal(data: JsonObject): boolean {
  return 'goals' in data || !Object.keys(TABLES).some((table) => table in data);
}

/** What a record's data may be: the canonical text of a column. */
export function columnText(shape: TableShape, column: string, value: JsonValue): SqlValue {
  if (shape.json.length > 0 && shape.json.includes(column)) {
    return canonicalJson(value, { newline: false });
  }
  // The record keeps half a character as it was said; a column cannot.
  if (typeof value === 'string') return toWellFormed(value);
  if (typeof value === 'number' || value === null) return value;
  return canonicalJson(value, { newline: false });
}

/** The columns that keep payloads: each follows the column of its digest, so that no former payload stays behind. */
export function keptColumns(
  table: TableName,
  row: RowPatch,
  payloads: RowPayloads = {},
): { readonly [column: string]: string | null } {
  const { kept } = TABLES[table];
  const columns: { [column: string]: string | null } = {};
  for (const digest in kept) {
    const column = kept[digest];
    if (column === undefined || row[digest] === undefined) continue;
    columns[column] = keptTextOf(payloads[digest]);
  }
  return columns;
}

function keptTextOf(payload: Payload | undefined): string | null {
  return payload === undefined ? null : keptText(payload);
}

/** Digest that stands before the first record. */
export const NO_SHA256 = '0'.repeat(64);

/** Changes a row from the state and the version that it has; gives what the record tells of it. */
function changeRow(tx: StoreTransaction, goal: GoalHead, change: RowChange): RowPatch {
  const { table, row, known } = change;
  if (!('version' in TABLES[table].defaults)) {
    updateRow(tx, goal, { change, row });
    return row;
  }
  const to = row['state'];
  if (known !== undefined && (typeof to !== 'string' || isLegal(table, known.state, to))) {
    if (updateRow(tx, goal, { change, row, known })) return row;
  }
  const patch = nextVersion(tx, goal, change);
  updateRow(tx, goal, { change, row: patch });
  return patch;
}

function nextVersion(tx: StoreTransaction, goal: GoalHead, change: RowChange): RowPatch {
  const found = tx.find(change.table, rowKey(goal, change), STATE_AND_VERSION);
  const from = String(found?.['state']);
  const state = change.row['state'];
  const to = typeof state === 'string' ? state : null;
  if (found === undefined || (to !== null && !isLegal(change.table, from, to))) {
    throw illegalTransition(change.table, from, to ?? from);
  }
  return { ...change.row, version: Number(found['version']) + 1 };
}

function insertRow(
  tx: StoreTransaction,
  goal: GoalHead,
  { table, row, payloads }: RowChange,
): RowPatch {
  const { shape, columns, told, untold, kept } = INSERTIONS[table];
  const values: SqlValue[] = [goal.goal, goal.tenant];
  for (let place = 0; place < told.length; place += 1) {
    const column = told[place] ?? '';
    const value = row[column];
    values.push(value === undefined ? (untold[place] ?? null) : columnText(shape, column, value));
  }
  if (kept.length > 0) {
    const texts = keptColumns(table, row, payloads);
    for (const column of kept) values.push(texts[column] ?? null);
  }
  tx.insert(table, { columns, values });
  return row;
}

/** Writes the columns of a patch; whether there was such a row, in the state and version that it is known by. */
function updateRow(
  tx: StoreTransaction,
  goal: GoalHead,
  { change, row, known }: Pick<RowChange, 'row' | 'known'> & { readonly change: RowChange },
): boolean {
  const { table, payloads } = change;
  const shape = TABLES[table];
  const patch: { [column: string]: SqlValue } = {};
  for (const column in row) {
    if (shape.key.includes(column)) continue;
    patch[column] = columnText(shape, column, row[column] ?? null);
    const kept = shape.kept[column];
    if (kept !== undefined) patch[kept] = keptTextOf(payloads?.[column]);
  }
  const where = rowKey(goal, change);
  if (known !== undefined) {
    where['state'] = known.state;
    where['version'] = known.version;
  }
  return tx.update(table, where, patch) === 1;
}

function rowKey(goal: GoalHead, { table, row }: RowChange): { [column: string]: SqlValue } {
  const shape = TABLES[table];
  const key: { [column: string]: SqlValue } = { goal: goal.goal, tenant: goal.tenant };
  for (const column of shape.key) key[column] = columnText(shape, column, row[column] ?? null);
  return key;
}

const STATE_AND_VERSION = { columns: ['state', 'version'] };

/** How a row of a table is inserted. */
interface Insertion {
  readonly shape: TableShape;
  /** All columns, in their order. */
  readonly columns: readonly string[];
  /** Those that the row itself tells; they follow the goal and its tenant. */
  readonly told: readonly string[];
  /** What those hold of which it says nothing, by their place. */
  readonly untold: readonly SqlValue[];
  /** Those that keep payloads; they come last. */
  readonly kept: readonly string[];
}

function insertion(table: TableName): Insertion {
  const shape = TABLES[table];
  const told = [...shape.key, ...Object.keys(shape.defaults)];
  const untold = told.map((column) => shape.defaults[column] ?? null);
  const kept = Object.values(shape.kept);
  return { shape, columns: ['goal', 'tenant', ...told, ...kept], told, untold, kept };
}

const INSERTIONS: { readonly [Name in TableName]: Insertion } = {
  goals: insertion('goals'),
  tasks: insertion('tasks'),
  attempts: insertion('attempts'),
  operations: insertion('operations'),
  notes: insertion('notes'),
  holds: insertion('holds'),
  receipts: insertion('receipts'),
  artifacts: insertion('artifacts'),
  publications: insertion('publications'),
  imports: insertion('imports'),
};

function appendHead<Goal extends GoalHead>(
  tx: StoreTransaction,
  goal: Goal,
  record: {
    readonly type: string;
    readonly actor: string;
    readonly data: string;
    readonly isKept: boolean;
  },
): Goal {
  const seq = goal.head_seq + 1;
  const record_sha256 = recordSha256({
    type: record.type,
    actor: record.actor,
    data: record.data,
    tenant: goal.tenant,
    goal_uid: goal.goal_uid,
    seq,
    at: goal.at,
    previous_sha256: goal.head_sha256,
  });
  tx.append({
    goal: goal.goal,
    tenant: goal.tenant,
    seq,
    at: goal.at,
    type: record.type,
    actor: record.actor,
    data: record.data,
    previous_sha256: goal.head_sha256,
    record_sha256,
  });
  if (record.isKept) {
    tx.update(
      'goals',
      { goal: goal.goal, tenant: goal.tenant },
      { head_seq: seq, head_sha256: record_sha256, head_at: goal.at },
    );
  }
  return { ...goal, head_seq: seq, head_sha256: record_sha256, head_at: goal.at };
}
