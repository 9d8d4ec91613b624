import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '@millforge/contracts';
import { captureTree } from '../develop/tree/capture-tree.ts';
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
 * Refused with the capture: sockets and devices, names that are no text, what cannot be read, links that may leave
 * the tree, and a tree that changes during each of three walks or afterwards.
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
      const tree = await captureTree(directory, { isIgnored, signal });
      return {
        revision: `tree:${treeDigest(tree)}`,
        entries: entriesOf(directory, tree),
        async [Symbol.asyncDispose]() {},
      };
    },
  };
}

function* entriesOf(directory: string, { entries }: CapturedTree): Iterable<SourceEntry> {
  for (const entry of entries) {
    if (entry.type === 'link') yield { kind: 'other', path: entry.path, reason: 'link' };
    if (entry.type !== 'file') continue;
    const { path, bytes } = entry;
    yield { kind: 'file', path, bytes, read: () => readUnchanged(join(directory, path), entry) };
  }
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
