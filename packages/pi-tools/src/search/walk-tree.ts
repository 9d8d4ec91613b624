import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { toolFault } from '../tool-fault.ts';
import {
  addRules,
  type IgnoreFiles,
  type IgnoreRules,
  rulesAbove,
  VERSION_CONTROL,
  withoutIgnored,
} from './ignore-rules.ts';

/** Something below a search root. */
export interface TreeEntry {
  /** Absolute path. */
  readonly path: string;
  /** Path below the root, with `/`. */
  readonly relative: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

/** A walk in progress. */
export interface TreeWalk {
  /** Everything below the root that is not ignored, in the order of the bytes of the paths. */
  readonly entries: AsyncIterable<TreeEntry>;
  /** Folders that could not be read so far. */
  readonly unreadable: () => number;
}

/** Walks a folder, the same way every time. Links are given but not followed. */
export function walkTree(
  root: string,
  options: { readonly ignoreFiles: IgnoreFiles; readonly signal: AbortSignal },
): TreeWalk {
  const state = { unreadable: 0 };
  return {
    entries: walk(root, options, state),
    unreadable: () => state.unreadable,
  };
}

interface Folder {
  readonly path: string;
  readonly relative: string;
  readonly rules: IgnoreRules;
}

async function* walk(
  root: string,
  options: { readonly ignoreFiles: IgnoreFiles; readonly signal: AbortSignal },
  state: { unreadable: number },
): AsyncGenerator<TreeEntry> {
  const { ignoreFiles, signal } = options;
  const base = root.endsWith('/') ? root : `${root}/`;
  const top = { path: base, relative: '', rules: await rulesAbove(root, ignoreFiles) };
  const open = [await listFolder(top, ignoreFiles)];
  for (let current = open.at(-1); current !== undefined; current = open.at(-1)) {
    if (signal.aborted) throw toolFault('cancelled', 'Operation aborted');
    const entry = current.entries.pop();
    if (entry === undefined) {
      open.pop();
      continue;
    }
    yield entry;
    if (entry.kind !== 'folder') continue;
    const folder = {
      path: `${entry.path}/`,
      relative: `${entry.relative}/`,
      rules: current.rules,
    };
    try {
      open.push(await listFolder(folder, ignoreFiles));
    } catch {
      // One closed folder must not hide what the others hold; the caller says how many there were.
      state.unreadable++;
    }
  }
}

/** Entries of a folder in reverse order, so that the next one is popped. */
async function listFolder(
  folder: Folder,
  ignoreFiles: IgnoreFiles,
): Promise<{ readonly entries: TreeEntry[]; readonly rules: IgnoreRules }> {
  const found = await readdir(folder.path, { withFileTypes: true });
  const names = new Set(found.map((entry) => entry.name));
  const present = ignoreFiles.filter((name) => names.has(name));
  const rules = await addRules(folder.path, folder.rules, present);
  const entries = found
    .map((entry) => ({
      path: `${folder.path}${entry.name}`,
      relative: `${folder.relative}${entry.name}`,
      kind: kindOf(entry),
    }))
    .filter((entry) => !(entry.kind === 'folder' && VERSION_CONTROL.has(nameOf(entry.relative))));
  return { entries: withoutIgnored(entries, rules).toSorted(byPathDescending), rules };
}

/** A folder sorts where its contents do: `a.txt` before `a/b`, since `.` comes before `/`. */
function byPathDescending(left: TreeEntry, right: TreeEntry): number {
  const a = left.kind === 'folder' ? `${left.relative}/` : left.relative;
  const b = right.kind === 'folder' ? `${right.relative}/` : right.relative;
  return a < b ? 1 : -1;
}

function kindOf(entry: Dirent): TreeEntry['kind'] {
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return 'link';
  return entry.isFile() ? 'file' : 'other';
}

function nameOf(relative: string): string {
  return relative.slice(relative.lastIndexOf('/') + 1);
}
