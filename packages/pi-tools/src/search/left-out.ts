import { lstatSync } from 'node:fs';
import { type BytePath, toBytePath, toSystemPath } from './byte-path.ts';
import {
  type IgnoreRules,
  isIgnored,
  rulesAbove,
  rulesOf,
  VERSION_CONTROL,
} from './ignore-rules.ts';
import type { TreeEntry, TreeFolder, WalkOptions } from './walk-tree.ts';

/** Tells of single paths what a walk would do with them. */
export interface LeftOut {
  /** The entry that a walk would give for a path below the root; null for what it leaves out. */
  entry(path: BytePath): TreeEntry | null;
  /** Whether a walk leaves a path out; false also for a path at which there is nothing. */
  covers(path: BytePath): boolean;
}

/** Reads the rules of a folder only when something in it is asked about. */
export function leftOut(root: string, options: WalkOptions): LeftOut {
  const base = toBytePath(root.endsWith('/') ? root : `${root}/`);
  const { policy } = options;
  const places = new Map<BytePath, Place | null>();
  places.set('', placeOf('', rulesAbove(root, policy)));

  return {
    entry(path) {
      const kind = kindOf(base + path);
      return kind === null ? null : entryAt(path, kind);
    },
    covers(path) {
      const kind = kindOf(base + path);
      return kind !== null && entryAt(path, kind) === null;
    },
  };

  function placeOf(path: BytePath, outer: IgnoreRules): Place {
    const has = (name: string) => kindOf(`${base}${path}${name}`) !== null;
    return {
      folder: { path, isWhole: false },
      rules: rulesOf(base + path, outer, { policy, has }),
    };
  }

  function entryAt(path: BytePath, kind: TreeEntry['kind']): TreeEntry | null {
    const start = path.lastIndexOf('/') + 1;
    const place = placeAt(path.slice(0, start));
    const name = path.slice(start);
    const isFolder = kind === 'folder';
    if (place === null) return null;
    if (isFolder && !options.showsVersionControl && VERSION_CONTROL.has(name)) return null;
    const { folder, rules } = place;
    const absolute = base + folder.path;
    return isIgnored({ folder: absolute, name, isFolder }, rules) ? null : { folder, name, kind };
  }

  /** The rules in a folder that ends in a slash; null for one that is left out. */
  function placeAt(folder: BytePath): Place | null {
    const known = places.get(folder);
    if (known !== undefined) return known;
    const path = folder.slice(0, -1);
    const outer = placeAt(path.slice(0, path.lastIndexOf('/') + 1));
    const isKept = outer !== null && entryAt(path, 'folder') !== null;
    const place = isKept ? placeOf(folder, outer.rules) : null;
    places.set(folder, place);
    return place;
  }
}

interface Place {
  readonly folder: TreeFolder;
  readonly rules: IgnoreRules;
}

function kindOf(path: BytePath): TreeEntry['kind'] | null {
  try {
    const stats = lstatSync(toSystemPath(path));
    if (stats.isFile()) return 'file';
    if (stats.isDirectory()) return 'folder';
    return stats.isSymbolicLink() ? 'link' : 'other';
  } catch {
    // What cannot be looked at is not there for this search.
    return null;
  }
}
