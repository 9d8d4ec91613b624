import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { millforgeError } from './millforge-error.ts';

/** Refuses a workspace that is not an existing directory, before anything is written. */
export async function assertWorkspace(workspace: string, what = 'workspace'): Promise<void> {
  if (!isAbsolute(workspace)) {
    throw millforgeError('millforge/usage', `The ${what} must be an absolute path.`);
  }
  const found = await stat(workspace).catch(() => null);
  if (found?.isDirectory() !== true) {
    throw millforgeError(
      'millforge/usage',
      `The ${what} ${workspace} is not a directory that can be entered; create it or name another.`,
    );
  }
}
