import { type Clock, MillforgeError } from '@millforge/contracts';
import type { DurableWrite, Failpoint } from '../failpoints.ts';
import type { SqlRow, SqlValue } from '../store/sql-row.ts';
import type { StoreTransaction } from '../store/store-transaction.ts';
import type { Connection, Prepared } from './driver.ts';
import { isBusy, isIoFault, sqlFault } from './sql-fault.ts';
import { createStatements, type StatementRunner } from './statements.ts';

/** Statements inside one transaction. */
export interface Transaction extends StoreTransaction {
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
  /** Reads the whole file for damage; rejects with `kernel/corrupt`. */
  assertIntact(): Promise<void>;
  /** Writes one moment of the whole file into another one. */
  copyInto(path: string): void;
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
  let writtenBytes = 0;

  const prepared = (sql: string): Prepared => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = connection.prepare<SqlValue[]>(sql);
    statements.set(sql, statement);
    return statement;
  };
  const runner: StatementRunner = {
    // The driver gives objects of columns; what a column may hold is settled by STRICT tables.
    get: (sql, ...values) => prepared(sql).get(...values) as SqlRow | undefined,
    all: (sql, ...values) => prepared(sql).all(...values) as readonly SqlRow[],
    run(sql, ...values) {
      for (const value of values) {
        if (typeof value === 'string' || value instanceof Uint8Array) writtenBytes += value.length;
      }
      return prepared(sql).run(...values).changes;
    },
  };
  const tx: Transaction = { ...createStatements(runner), ...runner };

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

  const rollBack = (): void => {
    if (connection.inTransaction) prepared('ROLLBACK').run();
  };

  const fail = (error: MillforgeError): MillforgeError => {
    closed = error;
    connection.close();
    return error;
  };

  const commit = (): void => {
    try {
      prepared('COMMIT').run();
    } catch (error) {
      rollBack();
      if (isIoFault(error)) throw fail(unknownCommit(path, error));
      throw error;
    }
  };

  /** One caller alone: whatever it throws undoes it. */
  const writeOne = (caller: Caller): void => {
    prepared(BEGIN_WRITE).run();
    try {
      checkVersion();
      caller.result = { ok: true, value: caller.work(tx) };
    } catch (error) {
      rollBack();
      if (isBusy(error)) throw error;
      caller.result = { ok: false, error };
      return;
    }
    commit();
  };

  /**
   * Several callers in one transaction, each behind a savepoint of its own. False when an error of one of them undid
   * all: then each has to be tried alone, so that each gets its own answer.
   */
  const writeTogether = (group: readonly Caller[]): boolean => {
    prepared(BEGIN_WRITE).run();
    try {
      checkVersion();
      for (const caller of group) {
        prepared('SAVEPOINT caller').run();
        try {
          caller.result = { ok: true, value: caller.work(tx) };
        } catch (error) {
          if (!connection.inTransaction) return false;
          prepared('ROLLBACK TO caller').run();
          caller.result = { ok: false, error };
        }
        prepared('RELEASE caller').run();
        if (writtenBytes > MAX_GROUP_BYTES) break;
      }
    } catch (error) {
      rollBack();
      throw error;
    }
    try {
      commit();
    } catch (error) {
      if (closed !== null || isBusy(error)) throw error;
      return false;
    }
    return true;
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

  let waiting: Caller[] = [];
  let isWriting = false;
  let burstStartedAt = Number.NEGATIVE_INFINITY;
  let lastWroteAt = Number.NEGATIVE_INFINITY;

  /** Leaves the lock, which has no queue, to other processes now and then. */
  const yieldLock = async (): Promise<void> => {
    const now = clock.monotonicMs();
    if (now - lastWroteAt > LOCK_PAUSE_MS) burstStartedAt = now;
    if (now - burstStartedAt < MAX_BURST_MS) return;
    await clock.delay(LOCK_PAUSE_MS);
    burstStartedAt = clock.monotonicMs();
  };

  const settleAlone = async (group: readonly Caller[]): Promise<void> => {
    for (const caller of group) {
      caller.result = null;
      try {
        await patiently(() => writeOne(caller));
      } catch (error) {
        caller.result = { ok: false, error };
      }
    }
  };

  const writeGroup = async (group: readonly Caller[]): Promise<void> => {
    const [first] = group;
    try {
      if (first !== undefined && group.length === 1) await patiently(() => writeOne(first));
      else if (!(await patiently(() => writeTogether(group)))) await settleAlone(group);
    } catch (error) {
      for (const caller of group) caller.result = { ok: false, error };
    }
    lastWroteAt = clock.monotonicMs();
    waiting = [...group.filter(({ result }) => result === null), ...waiting];
    // Whoever goes on from here asks again in this turn, and is written with all others that do.
    isWriting = false;
    for (const caller of group) if (caller.result !== null) caller.settle(caller.result);
    if (waiting.length > 0) schedule();
  };

  const writeNext = async (): Promise<void> => {
    await breathe();
    await yieldLock();
    writtenBytes = 0;
    const group = waiting.slice(0, MAX_GROUP);
    waiting = waiting.slice(MAX_GROUP);
    await writeGroup(group);
  };

  /** Begins to write once everything that could write in this turn has asked to. */
  const schedule = (): void => {
    if (isWriting) return;
    isWriting = true;
    process.nextTick(() => void writeNext());
  };

  const read = <T>(work: (tx: Transaction) => T): Promise<T> =>
    patiently(() => {
      prepared(BEGIN_READ).run();
      try {
        return work(tx);
      } finally {
        if (connection.inTransaction) prepared('COMMIT').run();
      }
    });

  return {
    path,
    async write<T>(name: DurableWrite, work: (tx: Transaction) => T): Promise<T> {
      refuseClosed();
      if (waiting.length >= MAX_WAITING && REFUSABLE.has(name)) throw tooManyWaiting(path);
      failpoint?.(`before:${name}`);
      const result = await new Promise<Result>((resolve) => {
        waiting.push({ work, result: null, settle: resolve });
        schedule();
      });
      if (!result.ok) throw sqlFault(result.error, path);
      failpoint?.(`after:${name}`);
      return result.value as T; // It is what `work` gave, which gives a T.
    },
    read,
    async assertIntact() {
      const found = await read((one) => one.get('PRAGMA integrity_check(1)')?.['integrity_check']);
      if (found !== 'ok') throw damagedFile(path, String(found));
    },
    copyInto(target) {
      refuseClosed();
      connection.prepare('VACUUM INTO ?').run(target);
    },
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

/** Somebody whose write waits for its transaction. */
interface Caller {
  readonly work: (tx: Transaction) => unknown;
  result: Result | null;
  readonly settle: (result: Result) => void;
}

type Result =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown };

function unknownCommit(path: string, cause: unknown): MillforgeError {
  return new MillforgeError(
    'kernel/commit-unknown',
    `The disk of ${path} failed during a commit, so nobody knows whether it became durable; check the disk and open the trail again.`,
    { cause },
  );
}

function damagedFile(path: string, found: string): MillforgeError {
  return new MillforgeError(
    'kernel/corrupt',
    `${path} is damaged; copy it away, run \`millforge doctor\` on the copy and restore a backup.`,
    { details: { path, found } },
  );
}

function tooManyWaiting(path: string): MillforgeError {
  return new MillforgeError(
    'kernel/busy',
    `${MAX_WAITING} writes wait for ${path}; admit and decide less at a time.`,
  );
}

const MAX_TURN_MS = 50;
const MAX_BURST_MS = 50;
const LOCK_PAUSE_MS = 2;
const MAX_GROUP = 256;
const MAX_GROUP_BYTES = 4_194_304;
const MAX_WAITING = 4096;
/** What may be asked for again later; a run in progress waits for its own write. */
const REFUSABLE: ReadonlySet<DurableWrite> = new Set(['admit-goal', 'decide-hold', 'cancel-goal']);
const BEGIN_WRITE = 'BEGIN IMMEDIATE';
const BEGIN_READ = 'BEGIN';
