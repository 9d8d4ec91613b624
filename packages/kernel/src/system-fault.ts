import { MillforgeError } from '@millforge/contracts';
import type { KernelErrorCode } from './error-codes.ts';

/** Turns what the system refused at a place into an error that says what to do; any other error comes back as it is. */
export function systemFault(error: unknown, place: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const [kind, advice] = FAULTS.get(code) ?? [];
  if (kind === undefined) return error;
  return new MillforgeError(kind, `${place} cannot be written (${code}); ${advice}.`, {
    cause: error,
    details: { path: place, system: code },
  });
}

const FAULTS: ReadonlyMap<string, readonly [KernelErrorCode, string]> = new Map([
  ['ENOSPC', ['kernel/disk-full', 'free some space and try again, nothing is lost']],
  ['EDQUOT', ['kernel/disk-full', 'free some space and try again, nothing is lost']],
  ['EROFS', ['kernel/read-only', 'the file system is read-only, name another place']],
  ['EACCES', ['kernel/no-permission', 'make it accessible to you, or name another place']],
  ['EPERM', ['kernel/no-permission', 'make it accessible to you, or name another place']],
  ['EIO', ['kernel/io', 'check the disk, then try again']],
  ['EEXIST', ['kernel/path-invalid', 'something got its name meanwhile, name another one']],
  ['ENOTEMPTY', ['kernel/path-invalid', 'something got its name meanwhile, name another one']],
  ['ENOTDIR', ['kernel/path-invalid', 'something got its name meanwhile, name another one']],
]);
