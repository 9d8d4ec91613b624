import { createMatcher, type Instruction, MATCH } from './match-pattern.ts';

/** A test for texts, or the rest of a sentence that begins with where the pattern stands. */
export type CompilePatternResult =
  | { readonly ok: true; readonly test: (text: string) => boolean }
  | { readonly ok: false; readonly message: string };

/**
 * Compiles a regular expression of the accepted subset to a test that never goes back in the text.
 *
 * Has literals, classes, `^`, `$`, groups, alternatives and quantifiers, in the syntax of JavaScript with the flag
 * `u`; matches anywhere in the text. Refuses lookaround, back references, word boundaries, more than 2,048
 * characters, 64 nested groups and 1,024 states.
 */
export function compilePattern(source: string): CompilePatternResult {
  if (source.length > MAX_LENGTH) return refuse(`must not have more than ${MAX_LENGTH} characters`);
  if (!isRegularExpression(source)) {
    return refuse('must be a regular expression in the syntax of JavaScript with the flag u');
  }
  const parser: Parser = { source, at: 0, depth: 0, refusal: null };
  const tree = parseAlternatives(parser);
  if (parser.refusal !== null) return refuse(parser.refusal);
  const program: Program = { instructions: [], fuel: MAX_FUEL };
  emit(tree, program);
  program.instructions.push({ kind: MATCH });
  return program.fuel < 0 || program.instructions.length > MAX_STATES
    ? refuse(`must not need more than ${MAX_STATES} states; make its repetitions smaller`)
    : { ok: true, test: createMatcher(program.instructions) };
}

