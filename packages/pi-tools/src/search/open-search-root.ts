import { stat } from 'node:fs/promises';
import type { PathContext } from '../resolve-path.ts';
import { resolvePath } from '../resolve-path.ts';
import { errnoOf, toolFault } from '../tool-fault.ts';

/** Where a search begins. */
export interface SearchRoot {
  /** Absolute path. */
  readonly path: string;
  readonly isFolder: boolean;
}

/** Finds the folder or file that a model named; the workspace when it named none. */
export async function openSearchRoot(
  sent: string | null,
  context: PathContext,
): Promise<SearchRoot> {
  const path = resolvePath(sent ?? '.', context);
  try {
    return { path, isFolder: (await stat(path)).isDirectory() };
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'ENOTDIR') throw error;
    throw toolFault('not_found', `Path not found: ${path}`, error);
  }
}
