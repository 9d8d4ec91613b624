import { stat } from 'node:fs/promises';
import type { JsonObject, ToolContext, ToolReach } from '@millforge/contracts';
import type { PiToolOptions } from '../pi-tool-options.ts';
import { profileSwitches } from '../profile.ts';
import { candidatePaths, type PathContext, resolvePath } from '../resolve-path.ts';
import { optionalString } from '../tool-arguments.ts';
import { errnoOf, toolFault } from '../tool-fault.ts';

/** Where a search begins. */
export interface SearchRoot {
  /** Absolute path. */
  readonly path: string;
  readonly isFolder: boolean;
}

/** What a call reaches that names a folder: with `below`, all that is in it as well. */
export function searchReach(
  options: PiToolOptions,
  { below }: { readonly below: boolean },
): (input: JsonObject, context: ToolContext) => ToolReach {
  return (input, context) => ({
    paths: candidatePaths(namedPath(input), pathContext(options, context)).map((path) =>
      below ? `${path}/` : path,
    ),
  });
}

/** Finds the folder or file that a model named; the workspace when it named none. */
export async function openSearchRoot(
  input: JsonObject,
  context: ToolContext,
  options: PiToolOptions,
): Promise<SearchRoot> {
  const path = resolvePath(namedPath(input), pathContext(options, context));
  try {
    return { path, isFolder: (await stat(path)).isDirectory() };
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'ENOTDIR') throw error;
    throw toolFault('not_found', `Path not found: ${path}`, error);
  }
}

function namedPath(input: JsonObject): string {
  return optionalString(input, 'path') ?? '.';
}

function pathContext(
  { homeDirectory, profile }: PiToolOptions,
  { workspace }: ToolContext,
): PathContext {
  return { workspace, homeDirectory, exactPathFirst: profileSwitches(profile).exactPathFirst };
}
