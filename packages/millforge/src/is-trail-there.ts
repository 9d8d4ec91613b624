import { statSync } from 'node:fs';
import { MillforgeError } from '@millforge/contracts';

/**
 * Whether a trail has this path. Who may not look there is told so: that there is none would be no answer, and that there
 * are no runs a wrong one.
 */
export function isTrailThere(path: string): boolean {
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
