import { accessSync, constants, existsSync } from 'node:fs';
import { MillforgeError } from '@millforge/contracts';

/** Whether a file takes writes of this process, or a directory files. */
export function isWritable(file: string): boolean {
  return allows(file, constants.W_OK);
}

/**
 * Refuses a trail that this process may read and not write, or whose log it may not, and names that file.
 *
 * SQLite would open it, put a log and its index of the same mode beside it, and say at the first write of the trail only
 * that it is read-only.
 */
export function assertWritableFiles(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (!existsSync(file) || !allows(file, constants.R_OK) || isWritable(file)) continue;
    throw new MillforgeError(
      'kernel/read-only',
      `${file} cannot be written; make it writable, or name another data directory.`,
      { details: { path, file } },
    );
  }
}

function allows(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    // Why not is told by whoever opens it.
    return false;
  }
}
