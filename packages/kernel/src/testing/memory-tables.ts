import { MillforgeError } from '@millforge/contracts';
import type { SqlRow, SqlValue } from '../store/sql-row.ts';
import type {
  NewRow,
  Page,
  StoreTable,
  StoreTransaction,
  Where,
} from '../store/store-transaction.ts';
import { TABLES } from '../store/tables.ts';

/** The rows of a store in memory, in transactions that come to nothing when their work throws. */
export interface MemoryTables {
  /** Runs `work`, and takes back what it changed when it throws. */
  transact<T>(work: (tx: StoreTransaction) => T): T;
}

/** Begins empty. */
export function createMemoryTables(): MemoryTables {
  const tables = new Map<StoreTable, Table>();
  let undo: (() => void)[] = [];

  const tableOf = (name: StoreTable): Table => {
    const known = tables.get(name);
    if (known !== undefined) return known;
    const table: Table = { rows: new Map(), keys: new Map(), next: 1 };
    tables.set(name, table);
    return table;
  };

  const matching = (name: StoreTable, where: Where): readonly SqlRow[] =>
    [...tableOf(name).rows.values()].filter((row) => fits(row, where));

  const put = (name: StoreTable, rowid: number, row: SqlRow | null): void => {
    const { rows, keys } = tableOf(name);
    const before = rows.get(rowid) ?? null;
    undo.push(() => put(name, rowid, before));
    for (const key of before === null ? [] : keysOf(name, before)) keys.delete(key);
    if (row === null) {
      rows.delete(rowid);
      return;
    }
    for (const key of keysOf(name, row)) keys.set(key, rowid);
    rows.set(rowid, row);
  };

  const list = (name: StoreTable, where: Where, page: Page = {}): readonly SqlRow[] => {
    const { orderBy = 'rowid', descending = false, after, limit } = page;
    const sign = descending ? -1 : 1;
    return matching(name, where)
      .filter((row) => after === undefined || sign * compared(row[orderBy], after) > 0)
      .toSorted((a, b) => sign * compared(a[orderBy], b[orderBy]))
      .slice(0, limit);
  };

  const tx: StoreTransaction = {
    find: (name, where, page) => list(name, where, page)[0],
    list,
    count: (name, where) => matching(name, where).length,
    sum(name, columns, where) {
      const rows = matching(name, where);
      return Object.fromEntries(
        columns.map((column) => {
          const numbers = rows.map((row) => row[column]).filter((one) => typeof one === 'number');
          return [column, numbers.length === 0 ? null : numbers.reduce((a, b) => a + b, 0)];
        }),
      );
    },
    insert(name, { columns, values, ifAbsent = false }: NewRow) {
      const table = tableOf(name);
      const rowid = table.next;
      const told = Object.fromEntries(
        columns.map((column, place) => [column, values[place] ?? null]),
      );
      const row = { ...blank(name), ...(name === 'goals' ? { goal: rowid } : {}), ...told, rowid };
      if (keysOf(name, row).some((key) => table.keys.has(key))) {
        if (ifAbsent) return false;
        throw broken(`two rows of ${name} have the same key`);
      }
      table.next += 1;
      put(name, rowid, checked(name, row));
      return true;
    },
    update(name, where, patch) {
      const rows = matching(name, where);
      for (const row of rows) put(name, Number(row['rowid']), checked(name, { ...row, ...patch }));
      return rows.length;
    },
    append: (record) =>
      void tx.insert('trail', { columns: Object.keys(record), values: Object.values(record) }),
    remove(name, where) {
      for (const row of matching(name, where)) put(name, Number(row['rowid']), null);
    },
    claimed: ({ goal, tenant, taskId, number }) => {
      const of = list('goals', { goal, tenant })[0];
      const attempt = list('attempts', { goal, tenant, task_id: taskId, number })[0];
      const last = list('trail', { goal, tenant }, { orderBy: 'seq', descending: true })[0];
      if (of === undefined || attempt === undefined || last === undefined) return undefined;
      return {
        state: of['state'] ?? '',
        head_seq: last['seq'] ?? 0,
        head_sha256: last['record_sha256'] ?? '',
        head_at: last['at'] ?? '',
        attempt_state: attempt['state'] ?? '',
        fence: attempt['fence'] ?? 0,
      };
    },
    waiting(after, limit) {
      const open = { state: ['ready', 'running'] };
      return matching('goals', { state: ['ready', 'running', 'checking'] })
        .filter(
          ({ goal, state }) =>
            (state === 'checking' || matching('tasks', { goal: goal ?? 0, ...open }).length > 0) &&
            matching('imports', { goal: goal ?? 0 }).length === 0,
        )
        .toSorted((a, b) => waited(a, { headAt: b['head_at'], goal: b['goal'] }))
        .filter((row) => after === null || waited(row, after) > 0)
        .slice(0, limit);
    },
    lostRow(tenant) {
      const goals = new Set(matching('goals', { tenant }).map(({ goal }) => goal));
      for (const name of ['trail', ...tables.keys()] as const) {
        if (name === 'goals' || name === 'payloads' || name === 'owners') continue;
        const lost = matching(name, { tenant }).find(({ goal }) => !goals.has(goal ?? 0));
        if (lost !== undefined) return { table: name, goal: Number(lost['goal']) };
      }
      return null;
    },
    hasForeignRow: (name, { goal, tenant }) =>
      matching(name, { goal }).some((row) => row['tenant'] !== tenant),
    isNamed: (tenant, digest) =>
      matching('trail', { tenant }).some(({ data }) => String(data).includes(digest)),
  };

  return {
    transact(work) {
      undo = [];
      try {
        return work(tx);
      } catch (error) {
        for (const takeBack of undo.toReversed()) takeBack();
        throw error;
      }
    },
  };
}

