import Database from 'better-sqlite3';
import type { Connection, Driver } from '../../src/sqlite/driver.ts';
import type { Random, VirtualProcess } from './virtual-time.ts';

/** How often each fault strikes. */
export interface FaultRates {
  readonly busy: number;
  readonly full: number;
  readonly io: number;
}

/** A driver whose disk and lock fail now and then, as SQLite says they do; a dead process reaches nothing any more. */
export function faultyDriver(
  process: VirtualProcess,
  {
    random,
    rates,
    onFault,
  }: {
    readonly random: Random;
    readonly rates: FaultRates;
    readonly onFault: (kind: string) => void;
  },
): { readonly driver: Driver; readonly die: () => void } {
  const connections = new Set<Connection>();
  const driver: Driver = (file, options) => {
    const connection = new Database(file, options);
    connections.add(connection);
    // The lock of an owner is no part of the trail: its disk is not looked at.
    return file.includes('/owners/') || file === ':memory:'
      ? connection
      : strike(connection, { process, random, rates, onFault });
  };
  return {
    driver,
    die() {
      // The system takes everything back at once: what was not committed is gone, what was locked is free.
      for (const connection of connections) connection.close();
      connections.clear();
    },
  };
}

interface Striking {
  readonly process: VirtualProcess;
  readonly random: Random;
  readonly rates: FaultRates;
  readonly onFault: (kind: string) => void;
}

function strike(connection: Connection, striking: Striking): Connection {
  return new Proxy(connection, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name === 'prepare') {
        return (sql: string) => strikeStatement(target, sql, striking);
      }
      return value.bind(target);
    },
  });
}

function strikeStatement(connection: Connection, sql: string, striking: Striking): object {
  const { random, rates, onFault } = striking;
  const statement = connection.prepare(sql);
  return new Proxy(statement, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'run') return value.bind(target);
      return (...values: unknown[]) => {
        if (striking.process.isDead) throw fault('SQLITE_IOERR');
        const drawn = random();
        const isWrite = connection.inTransaction && /^(INSERT|UPDATE|DELETE)/.test(sql);
        if (sql === 'BEGIN IMMEDIATE' && drawn < rates.busy) {
          onFault('busy');
          throw fault('SQLITE_BUSY');
        }
        if ((isWrite || sql === 'COMMIT') && drawn < rates.full) {
          onFault('full');
          connection.prepare('ROLLBACK').run();
          throw fault('SQLITE_FULL');
        }
        if (sql === 'COMMIT' && drawn < rates.full + rates.io) {
          onFault('io');
          // Nobody knows: recovery may bring the rows back, or not.
          connection.prepare(random() < 0.5 ? 'COMMIT' : 'ROLLBACK').run();
          throw fault('SQLITE_IOERR_FSYNC');
        }
        return Reflect.apply(value, target, values);
      };
    },
  });
}

function fault(code: string): Error {
  return new Database.SqliteError(`drawn: ${code}`, code);
}
