import { type ContextResult, type ContextTurn, contextTurn } from './context-turn.ts';
import { headOf } from './cut-results.ts';
import { estimateText } from './estimate-tokens.ts';

/**
 * Cuts the longest results of a turn so that the turn takes at most `room` tokens; null when its calls
 * and texts alone take more.
 *
 * Short results stay whole: the others share what is left. Of each, beginning and end are kept.
 */
export function squeezeResults(turn: ContextTurn, room: number): ContextTurn | null {
  const sizes = turn.results.map(({ message }) => estimateText(message.content));
  const fixed = turn.tokens - sizes.reduce((sum, size) => sum + size, 0);
  const share = fairShare(sizes, room - fixed);
  if (share === null) return null;
  const results = turn.results.map((result, index) =>
    (sizes[index] ?? 0) <= share ? result : squeezed(result, share),
  );
  return contextTurn({ ...turn, results, level: 0 }, turn);
}

/** The size down to which results are cut so that all of them fit; null when even the least does not. */
function fairShare(sizes: readonly number[], room: number): number | null {
  let left = room;
  let open = sizes.length;
  for (const size of sizes.toSorted((a, b) => a - b)) {
    const share = Math.floor(left / open);
    if (size > share) return share >= LEAST ? share : null;
    left -= size;
    open -= 1;
  }
  return room >= 0 ? Number.POSITIVE_INFINITY : null;
}

function squeezed({ message, chars, facts }: ContextResult, share: number): ContextResult {
  const { content } = message;
  // The estimate is at least a quarter of a token per character, so halving ends.
  for (let kept = share * 4 - MARK; ; kept = Math.floor(kept / 2)) {
    const text = kept < 2 ? leastOf(chars) : around(content, { kept, chars });
    if (kept < 2 || estimateText(text) <= share) {
      return { message: Object.freeze({ ...message, content: text }), chars, facts };
    }
  }
}

function around(
  content: string,
  { kept, chars }: { readonly kept: number; readonly chars: number },
): string {
  const head = headOf(content, Math.ceil(kept * HEAD_SHARE));
  const tail = content.slice(content.length - (kept - head.length)).replace(/^[\udc00-\udfff]/, '');
  const gone = chars - head.length - tail.length;
  return `${head}\n[cut: ${gone} of ${chars} characters removed from the middle]\n${tail}`;
}

function leastOf(chars: number): string {
  return `[result removed: ${chars} characters]`;
}

/** Where a command fails stands at its end, what a file is about at its beginning. */
const HEAD_SHARE = 0.6;
/** Characters of the line in the middle, at most. */
const MARK = 100;
/** Tokens of the line that stands for a result, at most. */
const LEAST = 16;
