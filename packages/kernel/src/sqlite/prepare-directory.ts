import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { MillforgeError } from '@millforge/contracts';
import type { KernelErrorCode } from '../error-codes.ts';
import { makeFolder } from '../make-folder.ts';

/** Makes the directory of a trail, for its owner only, and refuses places that cannot hold one. */
export function prepareDirectory(path: string): void {
  const directory = dirname(path);
  makeDirectory(directory);
  const found = statOf(path);
  if (found?.isDirectory() === true) {
    throw new MillforgeError(
      'kernel/path-invalid',
      `${path} is a directory; name the file of a trail, for example ${path}/trail.db.`,
    );
  }
  if (found?.isFile() === false) {
    throw new MillforgeError(
      'kernel/path-invalid',
      `${path} is a device, a pipe or a socket; name a file of the file system.`,
    );
  }
  // SQLite says of a read-only file system only that it cannot open the log.
  assertWritable(directory);
  if (NETWORK_FILE_SYSTEMS.has(statfsSync(directory).type >>> 0)) {
    throw new MillforgeError(
      'kernel/network-file-system',
      `${directory} is on a network file system, whose locks cannot be trusted; name a data directory on a local disk.`,
    );
  }
}

/** Makes a directory for its owner only, unless it is there. */
export function makeDirectory(directory: string): void {
  try {
    makeFolder(directory, 0o700);
  } catch (error) {
    throw directoryFault(directory, error);
  }
  if (statOf(directory)?.isDirectory() !== true) throw directoryFault(directory, null);
}

/** Refuses a directory that takes no files of this process. */
export function assertWritable(directory: string): void {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw directoryFault(directory, error);
  }
}

function statOf(path: string): ReturnType<typeof statSync> | null {
  try {
    return statSync(path);
  } catch (error) {
    // A path through a file is refused by mkdir; what remains is a file that does not exist yet.
    if (systemCode(error) === 'ENOENT') return null;
    throw directoryFault(path, error);
  }
}

function directoryFault(directory: string, cause: unknown): MillforgeError {
  const code = systemCode(cause) ?? '';
  const [kind, advice] = REASONS[code] ?? OTHER;
  return new MillforgeError(
    kind,
    `The data directory ${directory} cannot be used${code === '' ? '' : ` (${code})`}; ${advice}`,
    cause === null ? {} : { cause },
  );
}

function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null;
}

const NO_ACCESS = 'make it accessible to you, or name another one.';
const OTHER: readonly [KernelErrorCode, string] = [
  'kernel/path-invalid',
  'part of the path is a file; name another one.',
];
const REASONS: { readonly [code: string]: readonly [KernelErrorCode, string] } = {
  EACCES: ['kernel/no-permission', NO_ACCESS],
  EPERM: ['kernel/no-permission', NO_ACCESS],
  EROFS: ['kernel/read-only', 'the file system is read-only; name another one.'],
  ENOSPC: ['kernel/disk-full', 'the disk is full; free some space and try again.'],
  ENOENT: ['kernel/path-invalid', 'nothing can be made there; name another one.'],
  ELOOP: ['kernel/path-invalid', 'its links lead in a circle; name another one.'],
  ERR_INVALID_ARG_VALUE: [
    'kernel/path-invalid',
    'no path holds a null character; name another one.',
  ],
  ENAMETOOLONG: ['kernel/path-invalid', 'the path is too long; name another one.'],
};

// NFS, SMB 1, CIFS, SMB 2, AFS, Ceph.
const NETWORK_FILE_SYSTEMS = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x00c36400,
]);
