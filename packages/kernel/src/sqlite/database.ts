import { type Clock, MillforgeError } from '@millforge/contracts';
import type { DurableWrite, Failpoint } from '../failpoints.ts';
import type { Connection, Prepared } from './driver.ts';
import { isBusy, isIoFault, sqlFault } from './sql-fault.ts';

/** A value of a column. */
export type SqlValue = string | number | null | Uint8Array;

/** A row as SQLite gives it. */
export interface SqlRow {
  readonly [column: string]: SqlValue;
}

/** Statements inside one transaction. */
export interface Transaction {
  /** The first row, or undefined. */
  get(sql: string, ...values: readonly SqlValue[]): SqlRow | undefined;
  /** All rows; for results that are bounded. */
  all(sql: string, ...values: readonly SqlValue[]): readonly SqlRow[];
  /** Changes rows; gives their number. */
  run(sql: string, ...values: readonly SqlValue[]): number;
}

/** The one connection of a kernel: short transactions, with asynchronous waiting for the lock. */
export interface Database {
  /** The file. */
  readonly path: string;
  /** Runs `work` in one durable transaction; resolves when it is on disk. */
  write<T>(name: DurableWrite, work: (tx: Transaction) => T): Promise<T>;
  /** Runs `work` on one consistent state. */
  read<T>(work: (tx: Transaction) => T): Promise<T>;
  /** Calls the failpoint of that name. */
  readonly reach: (name: Failpoint) => void;
  /** Closes the connection; later calls reject with `kernel/closed`. */
  close(): void;
}

/** What a database is made of. */
export interface DatabaseOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly schemaVersion: number;
  readonly lockTimeoutMs: number;
  /** Numbers from 0 to below 1 that differ between processes, so that waiting ones do not march in step. */
  readonly random: () => number;
  readonly failpoint: ((name: Failpoint) => void) | undefined;
}

/** Wraps an open connection. */
export function createDatabase(connection: Connection, options: DatabaseOptions): Database {
  const { path, clock, failpoint } = options;
  const statements = new Map<string, Prepared>();
  let closed: MillforgeError | null = null;

  const prepared = (sql: string): Prepared => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = connection.prepare<SqlValue[]>(sql);
    statements.set(sql, statement);
    return statement;
  };
  const tx: Transaction = {
    // The driver gives objects of columns; what a column may hold is settled by STRICT tables.
    get: (sql, ...values) => prepared(sql).get(...values) as SqlRow | undefined,
    all: (sql, ...values) => prepared(sql).all(...values) as readonly SqlRow[],
    run: (sql, ...values) => prepared(sql).run(...values).changes,
  };

  let userVersion: Prepared | null = null;
  const checkVersion = (): void => {
    userVersion ??= connection.prepare<SqlValue[]>('PRAGMA user_version').pluck();
    const version = userVersion.get();
    if (version === options.schemaVersion) return;
    throw new MillforgeError(
      'kernel/newer-schema',
      `${path} was migrated to schema ${String(version)} by a newer version; this one writes schema ${options.schemaVersion}.`,
    );
  };

  const transact = <T>(begin: string, work: (tx: Transaction) => T): T => {
    prepared(begin).run();
    let result: T;
    try {
      if (begin === BEGIN_WRITE) checkVersion();
      result = work(tx);
    } catch (error) {
      rollBack();
      throw error;
    }
    try {
      prepared('COMMIT').run();
    } catch (error) {
      rollBack();
      if (isIoFault(error)) throw fail(unknownCommit(path, error));
      throw error;
    }
    return result;
  };

  const rollBack = (): void => {
    if (connection.inTransaction) prepared('ROLLBACK').run();
  };

  const fail = (error: MillforgeError): MillforgeError => {
    closed = error;
    connection.close();
    return error;
  };

  const refuseClosed = (): void => {
    if (closed !== null) throw closed;
  };

  const patiently = async <T>(work: () => T): Promise<T> => {
    refuseClosed();
    const start = clock.monotonicMs();
    for (;;) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || clock.monotonicMs() - start >= options.lockTimeoutMs) {
          throw sqlFault(error, path);
        }
      }
      // The lock has no queue: whoever asks at random moments gets its turn, whoever waits in the driver stops
      // the event loop, and with it the heartbeat.
      await clock.delay(1 + Math.floor(options.random() * 4));
      refuseClosed();
    }
  };

  let turnStartedAt: number | null = null;
  /** Lets timers and signals in: acts that wait for nothing would keep the event loop in one turn for good. */
  const breathe = async (): Promise<void> => {
    const now = clock.monotonicMs();
    if (turnStartedAt === null) {
      turnStartedAt = now;
      setImmediate(() => {
        turnStartedAt = null;
      });
    } else if (now - turnStartedAt >= MAX_TURN_MS) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  return {
    path,
    async write(name, work) {
      await breathe();
      failpoint?.(`before:${name}`);
      const result = await patiently(() => transact(BEGIN_WRITE, work));
      failpoint?.(`after:${name}`);
      return result;
    },
    read: (work) => patiently(() => transact(BEGIN_READ, work)),
    reach: (name) => failpoint?.(name),
    close() {
      if (closed !== null) return;
      closed = new MillforgeError(
        'kernel/closed',
        `The kernel on ${path} was closed; open it again.`,
      );
      connection.close();
    },
  };
}

function unknownCommit(path: string, cause: unknown): MillforgeError {
  return new MillforgeError(
    'kernel/commit-unknown',
    `The disk of ${path} failed during a commit, so nobody knows whether it became durable; check the disk and open the trail again.`,
    { cause },
  );
}

const MAX_TURN_MS = 50;
const BEGIN_WRITE = 'BEGIN IMMEDIATE';
const BEGIN_READ = 'BEGIN';
