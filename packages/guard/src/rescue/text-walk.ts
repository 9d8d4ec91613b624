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

/** The name in what a pattern with the flag `y` finds at exactly this place, and where that ends; or null. */
export function nameAt(
  pattern: RegExp,
  text: string,
  at: number,
): { readonly name: string; readonly end: number } | null {
  const [whole, name] = matchAt(pattern, text, at) ?? [];
  return whole === undefined || name === undefined ? null : { name, end: at + whole.length };
}

/** Where what a pattern with the flag `y` finds at exactly this place ends; -1 for nothing. */
export function endAt(pattern: RegExp, text: string, at: number): number {
  const [whole] = matchAt(pattern, text, at) ?? [];
  return whole === undefined ? -1 : at + whole.length;
}

/** A value between tags, without the one line break at each end that belongs to the tags. */
export function betweenTags(text: string, from: number, to: number): string {
  const value = text.slice(from, to);
  // A carriage return belongs to the tags only where both of their lines end in one.
  if (value.startsWith('\r\n') && value.endsWith('\r\n') && value.length > 2) {
    return value.slice(2, -2);
  }
  return value.replace(/^\r?\n/, '').replace(/\n$/, '');
}

/** A pattern of the place where it is used, in which a blank is white space or none. */
export function spaced({ raw }: TemplateStringsArray): RegExp {
  return new RegExp(raw.join('').replaceAll(' ', String.raw`\s{0,4}`), 'y');
}

const SPACE = /\s*/y;

/** The tags around calls of whatever form. */
export const CALL_TAGS = 'tool_calls?|toolcall|function_calls?|tool_use';
/** What may stand before the name of a tag: the prefix of an XML name space, or the bars of DeepSeek. */
export const TAG_PREFIX = String.raw`(?:[\w-]{1,32}:|｜\w{1,32}｜)?`;
