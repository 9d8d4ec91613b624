import { givingWay } from '../giving-way.ts';
import { toBytePath } from './byte-path.ts';
import type { LinePattern } from './compile-pattern.ts';
import { readWhole } from './read-pieces.ts';
import { MAX_STEPS } from './search-files.ts';
import type { TreeEntry } from './walk-tree.ts';

/**
 * Those of a batch that may hold a match. Where the search was given up, all that was not looked at is among
 * them.
 */
export async function filesHolding(
  pattern: LinePattern,
  batch: readonly TreeEntry[],
  { root, signal }: { readonly root: string; readonly signal: AbortSignal },
): Promise<readonly TreeEntry[]> {
  const base = toBytePath(root.endsWith('/') ? root : `${root}/`);
  const options = { isNamed: false, required: pattern.required };
  const mayHold = ({ folder, name, kind }: TreeEntry): boolean => {
    if (kind === 'closed') return true;
    try {
      const piece = readWhole(base + folder.path + name, options);
      if (piece === null || piece === 'long') return piece !== null;
      const { text, isAscii } = piece;
      return pattern.mostSteps(text) > MAX_STEPS || pattern.mayFit(text, isAscii);
    } catch {
      // Whoever searches it says that it cannot be read.
      return true;
    }
  };
  const left: TreeEntry[] = [];
  for (const [index, entry] of batch.entries()) {
    if (index % STEP === 0) await givingWay();
    if (signal.aborted || mayHold(entry)) left.push(entry);
  }
  return left;
}

const STEP = 128;
