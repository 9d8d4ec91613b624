/** Whether a glob means a path; the parts of both are separated by `/`. */
export type Glob = (path: string) => boolean;

/**
 * Compiles a glob: `*` and `?` stay within a part of the path, `**` as a whole part stands for any number
 * of parts, `[a-z]` and `[!a-z]` for one character, and a backslash takes a character as it is.
 *
 * Matching takes time in proportion to the lengths of the glob and of the path, whatever the glob.
 */
export function compileGlob(pattern: string): Glob {
  const parts = splitParts(pattern).map(compilePart);
  // What ends in `**` is about the contents of a folder, and not about the folder.
  if (parts.length > 1 && parts.at(-1) === ANY_PARTS) parts.push(compilePart('*'));
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && only !== ANY_PARTS) {
    return (path) => !path.includes('/') && only(path);
  }
  const last = parts.at(-1);
  if (last === undefined || last === ANY_PARTS) return (path) => matchParts(parts, path.split('/'));
  // Most paths differ in their last part.
  return (path) =>
    last(path.slice(path.lastIndexOf('/') + 1)) && matchParts(parts, path.split('/'));
}

/** What is wrong with a glob; null for one that can be compiled. A bracket meant itself needs a backslash. */
export function globFault(pattern: string): string | null {
  if (pattern.length > MAX_GLOB) return `longer than ${MAX_GLOB} characters`;
  let braces = 0;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '\\') at++;
    else if (character === '{') braces++;
    else if (character === '}') braces = Math.max(0, braces - 1);
    else if (character === '[') {
      at = endOfClass(pattern, at);
      if (at < 0) return 'unclosed [; write \\[ for the character';
    }
  }
  if (braces > 0) return 'unclosed {; write \\{ for the character';
  return expandBraces(pattern) === null ? `more than ${MAX_FORMS} alternatives` : null;
}

/** The globs that a glob with `{a,b}` stands for; null when there are too many. */
export function expandBraces(pattern: string): readonly string[] | null {
  const done: string[] = [];
  const open = [pattern];
  for (let form = open.pop(); form !== undefined; form = open.pop()) {
    const group = firstGroup(form);
    if (group === null) done.push(form);
    else {
      const [start, end] = [form.slice(0, group.start), form.slice(group.end)];
      open.push(...group.choices.toReversed().map((choice) => start + choice + end));
    }
    if (done.length + open.length > MAX_FORMS) return null;
  }
  return done;
}

/** The first group that is closed, with its choices. */
function firstGroup(
  pattern: string,
): { readonly start: number; readonly end: number; readonly choices: readonly string[] } | null {
  let start = -1;
  let depth = 0;
  let from = 0;
  let choices: string[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '\\') at++;
    else if (character === '[') {
      const end = endOfClass(pattern, at);
      if (end > 0) at = end;
    } else if (character === '{') {
      if (depth++ > 0) continue;
      start = at;
      from = at + 1;
      choices = [];
    } else if (depth > 0 && (character === '}' || (character === ',' && depth === 1))) {
      if (character === '}' && --depth > 0) continue;
      choices.push(pattern.slice(from, at));
      from = at + 1;
      if (depth === 0) return { start, end: at + 1, choices };
    }
  }
  return null;
}

type Part = typeof ANY_PARTS | ((name: string) => boolean);

/** Parts between slashes; one inside of brackets is a member of them. */
function splitParts(pattern: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === '[') {
      const end = endOfClass(pattern, at);
      if (end > 0) at = end;
    } else if (pattern[at] === '/') {
      parts.push(pattern.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, pattern.slice(from)];
}

function matchParts(parts: readonly Part[], names: readonly string[]): boolean {
  let part = 0;
  let name = 0;
  let lastAny = -1;
  let tried = 0;
  // The last `**` may take one name more each time what follows it does not fit: none before it has to.
  while (name < names.length) {
    const current = parts[part];
    if (current === ANY_PARTS) {
      lastAny = part++;
      tried = name;
    } else if (current?.(names[name] ?? '') === true) {
      part++;
      name++;
    } else if (lastAny >= 0) {
      part = lastAny + 1;
      name = ++tried;
    } else return false;
  }
  while (parts[part] === ANY_PARTS) part++;
  return part === parts.length;
}

