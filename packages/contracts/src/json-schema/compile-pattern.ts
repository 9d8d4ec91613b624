import { createMatcher, type Instruction, MATCH } from './match-pattern.ts';

/** What keeps a regular expression out of the accepted subset. */
export type PatternFault =
  | 'length'
  | 'syntax'
  | 'reference'
  | 'look-around'
  | 'depth'
  | 'escape'
  | 'states';

/** A test for texts, or what keeps the pattern from being one; `patternFaultText` words it. */
export type CompilePatternResult =
  | { readonly ok: true; readonly test: (text: string) => boolean }
  | { readonly ok: false; readonly fault: PatternFault };

/**
 * Compiles a regular expression of the accepted subset to a test that never goes back in the text.
 *
 * Has literals, classes, `^`, `$`, groups, alternatives and quantifiers, in the syntax of JavaScript with the flag
 * `u`; matches anywhere in the text. Refuses lookaround, back references, word boundaries, more than 2,048
 * characters, 64 nested groups and 1,024 states.
 */
export function compilePattern(source: string): CompilePatternResult {
  if (source.length > MAX_PATTERN_LENGTH) return { ok: false, fault: 'length' };
  if (!isRegularExpression(source)) return { ok: false, fault: 'syntax' };
  const parser: Parser = { source, at: 0, depth: 0, program: [], fault: null };
  parseAlternatives(parser);
  append(parser, [{ kind: MATCH }]);
  const { fault } = parser;
  return fault === null ? { ok: true, test: createMatcher(parser.program) } : { ok: false, fault };
}

/** Proves the syntax, so that the parser need not; the expression is never run. */
function isRegularExpression(source: string): boolean {
  try {
    return RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

interface Parser {
  readonly source: string;
  at: number;
  depth: number;
  /** What was parsed; forks name their targets by distance, so that a stretch can be moved and repeated. */
  readonly program: Instruction[];
  fault: PatternFault | null;
}

function parseAlternatives(parser: Parser): void {
  const { program, source } = parser;
  const start = program.length;
  const parts: Instruction[][] = [];
  do {
    // The bar in front of every part but the first.
    if (parts.length > 0) parser.at++;
    parseSequence(parser);
    parts.push(program.splice(start));
  } while (source[parser.at] === '|');
  let left = parts.reduce((sum, part) => sum + part.length + 2, -2);
  for (const [index, part] of parts.entries()) {
    if (index === parts.length - 1) append(parser, part);
    else {
      append(parser, [fork(1, part.length + 2), ...part, fork(left - part.length - 1)]);
      left -= part.length + 2;
    }
  }
}

function parseSequence(parser: Parser): void {
  while (parser.fault === null && parser.at < parser.source.length) {
    const next = parser.source[parser.at];
    if (next === '|' || next === ')') return;
    const start = parser.program.length;
    parseAtom(parser);
    parseQuantifier(parser, start);
  }
}

/** Repeats what was parsed since `start`. */
function parseQuantifier(parser: Parser, start: number): void {
  const [text, mark, low, comma, high] = matchAt(QUANTIFIER, parser) ?? [];
  if (text === undefined) return;
  parser.at += text.length;
  const part = parser.program.splice(start);
  // Nothing is nothing, however often.
  if (part.length === 0) return;
  const min = mark === undefined ? Number(low) : mark === '+' ? 1 : 0;
  const isOpen = mark === undefined ? comma !== undefined && !high : mark !== '?';
  for (let count = 0; count < min && parser.fault === null; count++) append(parser, part);
  if (isOpen) {
    append(parser, [fork(1, part.length + 2), ...part, fork(-1 - part.length)]);
    return;
  }
  const max = mark === undefined ? Number(comma === undefined ? low : high) : 1;
  for (let count = min; count < max && parser.fault === null; count++) {
    append(parser, [fork(1, (max - count) * (part.length + 1)), ...part]);
  }
}

function parseAtom(parser: Parser): void {
  const mark = parser.source.charAt(parser.at);
  switch (mark) {
    case '(':
      return parseGroup(parser);
    case '^':
    case '$':
      parser.at++;
      return append(parser, [{ kind: mark === '^' ? 'start' : 'end' }]);
    case '.':
      return take('.', parser);
    case '[':
      return take(matchAt(CLASS, parser)?.[0], parser);
    case '\\':
      if (matchAt(REFUSED_ESCAPE, parser) === null) {
        return take(matchAt(ESCAPE, parser)?.[0], parser);
      }
      parser.fault = 'reference';
      return;
    default: {
      const codePoint = parser.source.codePointAt(parser.at) ?? 0;
      parser.at += codePoint > 0xffff ? 2 : 1;
      append(parser, [{ kind: 'class', source: `\\u{${codePoint.toString(16)}}` }]);
    }
  }
}

function parseGroup(parser: Parser): void {
  const opening = matchAt(GROUP, parser)?.[0];
  if (opening === undefined || parser.depth === MAX_PATTERN_DEPTH) {
    parser.fault = opening === undefined ? 'look-around' : 'depth';
    return;
  }
  parser.at += opening.length;
  parser.depth++;
  parseAlternatives(parser);
  parser.depth--;
  // The closing parenthesis, which valid syntax has.
  parser.at++;
}

/** A class or an escape, judged by the engine one character at a time. */
function take(source: string | undefined, parser: Parser): void {
  if (source === undefined) {
    parser.fault = 'escape';
    return;
  }
  parser.at += source.length;
  append(parser, [{ kind: 'class', source }]);
}

function matchAt(pattern: RegExp, parser: Parser): RegExpExecArray | null {
  pattern.lastIndex = parser.at;
  return pattern.exec(parser.source);
}

function fork(...to: readonly number[]): Instruction {
  return { kind: 'fork', to };
}

/** Adds to the program, up to the limit, so that no repetition takes longer than a refusal. */
function append(parser: Parser, part: readonly Instruction[]): void {
  if (parser.program.length + part.length > MAX_PATTERN_STATES) {
    parser.fault ??= 'states';
  } else {
    parser.program.push(...part);
  }
}

/** Characters of a pattern. */
export const MAX_PATTERN_LENGTH = 2048;
/** Groups inside one another. */
export const MAX_PATTERN_DEPTH = 64;
/** Steps that a pattern may compile to. */
export const MAX_PATTERN_STATES = 1024;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,)?(\d*)\})\??/uy;
const GROUP = /\((?:(?!\?)|\?:|\?<(?![=!])[^>]+>)/uy;
const CLASS = /\[(?:[^\]\\]|\\[^])*\]/uy;
const REFUSED_ESCAPE = /\\[1-9kbB]/uy;
// Two escaped surrogates are one character with the flag u.
const ESCAPE =
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u\{[0-9a-fA-F]+\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\c[a-zA-Z]|\\[pP]\{[^}]+\}|\\[^]/uy;
