/** The place of the next character that is no white space. */
export function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}

/** What a pattern with the flag `y` finds at exactly this place, or null. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** A value between tags, without the one line break at each end that belongs to the tags. */
export function betweenTags(text: string, from: number, to: number): string {
  return text
    .slice(from, to)
    .replace(/^\r?\n/, '')
    .replace(/\r?\n$/, '');
}

const SPACE = /\s*/y;
