import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { Workspace } from '../paths/create-path-policy.ts';
import { type Folder, folderPath, lookAt, openChild } from '../paths/folder.ts';
import { childPath, readLogicalPath } from '../paths/logical-path.ts';
import { openEntry } from '../paths/open-file.ts';
import { pathFault, pathRuleOf, shown, systemFault } from '../paths/path-fault.ts';
import { isGitName } from '../paths/protected-paths.ts';
import { type FoundEntry, walkPath } from '../paths/walk-path.ts';
import { type IgnoreRules, NO_RULES } from './ignore-rules.ts';

/** A regular file that a walk has come to. */
export interface TreeFile {
  /** Path inside the workspace. */
  readonly path: string;
  /** Whether it is a link; it leads to a regular file inside then. */
  readonly isLink: boolean;
}

/** How a tree is walked. */
export interface TreeOptions {
  readonly workspace: Workspace;
  /** Stops the walk. */
  readonly signal: AbortSignal;
}

/**
 * Walks all regular files below an open folder in the order of their paths, without those that ignore
 * rules name and without `.git`. Folders are not entered through links. One folder's names are in memory
 * at a time for each level.
 */
export async function* walkTree(
  entry: FoundEntry,
  options: TreeOptions,
): AsyncGenerator<TreeFile, void, void> {
  if (entry.stats?.isFile() === true) {
    yield { path: entry.path, isLink: false };
    return;
  }
  const folder = entry.name === null ? entry.folder : await openFound(entry);
  try {
    yield* walkFolder(folder, await rulesAbove(folder.path, options), options);
  } finally {
    if (folder !== entry.folder) await folder.handle.close();
  }
}

async function openFound({ folder, name, path, stats }: FoundEntry): Promise<Folder> {
  if (name === null || stats === null)
    throw pathFault('not_found', `${shown(path)} does not exist.`);
  if (!stats.isDirectory()) throw pathFault('not_a_folder', `${shown(path)} is no folder.`);
  return openChild(folder, name, stats);
}

async function* walkFolder(
  folder: Folder,
  above: IgnoreRules,
  options: TreeOptions,
): AsyncGenerator<TreeFile, void, void> {
  const names = await readNames(folder);
  const rules = names.some(({ name }) => name === IGNORE_FILE)
    ? above.within(folder.path, await readIgnoreFile(folder))
    : above;
  for (const child of names) {
    options.signal.throwIfAborted();
    const path = childPath(folder.path, child.name);
    if (isGitName(child.name) || rules.isIgnored(path, child.isDirectory())) continue;
    if (child.isFile()) yield { path, isLink: false };
    else if (child.isDirectory()) yield* enter(folder, child.name, { rules, options });
    else if (child.isSymbolicLink() && (await leadsToFile(path, options)))
      yield { path, isLink: true };
  }
}

async function* enter(
  folder: Folder,
  name: string,
  below: { readonly rules: IgnoreRules; readonly options: TreeOptions },
): AsyncGenerator<TreeFile, void, void> {
  const child = await openQuietly(folder, name);
  if (child === null) return;
  try {
    yield* walkFolder(child, below.rules, below.options);
  } finally {
    await child.handle.close();
  }
}

/** What cannot be entered, or has become something else, is left out like what is not there. */
async function openQuietly(folder: Folder, name: string): Promise<Folder | null> {
  try {
    const stats = await lookAt(folder, name);
    return stats?.isDirectory() === true ? await openChild(folder, name, stats) : null;
  } catch (error) {
    if (pathRuleOf(error) === null) throw error;
    return null;
  }
}

async function readNames(folder: Folder): Promise<readonly Dirent[]> {
  try {
    const names = await readdir(folderPath(folder), { withFileTypes: true });
    return names.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw systemFault(error, folder.path);
  }
}

/** The rules of the folders above one; none where the folder itself is ignored and yet asked for. */
async function rulesAbove(path: string, { workspace }: TreeOptions): Promise<IgnoreRules> {
  if (path === '') return NO_RULES;
  const parts = path.split('/');
  let rules = NO_RULES;
  for (let depth = 0; depth < parts.length; depth++) {
    const folder = parts.slice(0, depth).join('/');
    rules = rules.within(folder, await readQuietly(workspace, childPath(folder, IGNORE_FILE)));
    if (rules.isIgnored(parts.slice(0, depth + 1).join('/'), true)) return NO_RULES;
  }
  return rules;
}

async function readQuietly(workspace: Workspace, path: string): Promise<string | null> {
  try {
    await using file = await workspace.openFile(readLogicalPath(path));
    return (await file.read(0, Math.min(file.stats.size, MAX_IGNORE_BYTES))).toString();
  } catch (error) {
    if (pathRuleOf(error) === null) throw error;
    return null;
  }
}

/** Through the open folder, not from the top: the rules are those of the folder that is walked. */
async function readIgnoreFile(folder: Folder): Promise<string | null> {
  try {
    const stats = await lookAt(folder, IGNORE_FILE);
    if (stats?.isFile() !== true) return null;
    const entry = await walkPath(folder, { text: IGNORE_FILE, parts: [IGNORE_FILE] });
    await using file = await openEntry(entry, { refusesHardLinks: false });
    return (await file.read(0, Math.min(file.stats.size, MAX_IGNORE_BYTES))).toString();
  } catch (error) {
    if (pathRuleOf(error) === null) throw error;
    return null;
  }
}

async function leadsToFile(path: string, { workspace }: TreeOptions): Promise<boolean> {
  try {
    await using file = await workspace.openFile(readLogicalPath(path));
    return file.stats.isFile();
  } catch (error) {
    if (pathRuleOf(error) === null) throw error;
    return false;
  }
}

const IGNORE_FILE = '.gitignore';
const MAX_IGNORE_BYTES = 1_048_576;
