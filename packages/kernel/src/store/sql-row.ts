/** A value of a column. */
export type SqlValue = string | number | null | Uint8Array;

/** A row as SQLite gives it. */
export interface SqlRow {
  readonly [column: string]: SqlValue;
}
