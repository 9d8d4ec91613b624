/** A pattern in the forms that both engines read the same way. */
export interface PortablePattern {
  /** For text in which every character is below 0x80. */
  readonly ascii: string;
  /** For any text, with the `v` flag. */
  readonly unicode: string;
  /** For ripgrep: fits every line that the others fit, and hardly any more. */
  readonly ripgrep: string;
  /** Text that every match holds. */
  readonly required: string;
  readonly ignoresCase: boolean;
  /** How many ways there are to match it, from any one place. */
  readonly ways: PatternWays;
}

/** What trying each way to match costs at most, in a line of so many characters. */
export interface PatternWays {
  /** Things one after another that are tried on one way. */
  readonly length: number;
  /** Ways apart from repetitions. */
  readonly choices: number;
  /** Repetitions, each of which multiplies the ways by the length of the line; infinite for nested ones. */
  readonly repeats: number;
}

/**
 * Translates a pattern of which JavaScript and ripgrep understand the same; null for any other, such as one
 * with a look-ahead. Where they differ in what a form means, ripgrep's meaning counts: `\w`, `\d`, `\s` and
 * `\b` go by Unicode, and nothing but itself fits a byte that is no text. Nothing fits a line feed, since the
 * search goes line by line.
 */
export function translatePattern(pattern: string): PortablePattern | null {
  if (/[\n\ufffd]|\p{Surrogate}/u.test(pattern)) return null;
  const ignoresCase = pattern.startsWith('(?i)');
  const reader = { text: ignoresCase ? pattern.slice(4) : pattern, at: 0 };
  const out: Output = { ascii: '', unicode: '', ripgrep: '', runs: [''], hasChoice: false };
  const groups: Group[] = [];
  let body: Group = { hasChoice: false, alternatives: 1 };
  const ways = { length: 1, choices: 1, repeats: 0 };
  const choose = (repeat: string, isFixed: boolean) => {
    if (repeat === '') return;
    body.hasChoice = true;
    if (repeat === '?' || repeat === '??') ways.choices *= 2;
    else ways.repeats += isFixed ? 1 : Number.POSITIVE_INFINITY;
  };
  while (reader.at < reader.text.length) {
    const group = take(reader, GROUP);
    if (group !== null) {
      groups.push(body);
      body = { hasChoice: false, alternatives: 1 };
      emit(out, '(?:');
      breakRun(out);
      continue;
    }
    if (take(reader, /\)/y) !== null) {
      const outer = groups.pop();
      if (outer === undefined) return null;
      emit(out, ')');
      const repeat = repeatAfter(reader);
      if (repeat === null) return null;
      const isFixed = !body.hasChoice && !repeat.startsWith('{');
      outer.hasChoice ||= body.hasChoice;
      ways.choices *= body.alternatives;
      body = outer;
      choose(repeat, isFixed);
      emit(out, repeat);
    } else if (take(reader, /\|/y) !== null) {
      out.hasChoice ||= groups.length === 0;
      body.hasChoice = true;
      body.alternatives++;
      emit(out, '|');
    } else {
      const anchor = take(reader, ANCHOR);
      if (anchor !== null) {
        breakRun(out);
        emitForms(out, ANCHORS[anchor[0]] ?? ANCHORS['^']);
        ways.length++;
        // An anchor that repeats means different things.
        if (take(reader, REPEAT) !== null) return null;
        continue;
      }
      const atom = readAtom(reader);
      if (atom === null) return null;
      const isLiteral = atom.literal !== undefined && groups.length === 0;
      const repeat = repeatAfter(reader);
      if (repeat === null) return null;
      if (isLiteral && repeat === '') out.runs[out.runs.length - 1] += atom.literal;
      else breakRun(out);
      emitForms(out, atom);
      ways.length++;
      choose(repeat, true);
      emit(out, repeat);
    }
  }
  if (groups.length > 0) return null;
  ways.choices *= body.alternatives;
  const required = out.hasChoice || ignoresCase ? '' : longest(out.runs);
  const { ascii, unicode, ripgrep } = out;
  return { ascii, unicode, ripgrep, required, ignoresCase, ways };
}

/** One thing in each of the forms. */
interface Forms {
  readonly ascii: string;
  readonly unicode: string;
  readonly ripgrep: string;
}

interface Output {
  ascii: string;
  unicode: string;
  ripgrep: string;
  /** Plain text outside of groups, in pieces that stand together. */
  readonly runs: string[];
  hasChoice: boolean;
}

