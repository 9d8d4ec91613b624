import type { SecretReach } from './secret-span.ts';

/**
 * How much of a text is settled: what follows can make no secret of it, and it none of what follows.
 *
 * The last word is never settled, since half a secret has no shape; nor is what a secret of several words may reach
 * over, such as the name before a value, an open quote or the first line of a private key.
 */
export function settledLength(text: string, reaches: readonly SecretReach[]): number {
  let end = startOfLastWord(text);
  // From the end backward, so that one that ends before the settled part cannot be met by a later one.
  for (const reach of reaches.toSorted((a, b) => b.end - a.end)) {
    if (reach.end < end) break;
    if (reach.start < end) end = startOfWord(text, reach.start);
  }
  return end;
}

/** Scripts without spaces end a word with each character; no secret of a known shape has such a character. */
function startOfLastWord(text: string): number {
  for (let end = text.length; end > 0; end--) {
    const code = text.charCodeAt(end - 1);
    if (code <= SPACE || (code >= FIRST_IDEOGRAPHIC && !isLeadingSurrogate(code))) return end;
  }
  return 0;
}

function startOfWord(text: string, at: number): number {
  let start = at;
  while (start > 0 && text.charCodeAt(start - 1) > SPACE) start--;
  return start;
}

function isLeadingSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

const SPACE = 0x20;
const FIRST_IDEOGRAPHIC = 0x2e80;
