/** Whether a text can be written down as UTF-8 and read again. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}

/** A text whose lone surrogates are replaced, as writing it down would. */
export function toWellFormed(text: string): string {
  return LONE_SURROGATE.test(text) ? text.replaceAll(LONE_SURROGATES, '\ufffd') : text;
}

const LONE_SURROGATE = /\p{Surrogate}/u;
const LONE_SURROGATES = /\p{Surrogate}/gu;
