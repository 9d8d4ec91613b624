/** The name of a path on one side of a patch, quoted as git quotes it where it must be. */
export function patchName(
  side: 'a' | 'b',
  path: string,
): {
  /** As it stands in the first line of a section. */
  readonly text: string;
  /** As it stands behind `---` and `+++`, where a blank would end it. */
  readonly line: string;
} {
  const name = `${side}/${path}`;
  if (PLAIN.test(name)) return { text: name, line: name.includes(' ') ? `${name}\t` : name };
  let quoted = '';
  for (const byte of Buffer.from(name)) quoted += quote(byte);
  return { text: `"${quoted}"`, line: `"${quoted}"` };
}

function quote(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === '"' || character === '\\') return `\\${character}`;
  if (byte >= 0x20 && byte < 0x7f) return character;
  return `\\${byte.toString(8).padStart(3, '0')}`;
}

const PLAIN = /^[ !#-[\]-~]+$/;
