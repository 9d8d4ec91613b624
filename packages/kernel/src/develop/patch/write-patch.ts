import { createHash } from 'node:crypto';
import type { ArtifactStore } from '@millforge/contracts';
import { type CapturedTree, isSameEntry, type TreeEntry } from '../tree/captured-tree.ts';
import { readArtifact } from '../tree/read-artifact.ts';
import { binaryPatch } from './binary-patch.ts';
import { patchName } from './patch-name.ts';
import { textHunks } from './text-hunks.ts';

/** A patch, and what it cannot say. */
export interface TreePatch {
  /** The patch in the form that `git apply` takes. */
  readonly bytes: Uint8Array;
  /** Number of paths that it changes. */
  readonly files: number;
  /** Directories without files that come or go, which no patch can hold: git does not know them. */
  readonly leftOut: readonly string[];
  /** Links whose place a directory takes: git follows them while it applies, so they are to be removed before. */
  readonly inTheWay: readonly string[];
}

/** Writes what makes one captured tree out of another, byte for byte, modes and links included. */
export async function writePatch(
  before: CapturedTree,
  after: CapturedTree,
  store: Pick<ArtifactStore, 'open'>,
): Promise<TreePatch> {
  const paths = new Map<string, Sides>();
  for (const entry of before.entries) paths.set(entry.path, { old: entry, new: null });
  for (const entry of after.entries) {
    paths.set(entry.path, { old: paths.get(entry.path)?.old ?? null, new: entry });
  }
  const parts: Buffer[] = [];
  let files = 0;
  for (const path of [...paths.keys()].toSorted()) {
    const sides = paths.get(path);
    const [old, next] = [blobOf(sides?.old), blobOf(sides?.new)];
    if (old === null && next === null) continue;
    if (old !== null && next !== null && isSameEntry(old, next)) continue;
    files += 1;
    for (const change of changesOf(old, next)) parts.push(await section(path, change, store));
  }
  const inTheWay = [...paths].flatMap(([path, sides]) =>
    sides.old?.type === 'link' && sides.new?.type === 'directory' ? [path] : [],
  );
  return {
    bytes: Buffer.concat(parts),
    files,
    leftOut: emptyDifferences(before, after),
    inTheWay: inTheWay.toSorted(),
  };
}

interface Sides {
  readonly old: TreeEntry | null;
  readonly new: TreeEntry | null;
}

/** What git keeps as one object: a file, or what a link holds. */
type Blob = Extract<TreeEntry, { readonly type: 'file' | 'link' }>;

type Change = { readonly old: Blob | null; readonly next: Blob | null };

function blobOf(entry: TreeEntry | null | undefined): Blob | null {
  return entry === null || entry === undefined || entry.type === 'directory' ? null : entry;
}

/** A link that takes the place of a file is a removal and an addition. */
function changesOf(old: Blob | null, next: Blob | null): readonly Change[] {
  return old !== null && next !== null && old.type !== next.type
    ? [
        { old, next: null },
        { old: null, next },
      ]
    : [{ old, next }];
}

async function section(
  path: string,
  { old, next }: Change,
  store: Pick<ArtifactStore, 'open'>,
): Promise<Buffer> {
  const [oldBytes, newBytes] = [await contentOf(old, store), await contentOf(next, store)];
  const [oldId, newId] = [objectId(old, oldBytes), objectId(next, newBytes)];
  const [oldName, newName] = [patchName('a', path), patchName('b', path)];
  const lines = [`diff --git ${oldName.text} ${newName.text}`];
  const [oldMode, newMode] = [modeOf(old), modeOf(next)];
  if (oldMode === null) lines.push(`new file mode ${newMode}`);
  else if (newMode === null) lines.push(`deleted file mode ${oldMode}`);
  else if (oldMode !== newMode) lines.push(`old mode ${oldMode}`, `new mode ${newMode}`);
  if (oldId === newId) return Buffer.from(`${lines.join('\n')}\n`);
  const sameMode = oldMode === newMode ? ` ${oldMode}` : '';
  lines.push(`index ${oldId}..${newId}${sameMode}`);
  if (oldBytes.includes(0) || newBytes.includes(0)) {
    return Buffer.from(`${lines.join('\n')}\n${binaryPatch(oldBytes, newBytes)}`);
  }
  // Bytes as characters: every text comes through as it is, whatever its encoding.
  const hunks = textHunks(oldBytes.toString('latin1'), newBytes.toString('latin1'));
  if (hunks === '') return Buffer.from(`${lines.join('\n')}\n`);
  lines.push(
    old === null ? '--- /dev/null' : `--- ${oldName.line}`,
    next === null ? '+++ /dev/null' : `+++ ${newName.line}`,
  );
  return Buffer.concat([Buffer.from(`${lines.join('\n')}\n`), Buffer.from(hunks, 'latin1')]);
}

async function contentOf(blob: Blob | null, store: Pick<ArtifactStore, 'open'>): Promise<Buffer> {
  if (blob === null) return Buffer.alloc(0);
  if (blob.type === 'link') return Buffer.from(blob.target);
  return Buffer.from(await readArtifact(store, blob.sha256));
}

/** The name that git gives to a content; that of nothing is zero. */
function objectId(blob: Blob | null, bytes: Buffer): string {
  if (blob === null) return '0'.repeat(40);
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

function modeOf(blob: Blob | null): string | null {
  if (blob === null) return null;
  if (blob.type === 'link') return '120000';
  return blob.executable ? '100755' : '100644';
}

/** Directories without files that come, or go: git knows those only that lead to a file. */
function emptyDifferences(before: CapturedTree, after: CapturedTree): readonly string[] {
  const [old, next] = [emptyIn(before), emptyIn(after)];
  const still = new Set(
    after.entries.filter(({ type }) => type === 'directory').map(({ path }) => path),
  );
  const [come, gone] = [
    [...next].filter((path) => !old.has(path)),
    [...old].filter((path) => !still.has(path)),
  ];
  return [...come, ...gone].toSorted();
}

function emptyIn({ entries }: CapturedTree): ReadonlySet<string> {
  const empty = new Set<string>();
  for (const { path, type } of entries) {
    if (type === 'directory') empty.add(path);
    else for (const above of foldersAbove(path)) empty.delete(above);
  }
  return empty;
}

function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
