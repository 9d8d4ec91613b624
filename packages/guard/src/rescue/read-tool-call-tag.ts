import { readJsonCalls } from './read-json-block.ts';
import { readArgumentTags, readFunctionTag, readInvokeTag } from './read-parameter-tags.ts';
import { readPythonCalls } from './read-python-call.ts';
import {
  type BlockReading,
  type BlockSource,
  brokenCall,
  callsUpTo,
  type TextCall,
} from './text-call.ts';
import { CALL_TAGS, endAt, nameAt, skipSpace, TAG_PREFIX } from './text-walk.ts';

/** Reads `<tool_call>…</tool_call>` and its like, whatever form of call is inside. */
export function readToolCallTag(source: BlockSource, at: number): BlockReading {
  const { text } = source;
  const opening = nameAt(OPENING, text, at);
  if (opening === null) return brokenCall(null, false);
  const calls: TextCall[] = [];
  let { end } = opening;
  do {
    const inner = readInside(source, skipSpace(text, end));
    if (inner.kind === 'broken') return inner;
    if (inner.kind === 'other') return brokenCall(null, false);
    calls.push(...inner.calls);
    end = inner.end;
  } while (endAt(ANOTHER, text, end) >= 0);
  const next = skipSpace(text, end);
  const closing = `</${opening.name}>`;
  if (text.startsWith(closing, next)) return callsUpTo(next + closing.length, calls);
  // Models leave the closing tag out at the end, before its token, or before the next call.
  const isEnd = next >= text.length && !source.isCut;
  if (isEnd || endAt(WITHOUT_CLOSING, text, next) >= 0) return callsUpTo(end, calls);
  return brokenCall(calls[0]?.name ?? null, next >= text.length);
}

function readInside(source: BlockSource, at: number): BlockReading {
  const { text } = source;
  if (text.startsWith('<function=', at)) return readFunctionTag(source, at);
  if (endAt(INVOKE, text, at) >= 0) return readInvokeTag(source, at);
  if (text[at] === '{') return readJsonCalls(source, at, 'tool-call-tag');
  if (text[at] !== '[') return readArgumentTags(source, at);
  const read = readJsonCalls(source, at, 'tool-call-tag');
  return read.kind === 'broken' ? readPythonCalls(source, at, 'tool-call-tag') : read;
}

const OPENING = new RegExp(`<(${CALL_TAGS})>`, 'y');
const INVOKE = new RegExp(`<${TAG_PREFIX}invoke\\s`, 'y');
const ANOTHER = new RegExp(`\\s{0,4}[,;]?\\s{0,4}(?:<function=|<${TAG_PREFIX}invoke\\s|\\{)`, 'y');
const WITHOUT_CLOSING = new RegExp(`<(?:${CALL_TAGS})>|<\\||</s>`, 'y');