/** What is between two brackets, or outside of all. */
interface Group {
  /** Whether there are several ways to match it. */
  hasChoice: boolean;
  alternatives: number;
}

interface Reader {
  readonly text: string;
  at: number;
}

function emit(out: Output, text: string): void {
  emitForms(out, { ascii: text, unicode: text, ripgrep: text });
}

function emitForms(out: Output, forms: Forms | undefined): void {
  if (forms === undefined) return;
  out.ascii += forms.ascii;
  out.unicode += forms.unicode;
  out.ripgrep += forms.ripgrep;
}

function breakRun(out: Output): void {
  out.runs.push('');
}

function longest(texts: readonly string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), '');
}

function take(reader: Reader, form: RegExp): RegExpExecArray | null {
  form.lastIndex = reader.at;
  const found = form.exec(reader.text);
  if (found !== null) reader.at = form.lastIndex;
  return found;
}

/** The repetition at this place; null for one that the dialects read differently. */
function repeatAfter(reader: Reader): string | null {
  const repeat = take(reader, REPEAT)?.[0] ?? '';
  if (take(reader, /[*+?]|\{[\d,]+\}/y) !== null) return null;
  const [least, most] = (/\{(\d+)(?:,(\d+))?/.exec(repeat) ?? []).slice(1).map(Number);
  if ((least ?? 0) > MAX_REPEAT || (most ?? 0) > MAX_REPEAT) return null;
  return most !== undefined && least !== undefined && most < least ? null : repeat;
}

function readAtom(reader: Reader): (Forms & { readonly literal?: string }) | null {
  if (take(reader, /\./y) !== null) return DOT;
  const kind = KINDS[take(reader, KIND)?.[1] ?? ''];
  if (kind !== undefined) return outside(kind);
  if (take(reader, /\[/y) !== null) return readClass(reader);
  const character = readCharacter(reader, PLAIN);
  if (character === null) return null;
  const escaped = escape(character);
  return { ascii: escaped, unicode: escaped, ripgrep: escaped, literal: character };
}

function outside(kind: Kind): Forms {
  return {
    ascii: kind.isNegated ? `[^${kind.ascii}${FEED}]` : `[${kind.ascii}]`,
    unicode: kind.isNegated ? `[^${kind.unicode}${NO_TEXT}${FEED}]` : `[${kind.unicode}]`,
    ripgrep: kind.ripgrep,
  };
}

/** The rest of a class behind its bracket. */
function readClass(reader: Reader): Forms | null {
  const isNegated = take(reader, /\^/y) !== null;
  let ascii = '';
  let unicode = '';
  let ripgrep = '';
  const addAll = (text: string) => {
    ascii += text;
    unicode += text;
    ripgrep += text;
  };
  if (take(reader, /\]/y) !== null) addAll('\\]');
  while (take(reader, /\]/y) === null) {
    const posix = take(reader, /\[:(\w+):\]/y)?.[1];
    const kind = posix === undefined ? KINDS[take(reader, KIND)?.[1] ?? ''] : undefined;
    const ranges = POSIX[posix ?? ''];
    if (ranges !== undefined) addAll(ranges);
    else if (posix !== undefined) return null;
    else if (kind !== undefined) {
      const forms = outside(kind);
      ascii += forms.ascii;
      unicode += forms.unicode;
      ripgrep += forms.ripgrep;
    } else {
      const first = readMember(reader);
      if (first === null) return null;
      if (take(reader, /-(?!\])/y) === null) {
        addAll(escape(first));
        continue;
      }
      const last = readMember(reader);
      if (last === null || codeOf(last) < codeOf(first)) return null;
      addAll(range(first, last));
    }
  }
  return isNegated
    ? {
        ascii: `[^${ascii}${FEED}]`,
        unicode: `[^${unicode}${NO_TEXT}${FEED}]`,
        ripgrep: `[^${ripgrep}]`,
      }
    : { ascii: `[${ascii}]`, unicode: `[${unicode}]`, ripgrep: `[${ripgrep}]` };
}

/** The characters from one to another, without the line feed. */
function range(first: string, last: string): string {
  return first < '\n' && last > '\n'
    ? `${escape(first)}-\\u{9}\\u{b}-${escape(last)}`
    : `${escape(first)}-${escape(last)}`;
}

