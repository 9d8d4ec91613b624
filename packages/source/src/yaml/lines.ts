/** Offset at which the line of an offset begins. */
export function lineStartOf(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** Offset of the first character behind the indentation of an offset's line. */
export function indentOf(text: string, offset: number): number {
  let at = lineStartOf(text, offset);
  while (text[at] === ' ') at += 1;
  return at;
}
