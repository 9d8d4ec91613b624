import Database from 'better-sqlite3';
import type { Connection, Driver } from '../../src/sqlite/driver.ts';

/** A moment around one statement of a trail's own connection. */
export type JournalPoint = `${'before' | 'after'}:${string}`;

/** A driver that tells of every statement, before and after it ran: each BEGIN, each write and read, each COMMIT. */
export function journalDriver(reach: (point: JournalPoint) => void): Driver {
  return (file, options) => watch(new Database(file, options), reach);
}

function watch(connection: Connection, reach: (point: JournalPoint) => void): Connection {
  const around = <T>(sql: string, run: () => T): T => {
    reach(`before:${sql}`);
    const result = run();
    reach(`after:${sql}`);
    return result;
  };
  return new Proxy(connection, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name === 'prepare') return (sql: string) => watchStatement(target.prepare(sql), around);
      if (name === 'exec' || name === 'pragma') {
        return (sql: string, ...rest: unknown[]) =>
          around(sql, () => Reflect.apply(value, target, [sql, ...rest]));
      }
      return value.bind(target);
    },
  });
}

function watchStatement<S extends object & { readonly source: string }>(
  statement: S,
  around: <T>(sql: string, run: () => T) => T,
): S {
  return new Proxy(statement, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name === 'run' || name === 'get' || name === 'all') {
        return (...values: unknown[]) =>
          around(target.source, () => Reflect.apply(value, target, values));
      }
      // Settings of a statement give the statement itself.
      return (...values: unknown[]) => {
        const given: unknown = Reflect.apply(value, target, values);
        return given === target ? watchStatement(target, around) : given;
      };
    },
  });
}
