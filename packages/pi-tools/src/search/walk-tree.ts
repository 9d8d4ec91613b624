import { type Dirent, readdirSync } from 'node:fs';
import { type BytePath, toBytePath, toSystemPath } from './byte-path.ts';
import {
  type IgnorePolicy,
  type IgnoreRules,
  isIgnored,
  rulesAbove,
  rulesOf,
  VERSION_CONTROL,
} from './ignore-rules.ts';

/** A folder of a walk. */
export interface TreeFolder {
  /** Path below the root, with a slash at its end; empty for the root. */
  readonly path: BytePath;
  /** Whether no file in it is left out. */
  readonly isWhole: boolean;
}

/** Something below a search root. */
export interface TreeEntry {
  readonly folder: TreeFolder;
  readonly name: BytePath;
  /** A folder that cannot be read is given twice, the second time as closed. */
  readonly kind: 'file' | 'folder' | 'link' | 'other' | 'closed';
}

/** Where an entry comes in a walk; a closed folder comes where its contents would. */
export function placeInWalk({ folder, name, kind }: TreeEntry): BytePath {
  return `${folder.path}${name}${kind === 'closed' ? '/' : ''}`;
}

/** What a walk leaves out. */
export interface WalkOptions {
  readonly policy: IgnorePolicy;
  readonly showsVersionControl: boolean;
  /** Folder outside of which nothing is of interest, with a slash at its end; empty for the root. */
  readonly within?: BytePath;
  /** What is given whatever the rules say. */
  readonly keeps?: ((entry: TreeEntry) => boolean) | undefined;
}

/**
 * Walks a folder: everything below it that is not ignored, in the order of the bytes of the paths. Links
 * are given but not followed.
 *
 * The calls to the file system are blocking ones, which take a fraction of the time of others; whoever
 * walks gives way between entries.
 */
export function* walkTree(
  root: string,
  options: WalkOptions,
): Generator<TreeEntry, void, undefined> {
  const base = toBytePath(root.endsWith('/') ? root : `${root}/`);
  const { within = '' } = options;
  const open = [listFolder({ base, path: '', outer: rulesAbove(root, options.policy) }, options)];
  for (let current = open.at(-1); current !== undefined; current = open.at(-1)) {
    const entry = current.entries.pop();
    if (entry === undefined) {
      open.pop();
      continue;
    }
    yield entry;
    if (entry.kind !== 'folder') continue;
    const path = `${entry.folder.path}${entry.name}/`;
    if (!path.startsWith(within) && !within.startsWith(path)) continue;
    try {
      open.push(listFolder({ base, path, outer: current.rules }, options));
    } catch {
      // One closed folder must not hide what the others hold; the caller says how many there were.
      yield { folder: entry.folder, name: entry.name, kind: 'closed' };
    }
  }
}

/** Entries of a folder in reverse order, so that the next one is popped. */
function listFolder(
  { base, path, outer }: { base: BytePath; path: BytePath; outer: IgnoreRules },
  options: WalkOptions,
): { readonly entries: TreeEntry[]; readonly rules: IgnoreRules } {
  const absolute = base + path;
  const found = readdirSync(toSystemPath(absolute), { withFileTypes: true, encoding: 'latin1' });
  const rules = withOwnRules(absolute, outer, { found, policy: options.policy });
  const folder = { path, isWhole: true };
  const entries: TreeEntry[] = [];
  for (const one of found) {
    const { name } = one;
    const kind = kindOf(one);
    const isFolder = kind === 'folder';
    if (isFolder && !options.showsVersionControl && VERSION_CONTROL.has(name)) continue;
    const entry: TreeEntry = { folder, name, kind };
    if (isIgnored({ folder: absolute, name, isFolder }, rules) && options.keeps?.(entry) !== true) {
      folder.isWhole &&= isFolder;
    } else entries.push(entry);
  }
  return { entries: entries.toSorted(byPathDescending), rules };
}

function withOwnRules(
  folder: BytePath,
  outer: IgnoreRules,
  about: { readonly found: readonly Dirent[]; readonly policy: IgnorePolicy },
): IgnoreRules {
  const dotted = about.found.filter(({ name }) => name.startsWith('.'));
  if (dotted.length === 0) return outer;
  const has = (name: string) => dotted.some((one) => one.name === name);
  return rulesOf(folder, outer, { policy: about.policy, has });
}

/** A folder sorts where its contents do: `a.txt` before `a/b`, since `.` comes before `/`. */
function byPathDescending(left: TreeEntry, right: TreeEntry): number {
  const a = left.kind === 'folder' ? `${left.name}/` : left.name;
  const b = right.kind === 'folder' ? `${right.name}/` : right.name;
  return a < b ? 1 : -1;
}

function kindOf(entry: Dirent): TreeEntry['kind'] {
  // Asked in the order of how often they are met.
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
