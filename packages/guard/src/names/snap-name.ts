import { editDistance } from './edit-distance.ts';
import { foldName, nameWords } from './fold-name.ts';
import { type ToolIndex, withoutPrefix } from './tool-index.ts';

/** How far a name may be from the one that it is taken for. */
export type SnapReach = 'exact' | 'spelling' | 'typos';

/**
 * The tool that a written name stands for, or null.
 *
 * `spelling` bridges case, separators, and a prefix such as `functions.` or that of an MCP server;
 * `typos` also two letters, where every word keeps its beginning. What fits two tools stands for neither.
 */
export function snapName(written: string, tools: ToolIndex, reach: SnapReach): string | null {
  if (tools.byName.has(written)) return written;
  if (reach === 'exact' || written.length > MAX_NAME) return null;
  const bare = withoutPrefix(written);
  const folds = [
    tools.byFold.get(foldName(written)),
    bare === null ? undefined : tools.byFold.get(foldName(bare)),
    tools.byRest.get(foldName(written)),
  ];
  const spelled = folds.find((name) => name !== undefined);
  if (spelled !== undefined || reach === 'spelling') return spelled ?? null;
  const alike = tools.names.filter((name) => isTypoOf(bare ?? written, name));
  return alike.length === 1 ? (alike[0] ?? null) : null;
}

/**
 * Two letters in a long word may be a slip; in a short one, or at the beginning of a word, they make
 * another word: `get` and `set`, `upload` and `unload`, `increase` and `decrease`. A digit is never a slip.
 */
function isTypoOf(written: string, name: string): boolean {
  const left = nameWords(written);
  const right = nameWords(name);
  if (left.length !== right.length) return false;
  let sum = 0;
  for (const [index, word] of left.entries()) {
    const other = right[index] ?? '';
    if (word === other) continue;
    const isPlural = `${word}s` === other || word === `${other}s`;
    const isLong = Math.min(word.length, other.length) >= 5;
    if (/\d/.test(word + other)) return false;
    if (!isPlural && (!isLong || word.slice(0, 2) !== other.slice(0, 2))) return false;
    sum += editDistance(word, other, MAX_TYPOS);
    if (sum > MAX_TYPOS) return false;
  }
  return sum > 0;
}

const MAX_NAME = 192;
const MAX_TYPOS = 2;
