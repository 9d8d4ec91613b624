/**
 * Reads a path as git writes it: as it is, or in double quotes with escapes. Gives bytes; null when the
 * quotes do not end.
 */
export function readQuoted(text: string): { readonly path: string; readonly rest: string } | null {
  if (!text.startsWith('"')) return null;
  let path = '';
  for (let at = 1; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '"') return { path, rest: text.slice(at + 1) };
    if (character !== '\\') {
      path += character;
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(text.slice(at + 1, at + 4))?.[0];
    if (octal !== undefined) {
      path += String.fromCharCode(Number.parseInt(octal, 8));
      at += 3;
      continue;
    }
    const escaped = ESCAPES.get(text[at + 1] ?? '');
    if (escaped === undefined) return null;
    path += escaped;
    at++;
  }
  return null;
}

/** Writes a path, given as bytes, as git does by default: quoted when a byte would not be read as it is. */
export function quotePath(path: string): string {
  let quoted = '';
  for (const character of path) {
    const code = character.charCodeAt(0);
    const name = NAMES.get(character);
    if (name !== undefined) quoted += `\\${name}`;
    else if (code < 0x20 || code >= 0x7f) quoted += `\\${code.toString(8).padStart(3, '0')}`;
    else quoted += character;
  }
  return quoted === path ? path : `"${quoted}"`;
}

const ESCAPES = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['"', '"'],
  ['\\', '\\'],
]);
const NAMES = new Map([...ESCAPES].map(([name, character]) => [character, name]));
