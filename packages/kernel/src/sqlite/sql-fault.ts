import { MillforgeError } from '@millforge/contracts';
import type { KernelErrorCode } from '../error-codes.ts';

/** Turns an error of the driver into one that says what to do; any other error comes back as it is. */
export function sqlFault(error: unknown, path: string): Error {
  const code = sqlCode(error);
  if (code === null) {
    return error instanceof Error
      ? error
      : new MillforgeError('internal/sql', 'Something that is no error was thrown.', {
          cause: error,
        });
  }
  const fault = FAULTS.find(({ codes }) => codes.test(code));
  if (fault === undefined) {
    return new MillforgeError('internal/sql', `SQLite refused a statement on ${path} (${code}).`, {
      cause: error,
    });
  }
  return new MillforgeError(fault.code, fault.message(path), {
    cause: error,
    details: { path, sqlite: code },
  });
}

/** Whether another connection holds the lock, so that trying again may help. */
export function isBusy(error: unknown): boolean {
  return sqlCode(error)?.startsWith('SQLITE_BUSY') ?? false;
}

/** Whether the disk failed, so that nobody knows what became durable. */
export function isIoFault(error: unknown): boolean {
  return sqlCode(error)?.startsWith('SQLITE_IOERR') ?? false;
}

function sqlCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') {
    return null;
  }
  return error.code.startsWith('SQLITE_') ? error.code : null;
}

interface Fault {
  readonly codes: RegExp;
  readonly code: KernelErrorCode;
  readonly message: (path: string) => string;
}

const FAULTS: readonly Fault[] = [
  {
    codes: /^SQLITE_NOTADB/,
    code: 'kernel/not-a-trail',
    message: (path) => `${path} is not a Millforge trail; name another file, it was left as it is.`,
  },
  {
    codes: /^SQLITE_CORRUPT/,
    code: 'kernel/corrupt',
    message: (path) =>
      `${path} is damaged; copy its folder, look at that with \`millforge doctor --data COPY\`, and restore a backup.`,
  },
  {
    // The index of the log lies in a file of its own, which has no room to grow.
    codes: /^SQLITE_(FULL|IOERR_SHMSIZE)/,
    code: 'kernel/disk-full',
    message: (path) =>
      `The disk of ${path} is full; free some space and try again, nothing is lost.`,
  },
  {
    codes: /^SQLITE_READONLY/,
    code: 'kernel/read-only',
    message: (path) =>
      `${path} cannot be written; make the file and its directory writable, or name another data directory.`,
  },
  {
    codes: /^SQLITE_(CANTOPEN|PERM|AUTH)/,
    code: 'kernel/no-permission',
    message: (path) =>
      `${path} cannot be opened; check the permissions of the file and of its directory.`,
  },
  {
    codes: /^SQLITE_BUSY/,
    code: 'kernel/busy',
    message: (path) =>
      `Another process kept ${path} locked for too long; try again when it is done.`,
  },
  {
    codes: /^SQLITE_IOERR/,
    code: 'kernel/io',
    message: (path) => `The disk of ${path} failed; check the disk, then open the trail again.`,
  },
];
