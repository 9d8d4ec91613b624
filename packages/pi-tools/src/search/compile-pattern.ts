import { toolFault } from '../tool-fault.ts';

/** How a pattern is meant. */
export interface PatternOptions {
  /** The pattern is the text itself. */
  readonly isLiteral: boolean;
  readonly ignoresCase: boolean;
}

/**
 * Compiles what a model searches for: a JavaScript expression, with the forms of other dialects that
 * have an exact counterpart in it.
 *
 * @throws `tool/invalid_arguments` for an expression that is none, and for forms that would be read as
 * something else than they mean elsewhere.
 */
export function compilePattern(pattern: string, options: PatternOptions): RegExp {
  if (pattern.includes('\n')) {
    throw invalid(pattern, 'the search goes line by line, so it must not hold a line break');
  }
  if (options.isLiteral) {
    return new RegExp(pattern.replaceAll(SPECIAL, String.raw`\$&`), options.ignoresCase ? 'i' : '');
  }
  const { source, ignoresCase } = translate(pattern);
  const flags = options.ignoresCase || ignoresCase ? 'i' : '';
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
const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;
