import { readBracket, readCallAfterName, readFunctionary, readReact } from './read-line-calls.ts';
import { readFunctionTag, readInvokeTag } from './read-parameter-tags.ts';
import { readPythonCalls } from './read-python-call.ts';
import {
  readDeepSeek,
  readGemma,
  readGranite,
  readHarmony,
  readKimi,
  readLiquid,
  readLlama,
  readMistral,
} from './read-token-calls.ts';
import { readToolCallTag } from './read-tool-call-tag.ts';
import { readToolTag } from './read-tool-tag.ts';
import {
  type BlockReader,
  type BlockReading,
  type BlockSource,
  callsUpTo,
  otherUpTo,
  type TextCall,
} from './text-call.ts';
import { CALL_TAGS, skipSpace, TAG_PREFIX } from './text-walk.ts';

/** A stretch of a text that holds calls, and whether a mark made for calls says so. */
export interface CallBlock {
  readonly calls: readonly TextCall[];
  readonly start: number;
  readonly end: number;
  readonly isMarked: boolean;
}

/** Something that begins like a call and is none; nothing behind it is looked at. */
export interface BrokenBlock {
  readonly name: string | null;
  readonly start: number;
  readonly isMarked: boolean;
  /** Whether the text ended inside it. */
  readonly isCut: boolean;
}

/** What of a text may be calls, in order. */
export interface FoundBlocks {
  readonly calls: readonly CallBlock[];
  readonly broken: BrokenBlock | null;
}

/**
 * Finds the outermost blocks of a text that state calls.
 *
 * What is inside another block is never looked at: not in a fence, not in JSON, not in the arguments of a
 * call. Behind a block that could not be read nothing is found, since it may belong to that.
 */
export function findBlocks(source: BlockSource): FoundBlocks {
  const { text } = source;
  const calls: CallBlock[] = [];
  const opening = new RegExp(OPENING, 'gm');
  for (let seen = 0; seen < MAX_OPENINGS; seen++) {
    const match = opening.exec(text);
    if (match === null) return { calls, broken: null };
    const opened = readOpening(source, match);
    if (opened === null) continue;
    const { reading, isMarked } = opened;
    if (reading.kind === 'broken') {
      // Field by field: a spread here takes a quarter of the time of a rescue.
      const { name, isCut } = reading;
      return { calls, broken: { name, isCut, isMarked, start: match.index } };
    }
    if (reading.kind === 'calls') {
      calls.push({ calls: reading.calls, start: match.index, end: reading.end, isMarked });
    }
    // A tag or a bracket that is nothing is passed over alone.
    opening.lastIndex = Math.max(reading.end, match.index + 1);
  }
  return { calls, broken: null };
}

interface Found {
  readonly reading: BlockReading;
  readonly isMarked: boolean;
}

function found(reading: BlockReading, isMarked: boolean): Found {
  return { reading, isMarked };
}

function readOpening(source: BlockSource, match: RegExpExecArray): Found | null {
  const { text } = source;
  const { fence, marker } = match.groups ?? {};
  if (fence !== undefined) return readFence(source, match);
  // Between backticks a mark is spoken about, not used.
  if (marker !== undefined && text[match.index - 1] === '`') return null;
  if (marker !== undefined) return readMarked(source, match.index, marker);
  const at = skipSpace(text, match.index);
  const indented = new RegExp(MARKER, 'y');
  indented.lastIndex = at;
  const [mark] = indented.exec(text) ?? [];
  if (mark !== undefined) return readMarked(source, at, mark);
  if (text.startsWith('Action:', at)) return found(readReact(source, at), true);
  if (text.startsWith('>>>', at)) return found(readFunctionary(source, at), true);
  if (text[at] === '{' || text[at] === '[') return found(readBracket(source, at), false);
  if (text[at] === '<') return found(readToolTag(source, at), false);
  return found(readCallAfterName(source, at), false);
}

function readMarked(source: BlockSource, at: number, marker: string): Found | null {
  const read = MARKERS.find(([mark]) => new RegExp(`^(?:${mark})$`).test(marker))?.[1];
  return read === undefined ? null : found(read(source, at), true);
}

