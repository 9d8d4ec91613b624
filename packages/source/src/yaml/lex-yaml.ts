import { CST, Lexer, Parser } from 'yaml';
import { readFlow } from '../json/read-flow.ts';
import type { OffsetFault } from '../located-value.ts';
import type { SourceLimits } from '../source-limits.ts';
import { indentOf, lineStartOf } from './lines.ts';

/** The syntax tokens of a document, or the first construct that the source language does not have. */
export type LexedYaml =
  | {
      readonly ok: true;
      readonly tokens: readonly CST.Token[];
      /** Where the text was given up as surely malformed, or null when it was read to its end. */
      readonly stoppedAt: number | null;
    }
  | OffsetFault;

/**
 * Splits YAML text into syntax tokens and refuses at once what no source may hold.
 *
 * Anchors, aliases, tags, further documents, directives and foreign block indicators are seen here
 * as the lexemes they are, so the same characters inside a text mean nothing. Nesting and entries
 * are bounded before any tree is built. A flow collection is passed on as one lexeme, because its
 * content is JSON and not YAML.
 */
export function lexYaml(text: string, limits: SourceLimits): LexedYaml {
  const lexing: Lexing = {
    text,
    limits,
    parser: new Parser(),
    tokens: [],
    offset: 0,
    blankFrom: 0,
    blankTo: 0,
    entries: 0,
    scalars: 0,
    flowStart: 0,
    flowDepth: 0,
    lastInFlow: 0,
    hasContent: false,
    hasDocumentStart: false,
    isScalarNext: false,
    isClosed: false,
    lastScalar: 0,
    lastDash: -1,
  };
  for (const lexeme of new Lexer().lex(text)) {
    const fault = take(lexing, lexeme) ?? tooDeep(lexing);
    if (fault !== null) return fault;
    if (lexing.scalars > 2 * lexing.entries + MAX_STRAY_SCALARS) {
      return { ok: true, tokens: finish(lexing), stoppedAt: lexing.offset };
    }
  }
  if (lexing.flowDepth > 0) return unclosedFlow(lexing);
  return { ok: true, tokens: finish(lexing), stoppedAt: null };
}

