import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from './tool-fault.ts';

/**
 * Makes a folder that is missing, and those above it. The kernel has the same for whatever is above it;
 * this package is beside it, and their common ground, the contracts, leaves the disk alone.
 *
 * Throws the error of the system about the first folder that cannot be made. Below folders that take no
 * new ones and say that there are none, as `/proc` does, Node's own recursive `mkdir` never comes back.
 */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let at = path; !isMade(at); at = dirname(at)) missing.push(at);
  for (const folder of missing.toReversed()) {
    // What was missing a moment ago and is now is nothing that a parent could mend.
    if (!isMade(folder)) mkdirSync(folder);
  }
}

/** Whether there is something of that name in the end; not where the folder above it is missing. */
function isMade(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT') return false;
    if (code === 'EEXIST' || code === 'EISDIR') return true;
    throw error;
  }
}
