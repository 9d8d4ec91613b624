import { type HeadedForm, readHeadedCalls } from './read-headed-calls.ts';
import { readJsonCalls } from './read-json-block.ts';
import { readNamedCalls } from './read-named-call.ts';
import { readPythonCalls } from './read-python-call.ts';
import {
  type BlockReader,
  type BlockReading,
  type BlockSource,
  brokenCall,
  callsUpTo,
  type TextCall,
} from './text-call.ts';
import { endAt, skipSpace, spaced } from './text-walk.ts';

/** Reads `[TOOL_CALLS]` with a list, or with names and their JSON. */
export function readMistral(source: BlockSource, at: number): BlockReading {
  const next = skipSpace(source.text, at + '[TOOL_CALLS]'.length);
  return source.text[next] === '[' || source.text[next] === '{'
    ? readJsonCalls(source, next, 'mistral')
    : readNamedCalls(source, at, 'mistral');
}

/** Reads what follows the token of Llama: one JSON call, or several with semicolons, or Python. */
export function readLlama(source: BlockSource, at: number): BlockReading {
  const { text } = source;
  const calls: TextCall[] = [];
  let place = skipSpace(text, at + '<|python_tag|>'.length);
  if (text[place] !== '{' && text[place] !== '[') return readPythonCalls(source, place, 'llama');
  for (;;) {
    const read = readJsonCalls(source, place, 'llama');
    if (read.kind !== 'calls') return read.kind === 'other' ? brokenCall(null, false) : read;
    calls.push(...read.calls);
    place = endAt(BETWEEN_LLAMA, text, read.end);
    if (place < 0) return callsUpTo(read.end, calls);
  }
}

/** Reads `<|tool_call_start|>[name(key=value)]<|tool_call_end|>`. */
export function readLiquid(source: BlockSource, at: number): BlockReading {
  const from = skipSpace(source.text, at + '<|tool_call_start|>'.length);
  const read =
    source.text[from] === '[' && /^\[\s*\{/.test(source.text.slice(from, from + 40))
      ? readJsonCalls(source, from, 'tool-call-tag')
      : readPythonCalls(source, from);
  if (read.kind !== 'calls') return read;
  return callsUpTo(Math.max(read.end, endAt(LIQUID_END, source.text, read.end)), read.calls);
}

/** Reads `<|tool_call|>[{…}]`, the form of Granite. */
export function readGranite(source: BlockSource, at: number): BlockReading {
  return readJsonCalls(
    source,
    skipSpace(source.text, at + '<|tool_call|>'.length),
    'tool-call-tag',
  );
}

/** The reader of a form whose mark is made for calls. */
function readerOf(form: HeadedForm): BlockReader {
  return (source, at) =>
    readHeadedCalls(source, at, form) ??
    brokenCall(null, form.needsTail !== true && source.text.length - at < CUT_HEAD_LENGTH);
}

// White space is bounded in all patterns here: free repetitions side by side would cost its square.
const LIQUID_END = /\s*<\|tool_call_end\|>/y;
const CUT_HEAD_LENGTH = 120;
const BETWEEN_LLAMA = spaced` (?:; (?:<\|python_tag\|>)?|<\|python_tag\|>) (?=\{)`;

/** Reads the section of calls of Kimi: `<|tool_call_begin|>functions.name:0<|tool_call_argument_begin|>{…}`. */
export const readKimi = readerOf({
  format: 'kimi',
  head: spaced` (?:<\|tool_calls_section_begin\|>)? <\|tool_call_begin\|> (?:functions\.)?([\w./-]{1,128}?)(?::\d{1,6})? <\|tool_call_argument_begin\|>`,
  tail: spaced` <\|tool_call_end\|>`,
  end: spaced` <\|tool_calls_section_end\|>`,
});

/** Reads the section of calls of DeepSeek, with or without the type and the fence. */
export const readDeepSeek = readerOf({
  format: 'deepseek',
  head: spaced` (?:<｜tool▁calls▁begin｜>)? <｜tool▁call▁begin｜> (?:function <｜tool▁sep｜> )?([\w./-]{1,128}) (?:<｜tool▁sep｜>)? (?:\`\`\`(?:json)?)?`,
  tail: spaced` (?:\`\`\`)? <｜tool▁call▁end｜>`,
  end: spaced` <｜tool▁calls▁end｜>`,
});

/** Reads messages to a tool as gpt-oss writes them: `<|channel|>commentary to=functions.name …<|message|>{…}`. */
export const readHarmony = readerOf({
  format: 'harmony',
  head: spaced` (?:<\|start\|> assistant)? (?:<\|channel\|> (?:commentary|analysis))?\s{1,4}to=(?:functions\.)?([\w/-]{1,128}) (?:<\|channel\|> (?:commentary|analysis))? (?:<\|constrain\|>)? (?:json|code)? <\|message\|>`,
  tail: spaced` <\|(?:call|end|return)\|>`,
});

/** Reads `<|tool_call>call:name{key:value}<tool_call|>` and the like, whose keys bear no quotes. */
export const readGemma = readerOf({
  format: 'gemma',
  head: spaced` (?:<\|tool_call>|<start_function_call>) call:([\w.:/-]{1,128}?) (?=\{)`,
  tail: spaced` (?:<tool_call\|>|<end_function_call>)`,
  needsTail: true,
  json: { mayClose: false, bare: { quotes: ['<|"|>', '<escape>'] } },
});