/** A fence holds calls when it holds nothing else; its end is looked for behind them, not inside. */
function readFence(source: BlockSource, { 0: head, index: at }: RegExpExecArray): Found {
  const { text } = source;
  const lineEnd = text.indexOf('\n', at);
  if (lineEnd < 0) return found(otherUpTo(text.length), false);
  const info = text
    .slice(at + head.length, lineEnd)
    .trim()
    .toLowerCase();
  const isMarked = CALL_FENCES.has(info);
  if (!isMarked && !PLAIN_FENCES.has(info)) return found(afterFence(text, lineEnd), isMarked);
  const from = skipSpace(text, lineEnd);
  const reading = info === 'tool_code' ? readPythonCalls(source, from) : readInFence(source, from);
  if (reading?.kind === 'calls') {
    const [closing] = FENCE_END.exec(text.slice(reading.end, reading.end + 64)) ?? [];
    if (closing !== undefined) {
      return found(callsUpTo(reading.end + closing.length, reading.calls), isMarked);
    }
  }
  const after = afterFence(text, lineEnd);
  const isLast = skipSpace(text, after.end) >= text.length;
  return reading?.kind === 'broken' && (isMarked || (reading.name !== null && isLast))
    ? found(reading, isMarked)
    : found(after, false);
}

function afterFence(text: string, lineEnd: number): Extract<BlockReading, { kind: 'other' }> {
  const close = text.indexOf('\n```', lineEnd - 1);
  return otherUpTo(close < 0 ? text.length : close + 4);
}

function readInFence(source: BlockSource, at: number): BlockReading | null {
  const inside = new RegExp(OPENING, 'my');
  inside.lastIndex = at;
  const match = inside.exec(source.text);
  if (match === null || match.groups?.['fence'] !== undefined) return null;
  return readOpening(source, match)?.reading ?? null;
}

/** The marks made for calls, and who reads what begins with each. */
const MARKERS: readonly (readonly [string, BlockReader])[] = [
  [`<(?:${CALL_TAGS})>`, readToolCallTag],
  ['<function=', readFunctionTag],
  [`<${TAG_PREFIX}invoke\\s`, readInvokeTag],
  ['\\[TOOL_CALLS\\]', readMistral],
  ['<\\|tool_calls_section_begin\\|>|<\\|tool_call_begin\\|>', readKimi],
  ['<｜tool▁calls?▁begin｜>', readDeepSeek],
  ['<\\|tool_call_start\\|>', readLiquid],
  ['<\\|tool_call\\|>', readGranite],
  ['<\\|tool_call>|<start_function_call>', readGemma],
  ['<\\|python_tag\\|>', readLlama],
  [
    '<\\|channel\\|>(?:commentary|analysis) to=|<\\|start\\|>assistant(?:<\\|channel\\|>(?:commentary|analysis))? to=',
    readHarmony,
  ],
];

const CALL_FENCES = new Set('tool_code tool_call tool_calls tool function_call'.split(' '));
/** Code in a language is code, even where it calls something of a tool's name. */
const PLAIN_FENCES = new Set(' json jsonc json5 xml text txt plaintext'.split(' '));
const FENCE_END = /^\s{0,8}(?:```|$)/;
const MAX_OPENINGS = 256;

const MARKER = MARKERS.map(([mark]) => mark).join('|');
const NAME = '[A-Za-z_][\\w.:/-]{0,127}';
const OPENING = [
  '(?<fence>^[ \\t]{0,8}```)',
  `(?<marker>${MARKER})`,
  '^[ \\t]{0,8}Action:',
  '^>>>',
  // Only what may be JSON, or a list of Python calls; not a link, not a block of code.
  `^[ \\t]{0,8}(?:\\{\\s{0,16}["'}]|\\[\\s{0,16}(?:[{[]|${NAME}[ \\t]?\\())`,
  '^[ \\t]{0,8}<[A-Za-z_][\\w-]{0,63}>',
  `^[ \\t]{0,8}${NAME}[ \\t]{0,4}(?:\\[ARGS\\]|\\[CALL_ID\\]|[{(]|\\r?\\n[ \\t]{0,8}\\{)`,
].join('|');
