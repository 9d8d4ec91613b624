import { canonicalJson, digest, type JsonValue, readJson, toPlainJson } from '@millforge/contracts';
import { developError } from '../develop-error.ts';

/** One entry of a captured tree. */
export type TreeEntry =
  | {
      /** Path in the tree, with `/`. */
      readonly path: string;
      /** A regular file. */
      readonly type: 'file';
      /** Whether its owner may execute it. */
      readonly executable: boolean;
      /** Number of its bytes. */
      readonly bytes: number;
      /** Digest of its bytes. */
      readonly sha256: string;
    }
  | {
      /** Path in the tree, with `/`. */
      readonly path: string;
      /** A directory, empty or not. */
      readonly type: 'directory';
    }
  | {
      /** Path in the tree, with `/`. */
      readonly path: string;
      /** A symbolic link that stays in the tree. */
      readonly type: 'link';
      /** What it holds, as it stands. */
      readonly target: string;
    };

/** One state of a directory tree; its digest names it, and is that of the document's bytes. */
export interface CapturedTree {
  /** Type of this document. */
  readonly kind: 'captured_tree';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** What is in it, by path in the order of code units. */
  readonly entries: readonly TreeEntry[];
}

/** One difference between two trees. */
export type TreeChange = {
  /** Path in the tree. */
  readonly path: string;
  /** What became of it. */
  readonly change: 'added' | 'removed' | 'changed';
};

/** The digest of a tree. */
export function treeDigest(tree: CapturedTree): string {
  return digest(documentOf(tree));
}

/** The bytes of a tree's document; their digest is that of the tree. */
export function treeBytes(tree: CapturedTree): Uint8Array {
  return Buffer.from(canonicalJson(documentOf(tree)));
}

/** Makes a tree of entries in any order. */
export function toTree(entries: readonly TreeEntry[]): CapturedTree {
  return {
    kind: 'captured_tree',
    schema_version: '1.0',
    entries: entries.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

/** What must be done to one tree to have the other, by path. */
export function compareTrees(before: CapturedTree, after: CapturedTree): readonly TreeChange[] {
  const old = new Map(before.entries.map((entry) => [entry.path, entry]));
  const changes: TreeChange[] = [];
  for (const entry of after.entries) {
    const known = old.get(entry.path);
    old.delete(entry.path);
    if (known === undefined) changes.push({ path: entry.path, change: 'added' });
    else if (!isSameEntry(known, entry)) changes.push({ path: entry.path, change: 'changed' });
  }
  for (const path of old.keys()) changes.push({ path, change: 'removed' });
  return changes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Whether two entries of one path are alike. */
export function isSameEntry(one: TreeEntry, other: TreeEntry): boolean {
  switch (one.type) {
    case 'file':
      return (
        other.type === 'file' && one.sha256 === other.sha256 && one.executable === other.executable
      );
    case 'link':
      return other.type === 'link' && one.target === other.target;
    case 'directory':
    default:
      return other.type === one.type;
  }
}

/**
 * Reads the bytes of a tree's document.
 *
 * @throws `develop/tree-invalid`.
 */
export function readTree(bytes: Uint8Array): CapturedTree {
  const read = readJson(Buffer.from(bytes).toString('utf8'));
  const document = fieldsOf(read.ok ? toPlainJson(read.value) : null);
  const entries = document.get('entries');
  if (document.get('kind') !== 'captured_tree' || !Array.isArray(entries)) throw noTree();
  return toTree(entries.map(readEntry));
}

function readEntry(value: JsonValue): TreeEntry {
  const fields = fieldsOf(value);
  const path = fields.get('path');
  if (typeof path !== 'string') throw noTree();
  const type = fields.get('type');
  if (type === 'directory') return { path, type };
  if (type === 'link') {
    const target = fields.get('target');
    if (typeof target !== 'string') throw noTree();
    return { path, type, target };
  }
  const [executable, bytes] = [fields.get('executable'), fields.get('bytes')];
  const sha256 = fields.get('sha256');
  if (type !== 'file' || typeof executable !== 'boolean') throw noTree();
  if (typeof bytes !== 'number' || typeof sha256 !== 'string') throw noTree();
  return { path, type, executable, bytes, sha256 };
}

function documentOf({ kind, schema_version, entries }: CapturedTree): JsonValue {
  return { kind, schema_version, entries: entries.map((entry) => ({ ...entry })) };
}

function fieldsOf(value: JsonValue): ReadonlyMap<string, JsonValue> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

function noTree(): Error {
  return developError('develop/tree-invalid', 'The artifact is no captured tree.');
}
