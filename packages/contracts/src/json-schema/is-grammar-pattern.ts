/**
 * Whether a pattern means to the makers of grammars what it means here. They match whole texts, know few
 * escapes, and match the text as it stands in JSON: whatever would be escaped there may not be in it.
 */
export function isGrammarPattern(pattern: string): boolean {
  const inner = /^\^(?<inner>.*)\$$/su.exec(pattern)?.groups?.['inner'];
  if (inner === undefined) return false;
  let depth = 0;
  // Whether something can be repeated or ended here; an empty group or alternative means nothing to some.
  let hasAtom = false;
  for (let at = 0; at < inner.length; ) {
    const [token, kind] = nextToken(inner, at);
    at += token.length;
    if (kind === null) return false;
    if (kind === 'atom') hasAtom = true;
    else if (!hasAtom && kind !== 'open') return false;
    if (kind === 'open') {
      depth += 1;
      hasAtom = false;
    } else if (kind === 'bar') {
      // Outside of a group it would part the anchors.
      if (depth === 0) return false;
      hasAtom = false;
    } else if (kind === 'close') {
      depth -= 1;
    }
  }
  return hasAtom;
}

type Token = readonly [text: string, kind: 'atom' | 'open' | 'close' | 'bar' | 'quantifier' | null];

function nextToken(source: string, at: number): Token {
  for (const [kind, form] of TOKENS) {
    form.lastIndex = at;
    const text = form.exec(source)?.[0];
    if (text !== undefined) return [text, kind];
  }
  CLASS.lastIndex = at;
  const members = CLASS.exec(source)?.groups?.['members'];
  return members === undefined || !areKept(members)
    ? [source.charAt(at), null]
    : [`[${members}]`, 'atom'];
}

/** Whether none of the characters of a class is written otherwise in JSON. */
function areKept(members: string): boolean {
  const ranges = members.replaceAll(/\\(?=[[\]])/gu, '').matchAll(/(.)-(.)|./gsu);
  for (const [only, first = only, last = only] of ranges) {
    if (ESCAPED_IN_JSON.some((escaped) => first <= escaped && escaped <= last)) return false;
    if (first <= LAST_CONTROL) return false;
  }
  return true;
}

const ESCAPED_IN_JSON = ['"', '\\', '\u007F'];
const LAST_CONTROL = '\u001F';
const TOKENS: readonly (readonly [NonNullable<Token[1]>, RegExp])[] = [
  // Groups with a name or without a number are not known everywhere.
  ['open', /\((?!\?)/uy],
  ['close', /\)/uy],
  ['bar', /\|/uy],
  // A lazy one is not known everywhere.
  ['quantifier', /(?:[*+?]|\{\d+(?:,\d*)?\})(?!\?)/uy],
  ['atom', /[^\p{Cc}"\\^$.|?*+()[\]{}]|\\[$()*+.?[\]^{|}]/uy],
];
const CLASS = /\[(?!\^)(?<members>(?:[^\]\\]|\\[[\]])+)\]/uy;
