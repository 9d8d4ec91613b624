/**
 * Where text may be cut so that nothing is cut in two that belongs together: a secret or a path of
 * which half is left would not be recognised by whoever takes them out afterwards.
 *
 * Goes back from `end` to the end of the last whole word, at most 512 bytes.
 */
export function endOfWord(bytes: Uint8Array, end: number): number {
  if (end >= bytes.length || !isInWord(bytes[end]) || !isInWord(bytes[end - 1])) return end;
  for (let at = end - 1; at > 0 && at >= end - LONGEST; at--) {
    if (!isInWord(bytes[at - 1])) return at;
  }
  return end;
}

/** The same forwards: the beginning of the first whole word from `start` on. */
export function startOfWord(bytes: Uint8Array, start: number): number {
  if (start <= 0 || !isInWord(bytes[start - 1])) return start;
  for (let at = start; at < bytes.length && at <= start + LONGEST; at++) {
    if (!isInWord(bytes[at])) return at;
  }
  return start;
}

/** What keys, addresses and paths are made of. */
function isInWord(byte: number | undefined): boolean {
  return byte !== undefined && /[\w%+./:=@~-]/.test(String.fromCharCode(byte));
}

const LONGEST = 512;
