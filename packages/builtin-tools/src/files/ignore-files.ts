import type { Workspace } from '../paths/create-path-policy.ts';
import type { Folder } from '../paths/folder.ts';
import { childPath, readLogicalPath } from '../paths/logical-path.ts';
import type { OpenedFile } from '../paths/open-file.ts';
import { pathRuleOf } from '../paths/path-fault.ts';
import { type IgnoreRules, NO_RULES } from './ignore-rules.ts';

/** Name of the files that say what is left out. */
export const IGNORE_FILE = '.gitignore';

/** The rules of the folders above one; none where the folder itself is ignored and yet asked for. */
export async function rulesAbove(path: string, workspace: Workspace): Promise<IgnoreRules> {
  if (path === '') return NO_RULES;
  const parts = path.split('/');
  let rules = NO_RULES;
  for (let depth = 0; depth < parts.length; depth++) {
    const folder = parts.slice(0, depth).join('/');
    const file = readLogicalPath(childPath(folder, IGNORE_FILE));
    rules = rules.within(folder, await textOf(() => workspace.openFile(file)));
    if (rules.isIgnored(parts.slice(0, depth + 1).join('/'), true)) return NO_RULES;
  }
  return rules;
}

/** The rules below a folder that is walked, with those of its own file, read through the open folder. */
export async function rulesWithin(
  above: IgnoreRules,
  folder: Folder,
  workspace: Workspace,
): Promise<IgnoreRules> {
  const file = await textOf(async () => workspace.openListed(folder, IGNORE_FILE));
  return above.within(folder.path, file);
}

/** Null for a file that is missing or cannot be opened: then it says nothing. */
async function textOf(open: () => Promise<OpenedFile>): Promise<string | null> {
  try {
    await using file = await open();
    return (await file.read(0, Math.min(file.stats.size, MAX_IGNORE_BYTES))).toString();
  } catch (error) {
    if (pathRuleOf(error) === null) throw error;
    return null;
  }
}

const MAX_IGNORE_BYTES = 1_048_576;
