import type { SqlRow, SqlValue } from '../store/sql-row.ts';
import type {
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
      get(selection(table, where, { ...page, limit: 'first' }), ...boundIn(where, page)),
    list: (table, where, page = BY_INSERTION) =>
      all(selection(table, where, page), ...boundIn(where, page)),
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
      let name = table as string;
      for (const column in patch) {
        name += ` ${column}`;
        values.push(patch[column] ?? null);
      }
      const sql = known(UPDATES, `${name},${nameOf(where)}`, () => {
        const sets = Object.keys(patch).map((column) => `${column} = ?`);
        return `UPDATE ${table} SET ${sets.join(', ')} WHERE ${condition(where)}`;
      });
      bind(where, values);
      return run(sql, ...values);
    },
    remove(table, where) {
      run(`DELETE FROM ${table} WHERE ${condition(where)}`, ...valuesOf(where));
    },
    claimed: (claim) =>
      // Each operation pays for this statement, so it reads no column that an operation does not need.
      get(
        `SELECT goals.state, head_seq, head_sha256, head_at, attempts.state AS attempt_state, attempts.fence
           FROM goals JOIN attempts ON attempts.goal = goals.goal AND attempts.task_id = ? AND attempts.number = ?
          WHERE goals.goal = ? AND goals.tenant = ?`,
        claim.taskId,
        claim.number,
        claim.goal,
        claim.tenant,
      ),
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

/** The text of a selection; what asks for the same columns in the same way shares it. */
function selection(
  table: StoreTable,
  where: Where,
  page: Omit<Page, 'limit'> & { readonly limit?: number | 'first' },
): string {
  const { orderBy, descending = false, after, limit } = page;
  const asked = `${orderBy ?? ''},${descending},${after === undefined},${limit === 'first' ? 1 : limit === undefined}`;
  const columns = page.columns?.join(' ') ?? '';
  return known(SELECTIONS, `${table} ${nameOf(where)},${asked},${columns}`, () => {
    // The order of insertion is read along where somebody goes on from it.
    const chosen = page.columns?.join(', ') ?? (orderBy === 'rowid' ? 'rowid AS rowid, *' : '*');
    const beyond = after === undefined ? '' : ` AND ${orderBy} ${descending ? '<' : '>'} ?`;
    const order = orderBy === undefined ? '' : ` ORDER BY ${orderBy}${descending ? ' DESC' : ''}`;
    return `SELECT ${chosen} FROM ${table} WHERE ${condition(where)}${beyond}${order}${endOf(page)}`;
  });
}

/** A bound limit costs more than a row that is found by its key, which needs none. */
function endOf({
  orderBy,
  limit,
}: {
  readonly orderBy?: string;
  readonly limit?: number | 'first';
}): string {
  if (limit === undefined) return '';
  if (limit !== 'first') return ' LIMIT ?';
  return orderBy === undefined ? '' : ' LIMIT 1';
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

/** Tells apart conditions whose texts differ. */
function nameOf(where: Where): string {
  let name = '';
  for (const column in where) {
    const value = where[column] ?? null;
    name +=
      value === null ? ` ${column}!` : isList(value) ? ` ${column}${value.length}` : ` ${column}`;
  }
  return name;
}

function isList(value: SqlValue | readonly string[]): value is readonly string[] {
  return Array.isArray(value);
}

/** A text that was made before, or that is made now: putting texts together takes longer than running them. */
function known(texts: Map<string, string>, name: string, make: () => string): string {
  const text = texts.get(name);
  if (text !== undefined) return text;
  const made = make();
  texts.set(name, made);
  return made;
}

// As many as there are places that ask.
const SELECTIONS = new Map<string, string>();
const UPDATES = new Map<string, string>();
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
