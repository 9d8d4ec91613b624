/** Tells the characters that separate tokens on a line; other Unicode spaces are text. */
export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Tells whether a token that needs white space behind it ends before a character, or at the end. */
export function isBreak(code: number): boolean {
  // Past the end of the text the code is NaN.
  return code === 0x20 || code === 0x0a || code === 0x09 || Number.isNaN(code);
}

/** Tells whether a character begins an item of a block list, an explicit key or an entry's value. */
export function isIndicator(text: string, at: number, character: '-' | '?' | ':'): boolean {
  return text.charAt(at) === character && isBreak(text.charCodeAt(at + 1));
}

/** Tells whether a document begins or ends at the start of a line. */
export function isMarker(text: string, at: number): boolean {
  const marker = text.slice(at, at + 3);
  return (marker === '---' || marker === '...') && isBreak(text.charCodeAt(at + 3));
}
