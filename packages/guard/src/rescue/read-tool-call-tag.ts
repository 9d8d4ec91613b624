import type { JsonValue } from '@millforge/contracts';
import { readJsonCalls } from './read-json-block.ts';
import { readFunctionTag, readInvokeTag } from './read-parameter-tags.ts';
import { readPythonCalls } from './read-python-call.ts';
import type { BlockReading, BlockSource, TextCall } from './text-call.ts';
import { betweenTags, matchAt, skipSpace } from './text-walk.ts';

/** Reads `<tool_call>…</tool_call>` and its like, whatever form of call is inside. */
export function readToolCallTag(source: BlockSource, at: number): BlockReading {
  const { text } = source;
  const [opening, tag] = matchAt(OPENING, text, at) ?? [];
  if (opening === undefined || tag === undefined) return broken(null, false);
  const calls: TextCall[] = [];
  let end = at + opening.length;
  do {
    const inner = readInside(source, skipSpace(text, end));
    if (inner.kind === 'broken') return inner;
    if (inner.kind === 'other') return broken(null, false);
    calls.push(...inner.calls);
    end = inner.end;
  } while (matchAt(ANOTHER, text, end) !== null);
  const next = skipSpace(text, end);
  const closing = `</${tag}>`;
  if (text.startsWith(closing, next)) return { kind: 'calls', calls, end: next + closing.length };
  // Models leave the closing tag out at the end, before its token, or before the next call.
  const isEnd = next >= text.length && !source.isCut;
  if (isEnd || matchAt(WITHOUT_CLOSING, text, next) !== null) return { kind: 'calls', calls, end };
  return broken(calls[0]?.name ?? null, next >= text.length);
}

function readInside(source: BlockSource, at: number): BlockReading {
  const { text } = source;
  if (text.startsWith('<function=', at)) return readFunctionTag(source, at);
  if (matchAt(INVOKE, text, at) !== null) return readInvokeTag(source, at);
  if (text[at] === '{') return readJsonCalls(source, at, 'tool-call-tag');
  if (text[at] !== '[') return readArgumentTags(source, at);
  const read = readJsonCalls(source, at, 'tool-call-tag');
  return read.kind === 'broken' ? readPythonCalls(source, at, 'tool-call-tag') : read;
}

/** Reads `name<arg_key>k</arg_key><arg_value>v</arg_value>…`, the inside of a call of GLM. */
function readArgumentTags({ text }: BlockSource, at: number): BlockReading {
  const [head, name] = matchAt(NAME, text, at) ?? [];
  if (head === undefined || name === undefined) return broken(null, at >= text.length);
  const args = new Map<string, JsonValue>();
  let end = at + head.length;
  for (;;) {
    const [opening, key] = matchAt(ARGUMENT, text, end) ?? [];
    if (opening === undefined || key === undefined) break;
    const from = end + opening.length;
    const to = text.indexOf(VALUE_END, from);
    if (to < 0 || args.has(key)) return broken(name, to < 0);
    args.set(key, betweenTags(text, from, to));
    end = to + VALUE_END.length;
  }
  // Text that is no argument would be lost.
  const next = skipSpace(text, end);
  if (!text.startsWith('</tool_call>', next)) return broken(name, next >= text.length);
  const call = { name, arguments: Object.fromEntries(args), format: 'argument-tags' } as const;
  return { kind: 'calls', calls: [call], end };
}

function broken(name: string | null, isCut: boolean): BlockReading {
  return { kind: 'broken', name, isCut };
}

const OPENING = /<(tool_calls?|toolcall|function_calls?|tool_use)>/y;
const PREFIX = String.raw`(?:[\w-]{1,32}:|｜\w{1,32}｜)?`;
const INVOKE = new RegExp(`<${PREFIX}invoke\\s`, 'y');
const ANOTHER = new RegExp(`\\s{0,4}[,;]?\\s{0,4}(?:<function=|<${PREFIX}invoke\\s|\\{)`, 'y');
const WITHOUT_CLOSING = /<(?:tool_calls?|toolcall|function_calls?|tool_use)>|<\||<\/s>/y;
const NAME = /([A-Za-z_][\w.:/-]{0,127})\s*(?=<arg_key>|<\/tool_call>)/y;
const ARGUMENT = /\s*<arg_key>\s*([^<>\s]{1,128})\s*<\/arg_key>\s*<arg_value>/y;
const VALUE_END = '</arg_value>';