function readMember(reader: Reader): string | null {
  // Double operators and inner brackets make sets of sets in ripgrep.
  if (take(reader, /&&|--|~~|\[/y) !== null) return null;
  if (take(reader, /-(?=\])/y) !== null) return '-';
  return readCharacter(reader, MEMBER);
}

/** One character, itself or escaped. */
function readCharacter(reader: Reader, plain: RegExp): string | null {
  const itself = take(reader, plain)?.[0];
  if (itself !== undefined) return itself;
  const hex = take(reader, HEX);
  if (hex !== null) {
    const code = Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '', 16);
    const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter && code !== 0x0a && code !== 0xfffd ? String.fromCodePoint(code) : null;
  }
  const control = take(reader, /\\([tfvr])/y)?.[1];
  if (control !== undefined) return CONTROLS[control] ?? null;
  return take(reader, PUNCTUATION)?.[1] ?? null;
}

/** A character as both dialects take it for itself, in and out of classes. */
function escape(character: string): string {
  return /[\p{L}\p{N} ]/u.test(character) && character !== '\ufffd'
    ? character
    : // Digits of hexadecimal numbers are the same in both.
      hexadecimal(codeOf(character));
}

function hexadecimal(code: number): string {
  return `\\u{${code.toString(16)}}`;
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

interface Kind extends Forms {
  readonly isNegated: boolean;
}

/** Stands for bytes that are no text once they are decoded; no class fits those. */
const NO_TEXT = '\\u{fffd}';
const FEED = '\\u{a}';
const WORD = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}';
const SPACE = `[\\p{White_Space}--${FEED}]`;
const DIGIT = '\\p{Nd}';
const KINDS: { readonly [letter: string]: Kind } = {
  w: { ascii: '0-9A-Za-z_', unicode: WORD, ripgrep: '\\w', isNegated: false },
  W: { ascii: '0-9A-Za-z_', unicode: WORD, ripgrep: '\\W', isNegated: true },
  d: { ascii: '0-9', unicode: DIGIT, ripgrep: '\\d', isNegated: false },
  D: { ascii: '0-9', unicode: DIGIT, ripgrep: '\\D', isNegated: true },
  s: { ascii: '\\t\\v-\\r ', unicode: SPACE, ripgrep: '\\s', isNegated: false },
  S: { ascii: '\\t\\v-\\r ', unicode: SPACE, ripgrep: '\\S', isNegated: true },
};
const POSIX: { readonly [name: string]: string } = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  blank: ' \\t',
  digit: '0-9',
  lower: 'a-z',
  punct: '\\u{21}-\\u{2f}\\u{3a}-\\u{40}\\u{5b}-\\u{60}\\u{7b}-\\u{7e}',
  space: '\\t\\v-\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: 'A-Fa-f0-9',
};
const EDGE = `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`;
const INNER = `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`;
const START: Forms = { ascii: '^', unicode: '^', ripgrep: '^' };
const END: Forms = { ascii: '$', unicode: '$', ripgrep: '$' };
const ANCHORS: { readonly [form: string]: Forms } = {
  '^': START,
  '\\A': START,
  $: END,
  '\\z': END,
  '\\Z': END,
  '\\b': { ascii: '\\b', unicode: EDGE, ripgrep: '\\b' },
  // Next to bytes that are no text the dialects differ; ripgrep may find more.
  '\\B': { ascii: '\\B', unicode: INNER, ripgrep: '' },
};
const DOT: Forms = { ascii: '[^\\n]', unicode: `[^\\n${NO_TEXT}]`, ripgrep: '.' };
const CONTROLS: { readonly [letter: string]: string } = { t: '\t', f: '\f', v: '\v', r: '\r' };
const GROUP = /\((?:\?:|\?P?<[A-Za-z_]\w*>|(?!\?))/y;
const ANCHOR = /\^|\$|\\[AzZbB]/y;
const REPEAT = /(?:[*+?]|\{\d{1,5}(?:,\d{0,5})?\})\??/y;
const KIND = /\\([wWdDsS])/y;
const PLAIN = /[^\\.^$|?*+()[]/uy;
const MEMBER = /[^\\[\]]/uy;
const HEX = /\\(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|[xu]\{([\dA-Fa-f]{1,6})\})/y;
const PUNCTUATION = /\\([!-/:-@[-`{-~])/y;
const MAX_REPEAT = 1000;
