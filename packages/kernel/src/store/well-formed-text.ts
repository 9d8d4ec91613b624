/**
 * Whether a text is made of whole characters.
 *
 * Half of one, as a cut at a fixed length leaves it, is no text that a file can hold: it would be read as another one,
 * and two names that differ could become one.
 */
export function isWellFormed(text: string): boolean {
  return !HALF.test(text);
}

/** A text with the replacement character wherever half a character stands. */
export function toWellFormed(text: string): string {
  return isWellFormed(text) ? text : text.replaceAll(HALVES, '\ufffd');
}

const HALF = /\p{Surrogate}/u;
const HALVES = /\p{Surrogate}/gu;
