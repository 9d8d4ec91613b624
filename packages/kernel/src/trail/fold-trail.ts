import type { JsonObject, JsonValue } from '@millforge/contracts';
import { columnText } from '../store/append-record.ts';
import type { SqlRow, SqlValue } from '../store/sql-row.ts';
import { TABLES, type TableName, type TableShape } from '../store/tables.ts';

/** Rebuilds the rows of a goal from its records. */
export interface Fold {
  /** Applies a record; says what is wrong with it, or null. */
  apply(record: { readonly type: string; readonly data: JsonValue }): string | null;
  /** Compares a table with what the records tell; says what differs, or null. */
  compare(table: string, rows: readonly SqlRow[]): string | null;
  /** Digests of payloads that records name and no row does. */
  payloads(): readonly string[];
  /** Digests of all payloads that any record names, also those that rows name no more. */
  named(): ReadonlySet<string>;
  /** The rows of a table, column by column. */
  rows(table: TableName): readonly ReadonlyMap<string, SqlValue>[];
}

/** Begins with nothing. */
export function createFold(): Fold {
  const tables = new Map<TableName, Map<string, Map<string, SqlValue>>>();
  const payloads = new Set<string>();
  const named = new Set<string>();
  return {
    apply({ type, data }) {
      if (!isObject(data)) return 'the data of the record is no object';
      for (const name of TABLE_NAMES) {
        const patches = data[name];
        if (patches === undefined) continue;
        if (!Array.isArray(patches)) return `the record tells ${name} in no list`;
        for (const patch of patches) {
          if (!isObject(patch)) return `the record tells a row of ${name} that is no object`;
          applyPatch(rowsOf(tables, name), TABLES[name], patch);
          for (const column of TABLES[name].payloads) {
            const digest = patch[column];
            if (typeof digest === 'string') named.add(digest);
          }
        }
      }
      notePayloads(type, data, payloads);
      return null;
    },
    compare(table, rows) {
      const name = TABLE_NAMES.find((one) => one === table);
      if (name === undefined) return null;
      const told = new Map(rowsOf(tables, name));
      for (const row of rows) {
        const key = keyOf(TABLES[name], new Map(Object.entries(row)));
        const expected = told.get(key);
        if (expected === undefined) return `${name} has a row that no record tells: ${key}`;
        told.delete(key);
        for (const [column, value] of expected) {
          if (row[column] !== value) {
            return `${name} ${key}: ${column} is not what the trail tells`;
          }
        }
      }
      const [missing] = told.keys();
      return missing === undefined ? null : `${name} lacks a row that the trail tells: ${missing}`;
    },
    payloads: () => [...payloads],
    named: () => new Set([...named, ...payloads]),
    rows: (table) => [...rowsOf(tables, table).values()],
  };
}

/** The tables that the trail tells. */
export const TABLE_NAMES: readonly TableName[] = [
  'goals',
  'tasks',
  'attempts',
  'operations',
  'notes',
  'holds',
  'receipts',
  'artifacts',
  'publications',
  'imports',
];

function rowsOf(
  tables: Map<TableName, Map<string, Map<string, SqlValue>>>,
  name: TableName,
): Map<string, Map<string, SqlValue>> {
  const known = tables.get(name);
  if (known !== undefined) return known;
  const rows = new Map<string, Map<string, SqlValue>>();
  tables.set(name, rows);
  return rows;
}

function applyPatch(
  rows: Map<string, Map<string, SqlValue>>,
  shape: TableShape,
  patch: JsonObject,
): void {
  const columns = new Map(
    Object.entries(patch).map(([column, value]) => [column, columnText(shape, column, value)]),
  );
  const key = keyOf(shape, columns);
  const row = rows.get(key) ?? new Map(Object.entries(shape.defaults));
  for (const [column, value] of columns) row.set(column, value);
  rows.set(key, row);
}

function keyOf(shape: TableShape, columns: ReadonlyMap<string, SqlValue>): string {
  return shape.key.map((column) => String(columns.get(column))).join('/');
}

/** Late results and large decisions lie beside the trail too. */
function notePayloads(type: string, data: JsonObject, payloads: Set<string>): void {
  const digest = type === 'result-refused' ? data['outcome_sha256'] : oversize(data);
  if (typeof digest === 'string') payloads.add(digest);
}

function oversize({ oversize: about }: JsonObject): JsonValue | undefined {
  return isObject(about) ? about['sha256'] : undefined;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
