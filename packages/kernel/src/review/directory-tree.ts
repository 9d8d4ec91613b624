import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '@millforge/contracts';
import { captureTree, type NoEntryReason } from '../develop/tree/capture-tree.ts';
import { type CapturedTree, type TreeEntry, treeDigest } from '../develop/tree/captured-tree.ts';
import { compilePathRules, isPathRule } from '../develop/tree/path-rules.ts';
import { reviewError } from './review-error.ts';
import type { ReviewSource, SourceEntry } from './review-source.ts';

/** Which directory is reviewed. */
export interface DirectoryTreeOptions {
  /** Absolute path of the directory. */
  readonly directory: string;
  /**
   * What is left out, with all that is below it, besides `.git` and `node_modules` anywhere: `dist`, `src/*.js`;
   * a leading `**` and `/` stand for any folders.
   */
  readonly ignore?: readonly string[];
}

/**
 * A directory as it stands when it is captured, named by the digest of its tree, as developments name theirs.
 *
 * Gaps, and no part of the digest: sockets and devices, names that are no text, what cannot be read, and links that may
 * leave the tree. Refused with the capture: a tree that changes during each of three walks or afterwards.
 *
 * @throws `review/options-invalid` for a rule that is none.
 */
export function directoryTree({ directory, ignore = [] }: DirectoryTreeOptions): ReviewSource {
  const wrong = ignore.find((rule) => !isPathRule(rule));
  if (wrong !== undefined) {
    throw reviewError('review/options-invalid', `'${wrong.slice(0, 80)}' is no rule for paths.`);
  }
  const isIgnored = compilePathRules([...ALWAYS_IGNORED, ...ignore]);
  return {
    identity: { kind: 'directory_tree', ignore },
    async open({ signal }) {
      const leftOut = new Map<string, NoEntryReason>();
      const tree = await captureTree(directory, { isIgnored, signal, leftOut });
      return {
        revision: `tree:${treeDigest(tree)}`,
        entries: entriesOf(directory, { tree, leftOut }),
        async [Symbol.asyncDispose]() {},
      };
    },
  };
}

function entriesOf(
  directory: string,
  {
    tree: { entries },
    leftOut,
  }: { readonly tree: CapturedTree; readonly leftOut: ReadonlyMap<string, NoEntryReason> },
): readonly SourceEntry[] {
  const others = [...leftOut].map(([path, reason]) => ({ kind: 'other', path, reason }) as const);
  const seen = entries.flatMap((entry): readonly SourceEntry[] => {
    if (entry.type === 'directory') return [];
    const { path } = entry;
    if (entry.type === 'link') return [{ kind: 'other', path, reason: 'link' }];
    const read = () => readUnchanged(join(directory, path), entry);
    return [{ kind: 'file', path, bytes: entry.bytes, read }];
  });
  return [...seen, ...others].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** The bytes that the walk saw: what else stands there by now would not be of the same tree. */
async function readUnchanged(
  place: string,
  entry: TreeEntry & { readonly type: 'file' },
): Promise<Uint8Array> {
  const bytes = await readFile(place).catch(() => null);
  if (bytes !== null && sha256(bytes) === entry.sha256) return bytes;
  throw reviewError(
    'review/unstable-tree',
    `The file ${JSON.stringify(entry.path)} changed while the directory was captured; try again.`,
  );
}

const ALWAYS_IGNORED = ['**/.git', '**/node_modules'];