function finish({ parser, tokens }: Lexing): readonly CST.Token[] {
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

interface Lexing {
  readonly text: string;
  readonly limits: SourceLimits;
  readonly parser: Parser;
  readonly tokens: CST.Token[];
  /** Where the lexeme at hand begins. */
  offset: number;
  /** Where the run of blank and comment lines that is held back begins, or -1 without one. */
  blankFrom: number;
  /** Where the last whole line of that run ends. */
  blankTo: number;
  /** Entries of block mappings and lists so far, and a lower bound of those in flow collections. */
  entries: number;
  /** Scalars and flow collections of the block structure so far. */
  scalars: number;
  /** Where the open flow collection begins. */
  flowStart: number;
  flowDepth: number;
  /** Where the last lexeme of the flow collection begins, commas aside. */
  lastInFlow: number;
  hasContent: boolean;
  hasDocumentStart: boolean;
  /** Whether the next lexeme is the text of a scalar, whatever it looks like. */
  isScalarNext: boolean;
  /** Whether a quote or bracket has closed on this line: only a colon or nothing may follow it. */
  isClosed: boolean;
  /** Where the last scalar begins: at a colon, the key. */
  lastScalar: number;
  lastDash: number;
}

function take(lexing: Lexing, lexeme: string): OffsetFault | null {
  if (lexing.isScalarNext) return takeScalarText(lexing, lexeme);
  if (isBlank(lexeme)) return takeBlank(lexing, lexeme);
  const type = CST.tokenType(lexeme);
  const fault = releaseBlanks(lexing) ?? refusal(lexing, lexeme, type);
  if (fault !== null) return fault;
  lexing.isScalarNext = type === 'scalar';
  if (lexing.flowDepth > 0 || type === 'flow-map-start' || type === 'flow-seq-start') {
    return takeInFlow(lexing, lexeme, type);
  }
  lexing.isClosed = type === 'single-quoted-scalar' || type === 'double-quoted-scalar';
  return feed(lexing, lexeme, ZERO_WIDTH.has(type) ? 0 : lexeme.length);
}

// A line costs the parser several steps, and a hostile document can hold a million of them: blank
// and comment lines are held back and passed on as one comment of the same extent.
function takeBlank(lexing: Lexing, lexeme: string): OffsetFault | null {
  const isHeld = lexing.blankFrom >= 0 || lexing.flowDepth > 0;
  const fault = isHeld ? null : feed(lexing, lexeme, lexeme.length);
  if (isHeld) lexing.offset += lexeme.length;
  if (lexeme !== '\n' || lexing.flowDepth > 0) return fault;
  lexing.isClosed = false;
  holdBlanks(lexing, isHeld ? lexing.blankFrom : lexing.offset);
  return fault;
}

/** Spaces, comments and line ends, told by their first character as the library does. */
function isBlank(lexeme: string): boolean {
  const code = lexeme.charCodeAt(0);
  return code === 0x20 || code === 0x0a || code === 0x23 || code === 0x09;
}

function holdBlanks(lexing: Lexing, from: number): void {
  lexing.blankFrom = from;
  lexing.blankTo = lexing.offset;
}

function releaseBlanks(lexing: Lexing): OffsetFault | null {
  const { text, blankFrom, blankTo, offset } = lexing;
  if (blankFrom < 0) return null;
  lexing.blankFrom = -1;
  lexing.offset = blankFrom;
  const lines = blankTo - blankFrom;
  const indent = indentOf(text, offset);
  const pieces = [
    '#'.repeat(Math.max(0, lines - 1)),
    lines > 0 ? '\n' : '',
    text.slice(blankTo, Math.min(indent, offset)),
    text.slice(Math.min(indent, offset), offset),
  ];
  for (const piece of pieces) {
    const fault = piece === '' ? null : feed(lexing, piece, piece.length);
    if (fault !== null) return fault;
  }
  return null;
}

/** The constructs of YAML that the source language leaves out. */
function refusal(lexing: Lexing, lexeme: string, type: TokenType): OffsetFault | null {
  const { text, offset } = lexing;
  if (type === 'doc-mode') return null;
  if (lexing.isClosed && type !== 'map-value-ind') {
    return refuse('unquoted-rest', indentOf(text, offset));
  }
  if (type === 'anchor' || type === 'alias') return refuse('anchor', lineStartOf(text, offset));
  if (type === 'tag') return refuse('tag', lineStartOf(text, offset));
  if (type === 'directive-line' || type === 'byte-order-mark') {
    return refuse('yaml-malformed', offset);
  }
  if (type === 'doc-start' && !lexing.hasContent && !lexing.hasDocumentStart) {
    lexing.hasDocumentStart = true;
    return null;
  }
  if (type === 'doc-start' || type === 'doc-end') return refuse('several-documents', offset);
  lexing.hasContent = true;
  return lexing.flowDepth > 0 ? null : blockRefusal(lexing, lexeme, type);
}

function blockRefusal(lexing: Lexing, lexeme: string, type: TokenType): OffsetFault | null {
  const { text, offset, lastDash } = lexing;
  if (type === 'map-value-ind') return countEntry(lexing, lexing.lastScalar);
  if (type === 'seq-item-ind') {
    lexing.lastDash = offset;
    return followsDash(text, lastDash, offset)
      ? refuse('indentation', indentOf(text, offset))
      : countEntry(lexing, offset);
  }
  if (type === 'single-quoted-scalar' || type === 'double-quoted-scalar') {
    noteScalar(lexing);
    return isOneClosedLine(lexeme) ? null : refuse('quoted', indentOf(text, offset));
  }
  if (type === 'explicit-key-ind') return refuse('key-type', indentOf(text, offset));
  if (type !== 'block-scalar-header') return null;
  noteScalar(lexing);
  return lexeme === '|' ? null : refuse('block-indicator', indentOf(text, offset));
}

function countEntry(lexing: Lexing, offset: number): OffsetFault | null {
  lexing.entries += 1;
  return lexing.entries > lexing.limits.maxEntries ? refuse('entries', offset) : null;
}

/** The lexer also passes on quotes that end with the line or with the document. */
function isOneClosedLine(quoted: string): boolean {
  if (quoted.includes('\n')) return false;
  if (quoted.startsWith("'")) return trailing(quoted.slice(1), "'") % 2 === 1;
  return quoted.length > 1 && quoted.endsWith('"') && trailing(quoted.slice(0, -1), '\\') % 2 === 0;
}

function trailing(text: string, character: string): number {
  let count = 0;
  while (text[text.length - 1 - count] === character) count += 1;
  return count;
}

/** A list that opens on the line of the item that holds it reads like a text and is refused. */
function followsDash(text: string, lastDash: number, offset: number): boolean {
  return lastDash >= 0 && /^[ \t]*$/.test(text.slice(lastDash + 1, offset));
}

function noteScalar(lexing: Lexing): void {
  lexing.lastScalar = lexing.offset;
  lexing.scalars += 1;
}

function takeScalarText(lexing: Lexing, lexeme: string): OffsetFault | null {
  lexing.isScalarNext = false;
  if (lexing.flowDepth > 0) {
    lexing.offset += lexeme.length;
    return null;
  }
  if (lexing.parser.stack.at(-1)?.type === 'block-scalar') return takeBlock(lexing, lexeme);
  noteScalar(lexing);
  const lineEnd = lexeme.indexOf('\n');
  return lineEnd < 0
    ? feed(lexing, lexeme, lexeme.length)
    : severalLines(lexing, lexing.offset + lineEnd + 1);
}

/** Refuses a hopelessly long literal before its lines are cut: each loses at most its indentation. */
function takeBlock(lexing: Lexing, lexeme: string): OffsetFault | null {
  const { limits, offset } = lexing;
  const indent = /^\n*( *)/.exec(lexeme)?.[1]?.length ?? 0;
  let least = lexeme.length;
  for (let at = 0; at >= 0; at = lexeme.indexOf('\n', at + 1)) least -= indent;
  if (least > limits.maxScalarBytes) return refuse('scalar-size', lexing.lastScalar);
  const fault = feed(lexing, lexeme, lexeme.length);
  holdBlanks(lexing, offset + lexeme.length);
  return fault;
}

/** A plain scalar goes on in the next line: deeper it is folded text, elsewhere a lost colon. */
function severalLines(lexing: Lexing, nextLine: number): OffsetFault {
  const { text, offset } = lexing;
  let indent = indentOf(text, nextLine);
  while (text[indent] === '\n') indent = indentOf(text, indent + 1);
  if (text[indent] === '\t') return refuse('tab', indent);
  const own = indentOf(text, offset) - lineStartOf(text, offset);
  const isDeeper = indent - lineStartOf(text, indent) > own;
  return isDeeper ? refuse('several-lines', indent) : refuse('colon', indentOf(text, offset));
}

function takeInFlow(lexing: Lexing, lexeme: string, type: TokenType): OffsetFault | null {
  if (type === 'flow-error-end') return unclosedFlow(lexing);
  if (type === 'flow-map-start' || type === 'flow-seq-start') {
    if (lexing.flowDepth === 0) lexing.flowStart = lexing.offset;
    lexing.flowDepth += 1;
    if (lexing.flowDepth > lexing.limits.maxDepth) return refuse('depth', lexing.offset);
  }
  if (type === 'flow-map-end' || type === 'flow-seq-end') lexing.flowDepth -= 1;
  if (type === 'comma') {
    const fault = countEntry(lexing, lexing.lastInFlow);
    if (fault !== null) return fault;
  } else lexing.lastInFlow = lexing.offset;
  if (!ZERO_WIDTH.has(type)) lexing.offset += lexeme.length;
  if (lexing.flowDepth > 0) return null;
  const width = lexing.offset - lexing.flowStart;
  lexing.offset = lexing.flowStart;
  noteScalar(lexing);
  lexing.isClosed = true;
  // Only the extent matters to the YAML parser; whoever reads the tree reads the text itself.
  return feed(lexing, CST.SCALAR, 0) ?? feed(lexing, 'x'.repeat(width), width);
}

function unclosedFlow({ text, flowStart, offset, limits }: Lexing): OffsetFault {
  const read = readFlow(text.slice(flowStart, offset), flowStart, { limits });
  return read.ok ? refuse('flow-malformed', flowStart) : read;
}

function feed(lexing: Lexing, lexeme: string, width: number): OffsetFault | null {
  for (const token of lexing.parser.next(lexeme)) {
    if (token.type === 'error')
      return refuse('yaml-malformed', indentOf(lexing.text, token.offset));
    lexing.tokens.push(token);
  }
  lexing.offset += width;
  return null;
}

/** The open collections stand on the parser's stack between the document and at most one scalar. */
function tooDeep({ parser, limits }: Lexing): OffsetFault | null {
  if (parser.stack.length <= limits.maxDepth + 2) return null;
  return refuse('depth', parser.stack[limits.maxDepth + 1]?.offset ?? 0);
}

function refuse(rule: OffsetFault['rule'], offset: number): OffsetFault {
  return { ok: false, rule, offset };
}

type TokenType = ReturnType<typeof CST.tokenType>;

const ZERO_WIDTH: ReadonlySet<TokenType> = new Set(['doc-mode', 'flow-error-end', 'scalar']);

// An entry has at most two scalars, so every scalar past that is a fault of its own, and an expensive
// one; the first of this many has long told what is wrong.
const MAX_STRAY_SCALARS = 1000;
