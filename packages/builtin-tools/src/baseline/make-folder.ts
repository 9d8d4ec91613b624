import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder, and those above it that are missing; one that is there stays as it is. The kernel has the
 * same; it is beside this package, and their common ground, the contracts, leaves the disk alone.
 *
 * Throws the error of the system about the first folder that cannot be made. Below folders that take no
 * new ones and say that there are none, as `/proc` does, Node's own recursive `mkdir` never comes back.
 */
export function makeFolder(path: string, mode: number): void {
  const missing: string[] = [];
  for (let at = resolve(path); !isMade(at, mode); at = dirname(at)) missing.push(at);
  for (const folder of missing.toReversed()) {
    // What was missing a moment ago and is now is nothing that a parent could mend.
    if (!isMade(folder, mode)) mkdirSync(folder, { mode });
  }
}

/** Whether the folder is there in the end; not where the one above it is missing. */
function isMade(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    if (isFolder(path)) return true;
    throw error;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Whoever asks has the error that matters.
    return false;
  }
}
