import { createHash } from 'node:crypto';
import { isSha256, type JsonObject, readJson, sha256, toPlainJson } from '@millforge/contracts';
import { kernelError } from '../kernel-error.ts';
import { added, appendRecord } from '../store/append-record.ts';
import { readGoalAgain } from '../store/goal-row.ts';
import { isKeptInRow, savePayload } from '../store/payloads.ts';
import type { SqlRow, SqlValue } from '../store/sql-row.ts';
import type { StoreTransaction } from '../store/store-transaction.ts';
import { TABLES, type TableName } from '../store/tables.ts';
import { findUnreadable } from './find-unreadable.ts';
import { createFold, type Fold, TABLE_NAMES } from './fold-trail.ts';
import { type Chain, emptyChain, followChain } from './follow-chain.ts';
import { compareRows } from './verify-trail.ts';

/** An export that holds, ready to be written. */
export interface ReadExport {
  readonly goalId: string;
  readonly goalUid: string;
  readonly records: readonly SqlRow[];
  readonly payloads: ReadonlyMap<string, string>;
  readonly fold: Fold;
  readonly chain: Chain;
  readonly exportSha256: string;
}

/** Reads the lines of an export and verifies all of it; nothing is written. */
export async function readExport(
  lines: Iterable<string> | AsyncIterable<string>,
  tenant: string,
): Promise<ReadExport> {
  const hash = createHash('sha256');
  const fold = createFold();
  const chain = emptyChain();
  const records: SqlRow[] = [];
  const payloads = new Map<string, string>();
  let header: JsonObject | null = null;
  let summary: JsonObject | null = null;
  let exportSha256 = '';
  let count = 0;
  for await (const text of lines) {
    count += 1;
    const line = readLine(text, count);
    if (summary !== null) throw invalid(count, 'something follows the summary');
    if (header === null) {
      header = line;
      checkHeader(header, tenant);
    } else if (line['summary'] !== undefined) {
      summary = objectOf(line['summary'], count);
      exportSha256 = hash.digest('hex');
      continue;
    } else if (line['record'] !== undefined) {
      const row = toRow(objectOf(line['record'], count), count);
      const problem = followChain(chain, fold, { row, tenant });
      if (problem !== null) throw invalid(count, problem.what);
      records.push(row);
    } else {
      const payload = objectOf(line['payload'], count);
      const { sha256: digest, text: content } = payload;
      const isWhole =
        typeof content === 'string' &&
        typeof digest === 'string' &&
        isSha256(digest) &&
        sha256(content) === digest;
      if (!isWhole) {
        throw invalid(count, 'the payload does not have the digest that it names');
      }
      payloads.set(digest, content);
    }
    hash.update(text.endsWith('\n') ? text : `${text}\n`);
  }
  if (header === null || summary === null)
    throw invalid(count, 'the export has no summary, so it is cut');
  const isWhole =
    summary['records'] === records.length &&
    summary['payloads'] === payloads.size &&
    summary['head_sha256'] === chain.sha256 &&
    summary['export_sha256'] === exportSha256;
  if (!isWhole) throw invalid(count, 'the summary does not fit what stands before it');
  if (chain.goalUid === null || chain.goalUid !== header['goal_uid']) {
    throw invalid(1, 'the header names another goal than the records');
  }
  const goalId = fold.rows('goals')[0]?.get('goal_id');
  if (typeof goalId !== 'string') throw invalid(2, 'the records name no goal');
  if (goalId !== header['goal_id'])
    throw invalid(1, 'the header names another goal than the records');
  const named = fold.named();
  // What no record names would make every later look at this store find it changed.
  for (const digest of payloads.keys()) {
    if (!named.has(digest)) throw invalid(count, `no record names the payload ${digest}`);
  }
  return {
    goalId,
    goalUid: chain.goalUid,
    records,
    payloads,
    fold,
    chain,
    exportSha256,
  };
}

