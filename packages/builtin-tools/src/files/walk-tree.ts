import type { Dirent, Stats } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Workspace } from '../paths/create-path-policy.ts';
import { type Folder, folderPath, lookAt, openChild } from '../paths/folder.ts';
import { childPath, readLogicalPath } from '../paths/logical-path.ts';
import type { OpenedFile } from '../paths/open-file.ts';
import { lookAtListed } from '../paths/open-listed-file.ts';
import { pathFault, pathRuleOf, shown, systemFault } from '../paths/path-fault.ts';
import { isGitName } from '../paths/protected-paths.ts';
import type { FoundEntry } from '../paths/walk-path.ts';
import { IGNORE_FILE, rulesAbove, rulesWithin } from './ignore-files.ts';
import type { IgnoreRules } from './ignore-rules.ts';

/** A regular file that a walk has come to. */
export interface TreeFile {
  /** Path inside the workspace. */
  readonly path: string;
  /** Whether it is a link; it leads to a regular file inside then. */
  readonly isLink: boolean;
  /** Looks at it while the walk waits here; null when it is gone, or a link. */
  look(): Stats | null;
  /**
   * Opens it while the walk waits here; dispose of it.
   *
   * @throws `path/…` when it cannot be opened, or has become something else.
   */
  open(): Promise<OpenedFile>;
}

/** How a tree is walked. */
export interface TreeOptions {
  readonly workspace: Workspace;
  /** Stops the walk. */
  readonly signal: AbortSignal;
}

/**
 * Walks all regular files below an open folder in the order of their paths, without those that ignore
 * rules name, without `.git`, and without names that no tool takes. Folders are not entered through
 * links. One folder's names are in memory at a time for each level.
 */
export async function* walkTree(
  entry: FoundEntry,
  options: TreeOptions,
): AsyncGenerator<TreeFile, void, void> {
  const { workspace } = options;
  if (entry.path.split('/').some(isGitName)) {
    throw pathFault(
      'git_folder',
      `${shown(entry.path)} belongs to version control and is not listed.`,
    );
  }
  if (entry.stats?.isFile() === true) {
    const look = (): Stats | null => entry.stats;
    yield { path: entry.path, isLink: false, look, open: () => workspace.openFound(entry) };
    return;
  }
  const folder = entry.name === null ? entry.folder : await openFolder(entry);
  try {
    const rules = await rulesAbove(folder.path, workspace);
    yield* walkFolder(folder, rules, { ...options, turns: { files: 0 } });
  } finally {
    if (folder !== entry.folder) await folder.handle.close();
  }
}

interface Walk extends TreeOptions {
  /** Files since others had a turn. */
  readonly turns: { files: number };
}

async function openFolder({ folder, name, path, stats }: FoundEntry): Promise<Folder> {
  if (name === null || stats === null) {
    throw pathFault('not_found', `${shown(path)} does not exist.`);
  }
  if (!stats.isDirectory()) throw pathFault('not_a_folder', `${shown(path)} is no folder.`);
  return openChild(folder, name, stats);
}

async function* walkFolder(
  folder: Folder,
  above: IgnoreRules,
  walk: Walk,
): AsyncGenerator<TreeFile, void, void> {
  const { workspace, signal, turns } = walk;
  const names = await readNames(folder);
  const hasOwn = names.some(({ name }) => name === IGNORE_FILE);
  const rules = hasOwn ? await rulesWithin(above, folder, workspace) : above;
  for (const child of names) {
    signal.throwIfAborted();
    const path = childPath(folder.path, child.name);
    if (
      !isNameable(child.name) ||
      isLost(folder, child.name) ||
      rules.isIgnored(path, child.isDirectory())
    )
      continue;
    if (child.isFile()) {
      // Files of a tree are opened and read synchronously.
      if (++turns.files % FILES_A_TURN === 0) await nextTurn();
      yield {
        path,
        isLink: false,
        look: () => lookAtListed(folder, child.name),
        open: async () => workspace.openListed(folder, child.name),
      };
    } else if (child.isDirectory()) {
      yield* walkChild(folder, child.name, { rules, walk });
    } else if (child.isSymbolicLink() && (await leadsToFile(path, workspace))) {
      const open = (): Promise<OpenedFile> => workspace.openFile(readLogicalPath(path));
      yield { path, isLink: true, look: () => null, open };
    }
  }
}

async function* walkChild(
  folder: Folder,
  name: string,
  below: { readonly rules: IgnoreRules; readonly walk: Walk },
): AsyncGenerator<TreeFile, void, void> {
  const child = await openQuietly(folder, name);
  if (child === null) return;
  try {
    yield* walkFolder(child, below.rules, below.walk);
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

function isNameable(name: string): boolean {
  if (isGitName(name)) return false;
  try {
    readLogicalPath(name);
    return true;
  } catch (error) {
    if (pathRuleOf(error) === null) throw error;
    return false;
  }
}

/** Whether a name is no UTF-8: then the one that was read leads to nothing. */
function isLost(folder: Folder, name: string): boolean {
  return name.includes('\ufffd') && lookAtListed(folder, name) === null;
}

async function leadsToFile(path: string, workspace: Workspace): Promise<boolean> {
  try {
    await using file = await workspace.openFile(readLogicalPath(path));
    return file.stats.isFile();
  } catch (error) {
    if (pathRuleOf(error) === null) throw error;
    return false;
  }
}

const FILES_A_TURN = 32;
