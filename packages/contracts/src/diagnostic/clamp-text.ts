/** Cuts a text to a number of UTF-8 bytes, between characters; a cut ends with `[truncated]`, counted in. */
export function clampText(text: string, maxBytes: number): string {
  // Three bytes a code unit is the most that UTF-8 takes.
  if (text.length * 3 <= maxBytes) return text;
  let bytes = 0;
  let kept = 0;
  for (const character of text) {
    bytes += byteLength(character);
    if (bytes > maxBytes) return `${text.slice(0, kept)}${MARKER}`;
    if (bytes <= maxBytes - MARKER.length) kept += character.length;
  }
  return text;
}

function byteLength(character: string): number {
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}

const MARKER = '[truncated]';
