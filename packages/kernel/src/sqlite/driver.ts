import { MillforgeError } from '@millforge/contracts';
import type Sqlite from 'better-sqlite3';

/** A connection of the driver; it never leaves this package. */
export type Connection = Sqlite.Database;

/** A statement that takes values by their place. */
export type Prepared = Sqlite.Statement<(string | number | null | Uint8Array)[]>;

/** Opens connections. */
export type Driver = (file: string, options?: Sqlite.Options) => Connection;

/** Loads the SQLite driver, which is native code and optional, on first use. */
export async function loadDriver(
  load: () => Promise<{ readonly default: typeof Sqlite }> = () => import('better-sqlite3'),
): Promise<Driver> {
  try {
    const { default: Database } = await load();
    // The package imports without its binary; only a connection shows that it is there.
    new Database(':memory:').close();
    return (file, options) => new Database(file, options);
  } catch (cause) {
    throw new MillforgeError('kernel/driver-missing', `The SQLite driver ${whyNot(cause)}`, {
      cause,
    });
  }
}

// npm leaves an optional package out without a word; then there is nothing that could be built again.
function whyNot(cause: unknown): string {
  const code =
    typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
  const message = cause instanceof Error ? cause.message : '';
  const isAbsent = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
  if (isAbsent && message.includes("'better-sqlite3'")) {
    return 'is not installed; run `npm install better-sqlite3`, which shows why where it fails, and try again.';
  }
  const [lacking] = isAbsent ? (/'[^']+'/u.exec(message) ?? []) : [];
  if (lacking !== undefined) {
    return `lacks its package ${lacking}; run \`npm install better-sqlite3\` and try again.`;
  }
  return 'was not built; run `npm rebuild better-sqlite3` and try again.';
}