/** Writes an export as a goal that is read and never run; its last record tells of the import. */
export function importTrail(
  tx: StoreTransaction,
  read: ReadExport,
  by: { readonly tenant: string; readonly actor: string; readonly now: number },
): void {
  const { tenant } = by;
  const known =
    tx.find('goals', { tenant, goal_id: read.goalId }) ??
    tx.find('goals', { tenant, goal_uid: read.goalUid });
  if (known !== undefined) {
    throw kernelError(
      'kernel/goal-conflict',
      `There is a goal ${read.goalId} here already; import it into another trail.`,
    );
  }
  const { chain } = read;
  const head: readonly (readonly [string, SqlValue])[] = [
    ['tenant', tenant],
    ['head_seq', chain.kept.seq],
    ['head_sha256', chain.kept.sha256],
    ['head_at', chain.kept.at],
  ];
  refuseForeignColumns(read.fold);
  const [goalRow] = read.fold.rows('goals');
  insert(tx, 'goals', new Map([...(goalRow ?? []), ...head]));
  const goal = Number(tx.find('goals', { tenant, goal_uid: read.goalUid })?.['goal']);
  const place: readonly (readonly [string, SqlValue])[] = [
    ['goal', goal],
    ['tenant', tenant],
  ];
  const inRows = new Set<string>();
  for (const table of TABLE_NAMES) {
    if (table === 'goals') continue;
    for (const row of read.fold.rows(table)) {
      insert(tx, table, new Map([...row, ...place, ...keptOf(table, row, { read, inRows })]));
    }
  }
  for (const row of read.records) {
    insert(tx, 'trail', new Map([...Object.entries(row), ...place]));
  }
  for (const [digest, text] of read.payloads) {
    if (inRows.has(digest)) continue;
    savePayload(tx, tenant, { sha256: digest, text });
  }
  // What was written is compared with what the records tell, before any of it counts.
  const problem = compareRows(tx, { goal, tenant, chain, fold: read.fold });
  if (problem !== null) throw invalid(problem.seq, problem.what);
  const unreadable = findUnreadable(tx, { tenant, goalId: read.goalId, now: by.now });
  if (unreadable !== null) throw invalid(2, unreadable);
  const imported = readGoalAgain(tx, { goal, tenant }, by.now);
  appendRecord(tx, imported, {
    type: 'trail-imported',
    actor: by.actor,
    changes: [
      added('imports', {
        export_sha256: read.exportSha256,
        records: read.records.length,
        imported_by: by.actor,
        imported_at: imported.at,
      }),
    ],
  });
}

/** Names of columns come from a foreign document, and become part of a statement. */
function refuseForeignColumns(fold: Fold): void {
  for (const table of TABLE_NAMES) {
    const { key, defaults } = TABLES[table];
    for (const row of fold.rows(table)) {
      for (const column of row.keys()) {
        if (key.includes(column) || Object.hasOwn(defaults, column)) continue;
        throw invalid(0, `the records tell a column of ${table} that is not known`);
      }
    }
  }
}

function insert(
  tx: StoreTransaction,
  table: TableName | 'trail',
  row: ReadonlyMap<string, SqlValue>,
): void {
  tx.insert(table, { columns: [...row.keys()], values: [...row.values()] });
}

/** Small payloads stand in the row that names them, as they did where they come from. */
function keptOf(
  table: TableName,
  row: ReadonlyMap<string, SqlValue>,
  { read, inRows }: { readonly read: ReadExport; readonly inRows: Set<string> },
): readonly (readonly [string, SqlValue])[] {
  return Object.entries(TABLES[table].kept).flatMap(([digestColumn, column]) => {
    const digest = row.get(digestColumn);
    const text = typeof digest === 'string' ? read.payloads.get(digest) : undefined;
    if (typeof digest !== 'string' || text === undefined) return [];
    if (!isKeptInRow({ sha256: digest, text })) return [];
    inRows.add(digest);
    return [[column, text] as const];
  });
}

function checkHeader(header: JsonObject, tenant: string): void {
  if (header['kind'] !== 'trail_export' || header['schema_version'] !== '1.0') {
    throw invalid(1, 'this is no trail_export 1.0');
  }
  if (header['tenant'] !== tenant) {
    throw invalid(1, 'it was exported by another tenant, whose name is part of every digest');
  }
}

function readLine(text: string, line: number): JsonObject {
  if (typeof text !== 'string') throw invalid(line, 'the line is no text');
  if (text.length > MAX_LINE_LENGTH) throw invalid(line, 'the line is longer than 8 MiB');
  const read = readJson(text);
  if (!read.ok) throw invalid(line, `the line is no JSON: ${read.message}`);
  const plain = toPlainJson(read.value);
  return objectOf(plain, line);
}

function objectOf(value: unknown, line: number): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(line, 'expected an object');
  }
  return value as JsonObject; // An object that is no array, out of parsed JSON.
}

function toRow(record: JsonObject, line: number): SqlRow {
  const row: { [column: string]: SqlValue } = {};
  for (const column of RECORD_COLUMNS) {
    const value = record[column];
    const isRight = column === 'seq' ? Number.isSafeInteger(value) : typeof value === 'string';
    if (!isRight || (typeof value !== 'string' && typeof value !== 'number')) {
      throw invalid(line, `the record lacks ${column}`);
    }
    row[column] = value;
  }
  if (Object.keys(record).length !== RECORD_COLUMNS.length) {
    throw invalid(line, 'the record has a field that is not known');
  }
  return row;
}

/** Says where an export does not hold; what it says of itself is part of no message. */
export function invalid(line: number, what: string): Error {
  return kernelError(
    'kernel/export-invalid',
    `The export does not hold at line ${line}: ${what}; nothing was imported.`,
    { line, what },
  );
}

const RECORD_COLUMNS = [
  'seq',
  'at',
  'type',
  'actor',
  'data',
  'previous_sha256',
  'record_sha256',
] as const;
const MAX_LINE_LENGTH = 8_388_608;
