import { toolFault } from '../tool-fault.ts';
import { type PatternWays, type PortablePattern, translatePattern } from './translate-pattern.ts';

/** How a pattern is meant. */
export interface PatternOptions {
  /** The pattern is the text itself. */
  readonly isLiteral: boolean;
  readonly ignoresCase: boolean;
}

/** What is looked for in lines. */
export interface LinePattern {
  /** Whether a line fits; `isAscii` says that every character of it is below 0x80. */
  readonly fits: (line: string, isAscii: boolean) => boolean;
  /** Whether a line of a text may fit; quicker than to look at each. */
  readonly mayFit: (text: string, isAscii: boolean) => boolean;
  /** Bytes that every line that fits holds, in a text that is UTF-8; empty when nothing is known. */
  readonly required: Buffer;
  /**
   * Steps of which matching takes no more in a text, however unlucky; infinite where that is not known, and
   * none where it is always little.
   */
  readonly mostSteps: (text: string) => number;
  /**
   * A pattern of ripgrep that fits every line that fits here; null when there is none. What it finds is
   * still to be looked at.
   */
  readonly ripgrep: { readonly source: string; readonly ignoresCase: boolean } | null;
}

/**
 * Compiles what a model searches for. What ripgrep and JavaScript both understand means what it means to
 * ripgrep; beyond that it is a JavaScript expression, which may look ahead and back.
 *
 * @throws `tool/invalid_arguments` for an expression that is none, and for forms that would be read as
 * something else than they mean elsewhere.
 */
export function compilePattern(pattern: string, options: PatternOptions): LinePattern {
  if (pattern.includes('\n')) {
    throw invalid(pattern, 'the search goes line by line, so it must not hold a line break');
  }
  const meant = options.isLiteral ? pattern.replaceAll(SPECIAL, String.raw`\$&`) : pattern;
  const portable = translatePattern(meant);
  if (portable !== null) return ofPortable(portable, options.ignoresCase || portable.ignoresCase);
  const expression = options.isLiteral
    ? new RegExp(meant, options.ignoresCase ? 'i' : '')
    : compileForeign(pattern, options.ignoresCase);
  return {
    fits: (line) => expression.test(line),
    mayFit: () => true,
    required: Buffer.alloc(0),
    mostSteps: () => (options.isLiteral ? 0 : Number.POSITIVE_INFINITY),
    ripgrep: null,
  };
}

function ofPortable(portable: PortablePattern, ignoresCase: boolean): LinePattern {
  const flags = ignoresCase ? 'iv' : 'v';
  const ascii = new RegExp(portable.ascii, flags);
  const asciiLines = new RegExp(portable.ascii, `m${flags}`);
  const unicode = new RegExp(portable.unicode, flags);
  const unicodeLines = new RegExp(portable.unicode, `m${flags}`);
  return {
    fits: (line, isAscii) => (isAscii ? ascii : unicode).test(line),
    mayFit: (text, isAscii) => (isAscii ? asciiLines : unicodeLines).test(text),
    required: Buffer.from(ignoresCase ? '' : portable.required),
    mostSteps: (text) => mostSteps(portable.ways, text),
    ripgrep: { source: portable.ripgrep, ignoresCase },
  };
}

/** No part of a match reaches beyond its line, since nothing in a portable pattern fits a line feed. */
function mostSteps({ length, choices, repeats }: PatternWays, text: string): number {
  if (repeats === 0 && choices <= FEW_CHOICES) return 0;
  if (repeats === Number.POSITIVE_INFINITY) return repeats;
  return (text.length + 1) * length * choices * (longestLine(text) + 1) ** repeats;
}

function longestLine(text: string): number {
  let longest = 0;
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed;
    longest = Math.max(longest, end - start);
    start = end + 1;
  }
  return longest;
}

function compileForeign(pattern: string, ignoresCase: boolean): RegExp {
  const { source, ignoresCase: asksFor } = translate(pattern);
  const flags = ignoresCase || asksFor ? 'i' : '';
  const strict = compile(source, `${flags}u`);
  if (strict instanceof RegExp) return strict;
  const foreign = FOREIGN.exec(source.replaceAll(String.raw`\\`, '..'))?.[0];
  if (foreign !== undefined) throw invalid(pattern, `${foreign} means nothing here`);
  // The loose form takes an escape of punctuation, and a brace that repeats nothing, for the character.
  const loose = compile(source, flags);
  if (loose instanceof RegExp) return loose;
  throw invalid(pattern, loose);
}

function compile(source: string, flags: string): RegExp | string {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    // The caller has a second way, and a message for the model.
    const message = error instanceof Error ? error.message : '';
    return message.slice(message.lastIndexOf(': ') + 2).toLowerCase();
  }
}

function translate(pattern: string): { readonly source: string; readonly ignoresCase: boolean } {
  const ignoresCase = pattern.startsWith('(?i)');
  const source = (ignoresCase ? pattern.slice(4) : pattern).replaceAll(
    /\\[^AzZ]|\\([AzZ])|\(\?P<|\[:(\w+):\]/g,
    (form, anchor?: string, kind?: string) => {
      if (anchor !== undefined) return ANCHORS[anchor] ?? form;
      if (kind !== undefined) return CLASSES[kind] ?? form;
      return form === '(?P<' ? '(?<' : form;
    },
  );
  return { source, ignoresCase };
}

function invalid(pattern: string, reason: string): Error {
  return toolFault(
    'invalid_arguments',
    `Invalid regular expression: ${pattern.slice(0, 500)} (${reason}). Mend it, or set literal to search for the text itself.`,
  );
}

const ANCHORS: { readonly [letter: string]: string } = { A: '^', z: '$', Z: '$' };
const CLASSES: { readonly [name: string]: string } = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  blank: ' \\t',
  digit: '0-9',
  lower: 'a-z',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\s',
  upper: 'A-Z',
  word: '\\w',
  xdigit: 'A-Fa-f0-9',
};
/** Escapes of letters that the loose form would take for the letter. */
const FOREIGN = /\\(?:[aeghijlmoqyCEFGHIJKLMNOQRTUVXY]|[pP](?!\{))/;
const FEW_CHOICES = 16;
const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;