/** One table: its rows in the order of insertion, and where each key stands. */
interface Table {
  readonly rows: Map<number, SqlRow>;
  readonly keys: Map<string, number>;
  next: number;
}

function fits(row: SqlRow, where: Where): boolean {
  for (const column in where) {
    const [found, wanted] = [row[column] ?? null, where[column] ?? null];
    const isFit = Array.isArray(wanted) ? wanted.includes(found) : found === wanted;
    if (!isFit) return false;
  }
  return true;
}

function compared(a: SqlValue | undefined, b: SqlValue | undefined): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [String(a ?? ''), String(b ?? '')];
  return left < right ? -1 : Number(left > right);
}

function waited(
  row: SqlRow,
  than: { readonly headAt?: SqlValue | undefined; readonly goal?: SqlValue | undefined },
): number {
  return compared(row['head_at'], than.headAt) || compared(row['goal'], than.goal);
}

/** What a row holds where nothing was said. */
function blank(name: StoreTable): SqlRow {
  if (!isTold(name)) return {};
  const { defaults, kept } = TABLES[name];
  return {
    ...defaults,
    ...Object.fromEntries(Object.values(kept).map((column) => [column, null])),
  };
}

/** The keys that no other row may have. */
function keysOf(name: StoreTable, row: SqlRow): readonly string[] {
  const keys =
    name === 'goals' ? GOAL_KEYS : [isTold(name) ? ['goal', ...TABLES[name].key] : KEYS[name]];
  return keys.map((columns) =>
    JSON.stringify(columns.map((column) => [column, row[column] ?? null])),
  );
}

function isTold(name: StoreTable): name is keyof typeof TABLES {
  return Object.hasOwn(TABLES, name);
}

const GOAL_KEYS = [['goal'], ['tenant', 'goal_id'], ['goal_uid']];
const KEYS = {
  leases: ['goal', 'task_id'],
  pins: ['tenant', 'sha256', 'goal', 'task_id', 'number'],
  trail: ['goal', 'seq'],
  payloads: ['tenant', 'sha256'],
  owners: ['owner_id'],
} as const;

/** Holds a goal to its budget, whatever the code above says. */
function checked(name: StoreTable, row: SqlRow): SqlRow {
  if (name !== 'goals') return row;
  const [reserved, settled, limit] = [
    row['units_reserved'],
    row['units_settled'],
    row['units_limit'],
  ];
  if (Number(reserved) + Number(settled) <= Number(limit)) return row;
  throw broken('a goal has more units than its limit');
}

function broken(what: string): MillforgeError {
  return new MillforgeError('internal/store', `A rule of the store is broken: ${what}.`);
}
