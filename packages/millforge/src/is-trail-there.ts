import { statSync } from 'node:fs';
import { MillforgeError } from '@millforge/contracts';

/**
 * Whether a trail has this path. Who may not look there is told so: that there is none would be no answer, and that there
 * are no runs a wrong one.
 */
export function isTrailThere(path: string): boolean {
  refuseFolder(path);
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new MillforgeError(
      code === 'EACCES' || code === 'EPERM' ? 'kernel/no-permission' : 'kernel/path-invalid',
      `Whether there is a trail at ${path} cannot be told (${code}); make its directory accessible to you, or name another one with --data.`,
      { cause },
    );
  }
}

/** Refuses a folder where the file of a trail belongs: nothing in it could be meant, and another data directory can. */
export function refuseFolder(path: string): void {
  if (!isFolder(path)) return;
  throw new MillforgeError(
    'kernel/path-invalid',
    `${path} is a folder, where the file of the trail belongs; move it away, or name another data directory with --data.`,
  );
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // Why it cannot be looked at is told by whoever needs it.
    return false;
  }
}
