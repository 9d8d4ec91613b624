/**
 * Where text may be cut so that nothing is cut in two that belongs together: a secret or a path of
 * which half is left would not be recognised by whoever takes them out afterwards.
 *
 * Goes back from `end` to the blank before it, else, where none is near, to the end of the last whole word.
 */
export function endOfWord(bytes: Uint8Array, end: number): number {
  for (const isPart of PARTS) {
    if (end >= bytes.length || !isPart(bytes[end]) || !isPart(bytes[end - 1])) return end;
    for (let at = end - 1; at > 0 && at >= end - LONGEST; at--) {
      if (!isPart(bytes[at - 1])) return at;
    }
  }
  return end;
}

/** The same forwards: the next blank, else the end of the word that `start` lies in. */
export function startOfWord(bytes: Uint8Array, start: number): number {
  for (const isPart of PARTS) {
    if (start <= 0 || !isPart(bytes[start - 1])) return start;
    for (let at = start; at < bytes.length && at <= start + LONGEST; at++) {
      if (!isPart(bytes[at])) return at;
    }
  }
  return start;
}

/** Passwords have any characters but blanks. */
function isDark(byte: number | undefined): boolean {
  return byte !== undefined && byte > 0x20;
}

/** What keys, addresses and paths are made of. */
function isInWord(byte: number | undefined): boolean {
  return byte !== undefined && /[\w%+./:=@~-]/.test(String.fromCharCode(byte));
}

const PARTS = [isDark, isInWord] as const;
const LONGEST = 512;
