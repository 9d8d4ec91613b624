/** Characters of a glob at most: an open bracket is looked for to the end, a class compared range by range. */
export const MAX_GLOB = 1000;

/** Whether a path matches. */
export type Glob = (path: string) => boolean;

/**
 * Compiles a glob: `*` and `?` stay inside one name, `**` stands for any number of folders, `[a-z]` and
 * `[!a-z]` for one character. A glob without a slash is held against the last name of the path, every
 * other against the whole path. Matching takes time proportional to pattern × path, whatever the pattern.
 */
export function compileGlob(glob: string): Glob {
  const trimmed = glob.replace(/^\.?\/+/, '');
  const parts = trimmed.split('/').map(compilePart);
  if (parts.length === 1 && parts[0] !== ANY_FOLDERS) {
    const [only] = parts;
    return (path) => matchPart(only ?? [], path.slice(path.lastIndexOf('/') + 1));
  }
  return (path) => matchParts(parts, path.split('/'));
}

type Token = '*' | '?' | { readonly text: string } | CharacterClass;

interface CharacterClass {
  readonly isNegated: boolean;
  readonly ranges: readonly (readonly [string, string])[];
}

const ANY_FOLDERS: readonly Token[] = Object.freeze([]);

function compilePart(part: string): readonly Token[] {
  if (part === '**') return ANY_FOLDERS;
  const tokens: Token[] = [];
  const characters = Array.from(part);
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    const group = character === '[' ? readClass(characters, at) : null;
    if (group !== null) {
      tokens.push(group.token);
      at = group.end;
    } else if (character === '*') {
      // Several stars in a row mean the same as one.
      if (tokens[tokens.length - 1] !== '*') tokens.push('*');
    } else if (character === '?') {
      tokens.push('?');
    } else if (character === '\\' && at + 1 < characters.length) {
      tokens.push({ text: characters[++at] ?? '' });
    } else {
      tokens.push({ text: character });
    }
  }
  return tokens;
}

/** Null when the bracket is never closed, and then it is a character like any other. */
function readClass(
  characters: readonly string[],
  start: number,
): { readonly token: CharacterClass; readonly end: number } | null {
  let at = start + 1;
  const isNegated = characters[at] === '!' || characters[at] === '^';
  if (isNegated) at++;
  const ranges: [string, string][] = [];
  for (let first = true; at < characters.length; first = false) {
    const from = characters[at] ?? '';
    if (from === ']' && !first) return { token: { isNegated, ranges }, end: at };
    const to = characters[at + 2];
    if (characters[at + 1] === '-' && to !== undefined && to !== ']') {
      ranges.push([from, to]);
      at += 3;
    } else {
      ranges.push([from, from]);
      at++;
    }
  }
  return null;
}

/** Goes back to the last star only: a match further left could not do better. */
function matchPart(tokens: readonly Token[], name: string): boolean {
  const characters = Array.from(name);
  let [token, at, star, starAt] = [0, 0, -1, 0];
  while (at < characters.length) {
    const wanted = tokens[token];
    if (wanted === '*') {
      star = token++;
      starAt = at;
    } else if (wanted !== undefined && matchOne(wanted, characters[at] ?? '')) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  while (tokens[token] === '*') token++;
  return token === tokens.length;
}

function matchParts(parts: readonly (readonly Token[])[], names: readonly string[]): boolean {
  let [part, at, folders, foldersAt] = [0, 0, -1, 0];
  while (at < names.length) {
    const wanted = parts[part];
    if (wanted === ANY_FOLDERS) {
      folders = part++;
      foldersAt = at;
    } else if (wanted !== undefined && matchPart(wanted, names[at] ?? '')) {
      part++;
      at++;
    } else if (folders >= 0) {
      part = folders + 1;
      at = ++foldersAt;
    } else {
      return false;
    }
  }
  // At its end `**` stands for what is inside a folder, not for the folder itself.
  return part === parts.length;
}

function matchOne(token: Token, character: string): boolean {
  if (token === '?') return true;
  if (token === '*') return false;
  if ('text' in token) return token.text === character;
  return (
    token.isNegated !== token.ranges.some(([from, to]) => from <= character && character <= to)
  );
}