function compilePart(text: string): Part {
  if (text === '**') return ANY_PARTS;
  if (!/[*?[\\]/.test(text)) return (name) => name === text;
  const tail = text.slice(1);
  if (text.startsWith('*') && !/[*?[\\]/.test(tail)) return (name) => name.endsWith(tail);
  const tokens = tokensOf(text);
  return tokens === null ? () => false : (name) => matchTokens(tokens, name);
}

/** One character: itself, any, any number, or one of a class. */
type Token = string | typeof ANY | typeof STAR | ((character: string) => boolean);

/** Null for what can match nothing: a bracket or a backslash without an end. */
function tokensOf(text: string): readonly Token[] | null {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = characterAt(text, at);
    if (character === '*') tokens.push(STAR);
    else if (character === '?') tokens.push(ANY);
    else if (character === '[') {
      const end = endOfClass(text, at);
      if (end < 0) return null;
      tokens.push(classOf(text.slice(at + 1, end)));
      at = end;
    } else if (character === '\\') {
      const next = characterAt(text, ++at);
      if (next === '') return null;
      tokens.push(next);
      at += next.length - 1;
    } else {
      tokens.push(character);
      at += character.length - 1;
    }
  }
  return tokens;
}

function matchTokens(tokens: readonly Token[], name: string): boolean {
  let token = 0;
  let at = 0;
  let lastStar = -1;
  let tried = 0;
  while (at < name.length) {
    const current = tokens[token];
    const character = characterAt(name, at);
    if (current === STAR) {
      lastStar = token++;
      tried = at;
    } else if (current === ANY || current === character || isIn(current, character)) {
      token++;
      at += character.length;
    } else if (lastStar >= 0) {
      token = lastStar + 1;
      tried += characterAt(name, tried).length;
      at = tried;
    } else return false;
  }
  while (tokens[token] === STAR) token++;
  return token === tokens.length;
}

function isIn(token: Token | undefined, character: string): boolean {
  return typeof token === 'function' && token(character);
}

function classOf(text: string): (character: string) => boolean {
  const isNegated = /^[!^]/.test(text);
  const members = Array.from(isNegated ? text.slice(1) : text);
  const ranges: (readonly [string, string])[] = [];
  for (let at = 0; at < members.length; at++) {
    if (members[at] === '\\' && at + 1 < members.length) at++;
    const first = members[at] ?? '';
    let last = first;
    if (members[at + 1] === '-' && at + 2 < members.length) {
      at += members[at + 2] === '\\' && at + 3 < members.length ? 3 : 2;
      last = members[at] ?? first;
    }
    ranges.push([first, last]);
  }
  return (character) =>
    ranges.some(([first, last]) => first <= character && character <= last) !== isNegated;
}

/** Where a class ends that begins at a place; a bracket right after its beginning is a member. */
function endOfClass(pattern: string, start: number): number {
  let at = start + 1;
  if (pattern[at] === '!' || pattern[at] === '^') at++;
  if (pattern[at] === ']') at++;
  for (; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === ']') return at;
  }
  return -1;
}

/** A whole character, which may be two units. */
function characterAt(text: string, at: number): string {
  const unit = text.charCodeAt(at);
  if (unit < 0xd800 || unit > 0xdbff) return text.charAt(at);
  const next = text.charCodeAt(at + 1);
  return next >= 0xdc00 && next <= 0xdfff ? text.slice(at, at + 2) : text.charAt(at);
}

const ANY_PARTS = Symbol('**');
const STAR = Symbol('*');
const ANY = Symbol('?');
const MAX_GLOB = 4096;
const MAX_FORMS = 1024;