/** Proves the syntax, so that the parser need not; the expression is never run. */
function isRegularExpression(source: string): boolean {
  try {
    return RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

type Tree =
  | { readonly kind: 'sequence' | 'alternatives'; readonly parts: readonly Tree[] }
  | { readonly kind: 'repeat'; readonly part: Tree; readonly min: number; readonly max: number }
  | { readonly kind: 'leaf'; readonly instruction: Instruction };

interface Parser {
  readonly source: string;
  at: number;
  depth: number;
  refusal: string | null;
}

function parseAlternatives(parser: Parser): Tree {
  const parts = [parseSequence(parser)];
  while (parser.source[parser.at] === '|') {
    parser.at++;
    parts.push(parseSequence(parser));
  }
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : { kind: 'alternatives', parts };
}

function parseSequence(parser: Parser): Tree {
  const parts: Tree[] = [];
  while (parser.refusal === null && parser.at < parser.source.length) {
    const next = parser.source[parser.at];
    if (next === '|' || next === ')') break;
    parts.push(parseQuantifier(parseAtom(parser), parser));
  }
  return { kind: 'sequence', parts };
}

function parseQuantifier(part: Tree, parser: Parser): Tree {
  const [text, mark, low, comma, high] = matchAt(QUANTIFIER, parser) ?? [];
  if (text === undefined) return part;
  parser.at += text.length;
  if (mark === '*') return { kind: 'repeat', part, min: 0, max: Number.POSITIVE_INFINITY };
  if (mark === '+') return { kind: 'repeat', part, min: 1, max: Number.POSITIVE_INFINITY };
  if (mark === '?') return { kind: 'repeat', part, min: 0, max: 1 };
  const min = Number(low);
  if (comma === undefined) return { kind: 'repeat', part, min, max: min };
  const max = high === undefined || high === '' ? Number.POSITIVE_INFINITY : Number(high);
  return { kind: 'repeat', part, min, max };
}

function parseAtom(parser: Parser): Tree {
  switch (parser.source.charAt(parser.at)) {
    case '(':
      return parseGroup(parser);
    case '^':
      parser.at++;
      return { kind: 'leaf', instruction: { kind: 'start' } };
    case '$':
      parser.at++;
      return { kind: 'leaf', instruction: { kind: 'end' } };
    case '.':
      return take('.', parser);
    case '[':
      return take(matchAt(CLASS, parser)?.[0], parser);
    case '\\':
      if (matchAt(REFUSED_ESCAPE, parser) === null) {
        return take(matchAt(ESCAPE, parser)?.[0], parser);
      }
      parser.refusal = 'must not have back references or word boundaries';
      return NOTHING;
    default: {
      const codePoint = parser.source.codePointAt(parser.at) ?? 0;
      parser.at += codePoint > 0xffff ? 2 : 1;
      return { kind: 'leaf', instruction: { kind: 'literal', codePoint } };
    }
  }
}

function parseGroup(parser: Parser): Tree {
  const opening = matchAt(GROUP, parser)?.[0];
  if (opening === undefined || parser.depth === MAX_DEPTH) {
    parser.refusal =
      opening === undefined
        ? 'must not look ahead or behind, nor change flags'
        : `must not nest more than ${MAX_DEPTH} groups`;
    return NOTHING;
  }
  parser.at += opening.length;
  parser.depth++;
  const tree = parseAlternatives(parser);
  parser.depth--;
  // The closing parenthesis, which valid syntax has.
  parser.at++;
  return tree;
}

/** A class or an escape, judged by the engine one character at a time. */
function take(source: string | undefined, parser: Parser): Tree {
  if (source === undefined) {
    parser.refusal = 'must have only escapes that stand for characters';
    return NOTHING;
  }
  parser.at += source.length;
  return { kind: 'leaf', instruction: { kind: 'class', source } };
}

function matchAt(pattern: RegExp, parser: Parser): RegExpExecArray | null {
  pattern.lastIndex = parser.at;
  return pattern.exec(parser.source);
}

interface Program {
  readonly instructions: Instruction[];
  /** Counts every visit: a repetition of nothing would never reach a limit of instructions. */
  fuel: number;
}

function emit(tree: Tree, program: Program): void {
  if (program.fuel-- < 0 || program.instructions.length > MAX_STATES) return;
  const { instructions } = program;
  switch (tree.kind) {
    case 'leaf':
      instructions.push(tree.instruction);
      return;
    case 'sequence':
      for (const part of tree.parts) emit(part, program);
      return;
    case 'alternatives':
      emitAlternatives(tree.parts, program);
      return;
    case 'repeat':
    default:
      emitRepeat(tree, program);
  }
}

function emitAlternatives(parts: readonly Tree[], program: Program): void {
  const { instructions } = program;
  const exits: number[] = [];
  for (const [index, part] of parts.entries()) {
    if (index === parts.length - 1) {
      emit(part, program);
      break;
    }
    const fork = instructions.length;
    instructions.push({ kind: MATCH });
    emit(part, program);
    exits.push(instructions.length);
    instructions.push({ kind: MATCH });
    instructions[fork] = { kind: 'fork', to: [fork + 1, instructions.length] };
  }
  for (const exit of exits) instructions[exit] = { kind: 'fork', to: [instructions.length] };
}

function emitRepeat(tree: Extract<Tree, { kind: 'repeat' }>, program: Program): void {
  const { instructions } = program;
  const { part, min, max } = tree;
  for (let count = 0; count < min && program.fuel >= 0; count++) emit(part, program);
  if (max === Number.POSITIVE_INFINITY) {
    const fork = instructions.length;
    instructions.push({ kind: MATCH });
    emit(part, program);
    instructions.push({ kind: 'fork', to: [fork] });
    instructions[fork] = { kind: 'fork', to: [fork + 1, instructions.length] };
    return;
  }
  const forks: number[] = [];
  for (let count = min; count < max && program.fuel >= 0; count++) {
    forks.push(instructions.length);
    instructions.push({ kind: MATCH });
    emit(part, program);
    if (instructions.length > MAX_STATES) break;
  }
  for (const fork of forks) {
    instructions[fork] = { kind: 'fork', to: [fork + 1, instructions.length] };
  }
}

function refuse(message: string): CompilePatternResult {
  return { ok: false, message };
}

const MAX_LENGTH = 2048;
const MAX_DEPTH = 64;
const MAX_STATES = 1024;
const MAX_FUEL = 20_000;
const NOTHING: Tree = { kind: 'sequence', parts: [] };
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,)?(\d*)\})\??/uy;
const GROUP = /\((?:(?!\?)|\?:|\?<(?![=!])[^>]+>)/uy;
const CLASS = /\[(?:[^\]\\]|\\[^])*\]/uy;
const REFUSED_ESCAPE = /\\[1-9kbB]/uy;
// Two escaped surrogates are one character with the flag u.
const ESCAPE =
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u\{[0-9a-fA-F]+\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\c[a-zA-Z]|\\[pP]\{[^}]+\}|\\[^]/uy;
