import type { SqlRow, SqlValue } from './sql-row.ts';
import type { TableName } from './tables.ts';

/** What the rules of this package read and write inside one transaction, whatever keeps it. */
export interface StoreTransaction {
  /** The first row that has these values, in the order of the page; undefined when there is none. */
  find(table: StoreTable, where: Where, page?: Page): SqlRow | undefined;
  /** All rows that have these values, in the order in which they were inserted unless the page says otherwise. */
  list(table: StoreTable, where: Where, page?: Page): readonly SqlRow[];
  /** Number of rows that have these values. */
  count(table: StoreTable, where: Where): number;
  /** Sums of columns over the rows that have these values; null where no row has a number. */
  sum(
    table: StoreTable,
    columns: readonly string[],
    where: Where,
  ): { readonly [column: string]: number | null };
  /** Inserts a row, unless one with the same key is there and `ifAbsent` says so; tells whether it did. */
  insert(table: StoreTable, row: NewRow): boolean;
  /** Changes the rows that have these values; gives their number. */
  update(table: StoreTable, where: Where, patch: SqlRow): number;
  /** Removes the rows that have these values. */
  remove(table: StoreTable, where: Where): void;
  /** Appends a record to the trail of its goal. */
  append(record: TrailRow): void;
  /** A claim's goal and attempt, as far as every operation asks for them; undefined when there is none. */
  claimed(claim: {
    readonly goal: number;
    readonly tenant: string;
    readonly taskId: string;
    readonly number: number;
  }): ClaimedRow | undefined;
  /** Goals of all tenants that could go on, the longest waiting first. */
  waiting(
    after: { readonly headAt: string; readonly goal: number } | null,
    limit: number,
  ): readonly SqlRow[];
  /** A row of a tenant whose goal is not there, or belongs to another tenant. */
  lostRow(tenant: string): { readonly table: StoreTable; readonly goal: number } | null;
  /** Whether a goal has a row in the name of another tenant. */
  hasForeignRow(table: StoreTable, of: { readonly goal: number; readonly tenant: string }): boolean;
  /** Whether the text of any record of a tenant holds a digest. */
  isNamed(tenant: string, digest: string): boolean;
}

/** What stands between an operation and its record. */
export interface ClaimedRow {
  /** How the goal stands. */
  readonly state: SqlValue;
  /** Number of the last record of the goal. */
  readonly head_seq: SqlValue;
  /** Digest of the last record. */
  readonly head_sha256: SqlValue;
  /** Time of the last record. */
  readonly head_at: SqlValue;
  /** How the attempt stands. */
  readonly attempt_state: SqlValue;
  /** Number of the last claim of the attempt. */
  readonly fence: SqlValue;
}

/** One record as the store keeps it. */
export interface TrailRow {
  /** Number of the goal in the store. */
  readonly goal: number;
  /** Whose goal it is. */
  readonly tenant: string;
  /** Counts the records of the goal from 1. */
  readonly seq: number;
  /** When it was written. */
  readonly at: string;
  /** Noun-verb. */
  readonly type: string;
  /** In whose name. */
  readonly actor: string;
  /** Canonical text of what it tells. */
  readonly data: string;
  /** Digest of the record before it. */
  readonly previous_sha256: string;
  /** Its own digest. */
  readonly record_sha256: string;
}

/** Where a store keeps its rows: those that the trail tells, and those that it does not. */
export type StoreTable = TableName | 'leases' | 'pins' | 'trail' | 'payloads' | 'owners';

/** Columns and what they must hold: a value, nothing, or one of several. */
export interface Where {
  readonly [column: string]: SqlValue | readonly string[];
}

/** Which of the rows, in which order. */
export interface Page {
  /** Column that orders them; `rowid` is the order in which they were inserted. */
  readonly orderBy?: string;
  readonly descending?: boolean;
  /** Begins behind this value of the column that orders. */
  readonly after?: SqlValue;
  readonly limit?: number;
  /** The columns that are asked for; default all. */
  readonly columns?: readonly string[];
}

/** A row that is inserted. The list of columns is the same object for rows of one kind. */
export interface NewRow {
  readonly columns: readonly string[];
  readonly values: readonly SqlValue[];
  /** Whether a row that is there already stays as it is. */
  readonly ifAbsent?: boolean;
}
