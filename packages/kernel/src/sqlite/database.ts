import { type Clock, MillforgeError } from '@millforge/contracts';
import type { DurableWrite, Failpoint } from '../failpoints.ts';
import type { SqlRow, SqlValue } from '../store/sql-row.ts';
import type { StoreTransaction } from '../store/store-transaction.ts';
import type { Connection, Prepared } from './driver.ts';
import { createKnownClaims } from './known-claims.ts';
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
  /** Whether it was closed, or a fault that was told closed it. */
  isClosed(): boolean;
  /** Closes the connection; later calls reject with `kernel/closed`. */
  close(): void;
}

/** What a database is made of. */
export interface DatabaseOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly schemaVersion: number;
  readonly lockTimeoutMs: number;
  /** Throws `kernel/corrupt` where the file has tables, indexes or triggers that a trail has not. */
  readonly assertSchema?: () => void;
  /** Names the file that is not the one that is open any more; asked four times a second at most. */
  readonly movedFile?: () => string | null;
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
  const statementsOf = createStatements(runner);
  const tx: Transaction = { ...statementsOf, ...runner };
  const claims = createKnownClaims(statementsOf);
  const writing: Transaction = {
    ...claims.tx,
    ...runner,
    run(sql, ...values) {
      claims.forget();
      return runner.run(sql, ...values);
    },
  };

  const dataVersion = connection.prepare<SqlValue[]>('PRAGMA data_version').pluck();
  let seenVersion: unknown = null;
  /** Looks whether any other connection wrote; only then can the schema be another one, or what is known be old. */
  const lookAround = (): void => {
    const found = dataVersion.get();
    if (found === seenVersion) return;
    claims.forget();
    const version = connection.pragma('user_version', { simple: true });
    if (version === options.schemaVersion) {
      seenVersion = found;
      return;
    }
    throw new MillforgeError(
      'kernel/newer-schema',
      `${path} was migrated to schema ${String(version)} by a newer version; this one writes schema ${options.schemaVersion}.`,
    );
  };

  const rollBack = (): void => {
    claims.forget();
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
      lookAround();
      caller.result = { ok: true, value: caller.work(writing) };
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
      lookAround();
      for (const caller of group) {
        prepared('SAVEPOINT caller').run();
        try {
          caller.result = { ok: true, value: caller.work(writing) };
        } catch (error) {
          claims.forget();
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

  let lookedAt = clock.monotonicMs();
  /** What is written to a file that was deleted or replaced is lost, although the disk acknowledges it. */
  const refuseMoved = (now: number): void => {
    if (now - lookedAt < MAX_UNSEEN_MS) return;
    lookedAt = now;
    const moved = options.movedFile?.() ?? null;
    if (moved !== null) throw fail(movedFile(moved));
  };

  const patiently = async <T>(work: () => T): Promise<T> => {
    refuseClosed();
    const start = clock.monotonicMs();
    refuseMoved(start);
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
  const breathe = (now: number): Promise<void> | null => {
    if (turnStartedAt === null) {
      turnStartedAt = now;
      setImmediate(() => {
        turnStartedAt = null;
      });
      return null;
    }
    if (now - turnStartedAt < MAX_TURN_MS) return null;
    return new Promise((resolve) => setImmediate(resolve));
  };

  let waiting: Caller[] = [];
  let isWriting = false;
  let burstStartedAt = Number.NEGATIVE_INFINITY;
  let lastWroteAt = Number.NEGATIVE_INFINITY;

  /** Leaves the lock, which has no queue, to other processes now and then; a run alone leaves it after each write. */
  const yieldLock = (now: number): Promise<void> | null => {
    if (now - lastWroteAt > LOCK_PAUSE_MS) burstStartedAt = now;
    if (waiting.length === 1 || now - burstStartedAt < MAX_BURST_MS) return null;
    return clock.delay(LOCK_PAUSE_MS).then(() => {
      burstStartedAt = clock.monotonicMs();
    });
  };

  /** Writes those who wait; without a pause where none is due, since each of them waits for this. */
  const writeNext = (): void => {
    const now = clock.monotonicMs();
    const pause = breathe(now) ?? yieldLock(now);
    if (pause === null) writeWaiting();
    else void pause.then(writeWaiting);
  };

  const writeWaiting = (): void => {
    const group = waiting.slice(0, MAX_GROUP);
    waiting = waiting.slice(MAX_GROUP);
    let isUndone = false;
    try {
      isUndone = !writeGroup(group);
      if (!isUndone) {
        answer(group);
        return;
      }
    } catch (error) {
      if (!isBusy(error)) {
        answerAll(group, sqlFault(error, path));
        return;
      }
    }
    void writeLater(group, isUndone);
  };

  /** False when all of it was undone, and each has to be tried alone. */
  const writeGroup = (group: readonly Caller[]): boolean => {
    refuseClosed();
    refuseMoved(clock.monotonicMs());
    writtenBytes = 0;
    const [first] = group;
    if (first === undefined || group.length > 1) return writeTogether(group);
    writeOne(first);
    return true;
  };

  const writeLater = async (group: readonly Caller[], isUndone: boolean): Promise<void> => {
    try {
      if (isUndone || !(await patiently(() => writeGroup(group)))) await settleAlone(group);
    } catch (error) {
      answerAll(group, error);
      return;
    }
    answer(group);
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

  const answerAll = (group: readonly Caller[], error: unknown): void => {
    for (const caller of group) caller.result = { ok: false, error };
    answer(group);
  };

  const answer = (group: readonly Caller[]): void => {
    lastWroteAt = clock.monotonicMs();
    // Whoever goes on from here asks again in this turn, and is written with all others that do.
    isWriting = false;
    for (const caller of group) {
      if (caller.result === null) waiting.push(caller);
      else caller.settle(caller.result);
    }
    if (waiting.length > 0) schedule();
  };

  /** Begins to write once everything that could write in this turn has asked to. */
  const schedule = (): void => {
    if (isWriting) return;
    isWriting = true;
    process.nextTick(writeNext);
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
      // A trigger that somebody put in after the file was opened acts with every write.
      await read(() => options.assertSchema?.());
    },
    copyInto(target) {
      refuseClosed();
      connection.prepare('VACUUM INTO ?').run(target);
    },
    reach: (name) => failpoint?.(name),
    isClosed: () => closed !== null,
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

function movedFile(path: string): MillforgeError {
  return new MillforgeError(
    'kernel/file-moved',
    `${path} was deleted, moved or replaced while it was open, and what was written since then may be lost; put it back or restore a backup, then open the trail again.`,
  );
}

function damagedFile(path: string, found: string): MillforgeError {
  return new MillforgeError(
    'kernel/corrupt',
    `${path} is damaged; copy its folder, look at that with \`millforge doctor --data COPY\`, and restore a backup.`,
    { details: { path, found } },
  );
}

function tooManyWaiting(path: string): MillforgeError {
  return new MillforgeError(
    'kernel/busy',
    `${MAX_WAITING} writes wait for ${path}; admit and decide less at a time.`,
  );
}

const MAX_UNSEEN_MS = 250;
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
