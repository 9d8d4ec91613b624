/** One character as a terminal shows it. */
export interface Glyph {
  /** What is written; a tab is written as spaces. */
  readonly text: string;
  /** Columns that it takes: 0 for a mark on the character before, 2 for a wide one. */
  readonly width: number;
}

/** The characters of a line, one per Unicode code point, so that columns of a span are indices. */
export function glyphsOf(line: string): readonly Glyph[] {
  return Array.from(line, toGlyph);
}

/** Text of somebody else on one line, without anything by which it could take hold of a terminal. */
export function plain(text: string): string {
  return Array.from(text, (character) => toGlyph(character).text).join('');
}

function toGlyph(character: string): Glyph {
  if (character === '\t') return TAB;
  if (CONTROL.test(character)) return REPLACEMENT;
  if (MARK.test(character)) return { text: character, width: 0 };
  return { text: character, width: WIDE.test(character) ? 2 : 1 };
}

const TAB: Glyph = { text: '    ', width: 4 };
const REPLACEMENT: Glyph = { text: '\ufffd', width: 1 };
/** Controls, half characters, line separators, and the marks that turn the direction of text around. */
const CONTROL = /^[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]$/u;
/** Marks and joiners, which take no column of their own. */
const MARK = /^(?:\p{Mn}|\p{Me}|[\u200b\u200c\u2060\ufeff]|\u200d)$/u;
/** Scripts and pictures that terminals show in two columns. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u;
