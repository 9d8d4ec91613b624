import type { SqlRow, SqlValue } from '../store/sql-row.ts';
import type {
  ClaimedRow,
  NewRow,
  Page,
  StoreTable,
  StoreTransaction,
  Where,
} from '../store/store-transaction.ts';
import { TABLES } from '../store/tables.ts';

/** Runs statements by their text. */
export interface StatementRunner {
  readonly get: (sql: string, ...values: readonly SqlValue[]) => SqlRow | undefined;
  readonly all: (sql: string, ...values: readonly SqlValue[]) => readonly SqlRow[];
  readonly run: (sql: string, ...values: readonly SqlValue[]) => number;
}

/**
 * The statements of a store's rules. Names of tables and columns come from this package, never from outside; the values
 * are bound.
 */
export function createStatements({ get, all, run }: StatementRunner): StoreTransaction {
  return {
    find: (table, where, page = ANY) =>
      get(selection({ table, count: 'first' }, where, page), ...boundIn(where, page)),
    list: (table, where, page = BY_INSERTION) =>
      all(
        selection({ table, count: page.limit === undefined ? 'all' : 'some' }, where, page),
        ...boundIn(where, page),
      ),
    count(table, where) {
      const row = get(
        `SELECT count(*) AS number FROM ${table} WHERE ${condition(where)}`,
        ...valuesOf(where),
      );
      return Number(row?.['number']);
    },
    sum(table, columns, where) {
      const sums = columns.map((column) => `sum(${column}) AS ${column}`).join(', ');
      const row = get(`SELECT ${sums} FROM ${table} WHERE ${condition(where)}`, ...valuesOf(where));
      return Object.fromEntries(
        columns.map((column) => {
          const sum = row?.[column];
          return [column, typeof sum === 'number' ? sum : null];
        }),
      );
    },
    insert: (table, row) => run(insertion(table, row), ...row.values) === 1,
    update(table, where, patch) {
      const values: SqlValue[] = [];
      let asked = step(UPDATES, table);
      for (const column in patch) {
        asked = step(asked, column);
        values.push(patch[column] ?? null);
      }
      asked = stepInto(step(asked, 'WHERE'), where);
      asked.text ??= updateOf(table, where, patch);
      bind(where, values);
      return run(asked.text, ...values);
    },
    remove(table, where) {
      run(`DELETE FROM ${table} WHERE ${condition(where)}`, ...valuesOf(where));
    },
    append: (record) =>
      void run(
        `INSERT INTO trail (goal, tenant, seq, at, type, actor, data, previous_sha256, record_sha256)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        record.goal,
        record.tenant,
        record.seq,
        record.at,
        record.type,
        record.actor,
        record.data,
        record.previous_sha256,
        record.record_sha256,
      ),
    claimed({ goal, tenant, taskId, number }) {
      const row = get(
        `SELECT goals.state, seq AS head_seq, record_sha256 AS head_sha256, at AS head_at,
                attempts.state AS attempt_state, attempts.fence
           FROM goals JOIN attempts ON attempts.goal = goals.goal AND attempts.task_id = ? AND attempts.number = ?
                JOIN trail ON trail.goal = goals.goal AND trail.tenant = goals.tenant
          WHERE goals.goal = ? AND goals.tenant = ? ORDER BY seq DESC LIMIT 1`,
        taskId,
        number,
        goal,
        tenant,
      );
      // The columns are those that it asks for.
      return row as ClaimedRow | undefined;
    },
    waiting: (after, limit) =>
      all(
        `SELECT goal, tenant, goal_id, resource, head_at FROM goals
          WHERE goal IN (SELECT goal FROM tasks WHERE state IN ('ready', 'running')
                         UNION SELECT goal FROM goals WHERE state = 'checking')
            AND state IN ('ready', 'running', 'checking') AND goal NOT IN (SELECT goal FROM imports)
            AND (head_at > ? OR (head_at = ? AND goal > ?))
          ORDER BY head_at, goal LIMIT ?`,
        after?.headAt ?? '',
        after?.headAt ?? '',
        after?.goal ?? 0,
        limit,
      ),
    lostRow(tenant) {
      for (const table of TOLD_TABLES) {
        const row = get(
          `SELECT goal FROM ${table} WHERE tenant = ? AND goal NOT IN (SELECT goal FROM goals WHERE tenant = ?) ORDER BY goal LIMIT 1`,
          tenant,
          tenant,
        );
        if (row !== undefined) return { table, goal: Number(row['goal']) };
      }
      return null;
    },
    hasForeignRow: (table, { goal, tenant }) =>
      get(`SELECT goal FROM ${table} WHERE goal = ? AND tenant <> ? LIMIT 1`, goal, tenant) !==
      undefined,
    isNamed: (tenant, digest) =>
      get(
        'SELECT goal FROM trail WHERE tenant = ? AND instr(data, ?) > 0 LIMIT 1',
        tenant,
        digest,
      ) !== undefined,
  };
}

/** The text of a selection: of the first row, of all of them, or of as many as are bound. */
function selection(rows: Rows, where: Where, page: Page): string {
  let asked = stepInto(step(SELECTIONS, rows.table), where);
  asked = step(step(asked, rows.count), page.orderBy ?? '');
  asked = step(
    step(asked, page.descending === true ? 'DESC' : ''),
    page.after === undefined ? '' : '>',
  );
  for (const column of page.columns ?? NO_COLUMNS) asked = step(asked, column);
  asked.text ??= selectionOf(rows, where, page);
  return asked.text;
}

/** Which rows of which table. */
interface Rows {
  readonly table: StoreTable;
  readonly count: 'first' | 'all' | 'some';
}

function selectionOf(
  { table, count }: Rows,
  where: Where,
  { columns, orderBy, descending = false, after }: Page,
): string {
  // The order of insertion is read along where somebody goes on from it.
  const chosen = columns?.join(', ') ?? (orderBy === 'rowid' ? 'rowid AS rowid, *' : '*');
  const beyond = after === undefined ? '' : ` AND ${orderBy} ${descending ? '<' : '>'} ?`;
  const order = orderBy === undefined ? '' : ` ORDER BY ${orderBy}${descending ? ' DESC' : ''}`;
  // A bound limit costs more than a row that is found by its key, which needs none.
  const ends = { all: '', some: ' LIMIT ?', first: orderBy === undefined ? '' : ' LIMIT 1' };
  return `SELECT ${chosen} FROM ${table} WHERE ${condition(where)}${beyond}${order}${ends[count]}`;
}

function updateOf(table: StoreTable, where: Where, patch: SqlRow): string {
  const sets = Object.keys(patch).map((column) => `${column} = ?`);
  return `UPDATE ${table} SET ${sets.join(', ')} WHERE ${condition(where)}`;
}

function boundIn(where: Where, { after, limit }: Page): readonly SqlValue[] {
  const values: SqlValue[] = [];
  bind(where, values);
  if (after !== undefined) values.push(after);
  if (limit !== undefined) values.push(limit);
  return values;
}

function valuesOf(where: Where): readonly SqlValue[] {
  const values: SqlValue[] = [];
  bind(where, values);
  return values;
}

function bind(where: Where, values: SqlValue[]): void {
  for (const column in where) {
    const value = where[column] ?? null;
    if (isList(value)) values.push(...value);
    else if (value !== null) values.push(value);
  }
}

function condition(where: Where): string {
  return Object.entries(where)
    .map(([column, value]) => {
      if (value === null) return `${column} IS NULL`;
      return isList(value) ? `${column} IN (${value.map(() => '?').join(', ')})` : `${column} = ?`;
    })
    .join(' AND ');
}

function isList(value: SqlValue | readonly string[]): value is readonly string[] {
  return Array.isArray(value);
}

/**
 * What is asked, word by word, down to the text that was made of it: putting a text together takes longer than running
 * it, and so does looking a long one up. There are as many ends as there are places that ask.
 */
interface Asked {
  readonly next: Map<string, Asked>;
  text: string | null;
}

function step(asked: Asked, word: string): Asked {
  const known = asked.next.get(word);
  if (known !== undefined) return known;
  const made: Asked = { next: new Map(), text: null };
  asked.next.set(word, made);
  return made;
}

function stepInto(asked: Asked, where: Where): Asked {
  let next = asked;
  for (const column in where) {
    const value = where[column] ?? null;
    next = step(next, column);
    if (value === null) next = step(next, 'NULL');
    else if (isList(value)) next = step(next, `IN ${value.length}`);
  }
  return next;
}

const SELECTIONS: Asked = { next: new Map(), text: null };
const UPDATES: Asked = { next: new Map(), text: null };
const NO_COLUMNS: readonly string[] = [];
/** One row that is named by its key. */
const ANY: Page = {};
const BY_INSERTION: Page = { orderBy: 'rowid' };

/** The text of an insertion; rows of one kind share their list of columns, so it is made once for each. */
function insertion(table: StoreTable, { columns, ifAbsent = false }: NewRow): string {
  const made = INSERTIONS.get(columns);
  if (made?.table === table) return made.sql;
  const marks = columns.map(() => '?').join(', ');
  const conflict = ifAbsent ? ' ON CONFLICT DO NOTHING' : '';
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})${conflict}`;
  INSERTIONS.set(columns, { table, sql });
  return sql;
}

const INSERTIONS = new WeakMap<
  readonly string[],
  { readonly table: StoreTable; readonly sql: string }
>();

/** Tables whose rows stand under a goal of the same tenant. */
const TOLD_TABLES: readonly StoreTable[] = [
  // Its keys are the names of tables.
  ...(Object.keys(TABLES) as (keyof typeof TABLES)[]).filter((table) => table !== 'goals'),
  'trail',
];
