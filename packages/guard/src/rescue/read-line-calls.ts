import { type HeadedForm, readHeadedCalls } from './read-headed-calls.ts';
import { readJsonAt, readJsonCalls } from './read-json-block.ts';
import { readNamedCalls } from './read-named-call.ts';
import { readPythonCalls } from './read-python-call.ts';
import {
  type BlockReading,
  type BlockSource,
  brokenCall,
  callsUpTo,
  otherUpTo,
} from './text-call.ts';
import { endAt, matchAt, nameAt, skipSpace } from './text-walk.ts';

/** Reads `Action: name` and `Action Input: {…}`; what comes behind an invented observation is dropped. */
export function readReact(source: BlockSource, at: number): BlockReading {
  const { text } = source;
  const head = nameAt(REACT, text, at);
  if (head === null) return otherUpTo(at + 1);
  const { name } = head;
  const from = skipSpace(text, head.end);
  // Minutes and plans have actions as well; a call has a tool or JSON.
  if (text[from] !== '{' && !source.isTool(name)) return otherUpTo(at + 1);
  const block = readJsonAt(source, from);
  if (!block.ok) return brokenCall(name, block.isCut);
  const isInvented = endAt(OBSERVATION, text, block.end) >= 0;
  const call = { name, arguments: block.value, format: 'react' } as const;
  return callsUpTo(isInvented ? text.length : block.end, [call]);
}

/** Reads `>>>name` and its JSON on the next line, the form of Functionary. */
export function readFunctionary(source: BlockSource, at: number): BlockReading {
  return readHeadedCalls(source, at, FUNCTIONARY) ?? otherUpTo(at + 3);
}

/** Reads a tool's name with its arguments behind it, as JSON or in parentheses. */
export function readCallAfterName(source: BlockSource, at: number): BlockReading {
  const from = skipSpace(source.text, at);
  const [, name, mark] = matchAt(NAME_AND_MARK, source.text, from) ?? [];
  if (name === undefined || !source.isTool(name)) return otherUpTo(from + 1);
  return mark === '(' ? readPythonCalls(source, from) : readNamedCalls(source, from);
}

/** Reads a list of Python calls, or JSON. */
export function readBracket(source: BlockSource, at: number): BlockReading {
  const from = skipSpace(source.text, at);
  const [, name] = matchAt(PYTHON_LIST, source.text, from) ?? [];
  if (name === undefined) return readJsonCalls(source, from);
  return source.isTool(name) ? readPythonCalls(source, from) : otherUpTo(from + 1);
}

const REACT = /[ \t]*Action:[ \t]*([A-Za-z_][\w./-]{0,127})[ \t]*\r?\n[ \t]*Action Input:[ \t]*/y;
const OBSERVATION = /\s*Observation:/y;
const FUNCTIONARY: HeadedForm = {
  format: 'functionary',
  head: /\s*>>>([\w.-]{1,128})\r?\n\s*(?=\{)/y,
  tools: 'every',
};
// Prose goes on behind a bracket in its own way; a call with a quote, a key, or nothing.
const NAME_AND_MARK =
  /([A-Za-z_][\w.:/-]{0,127})(?:(\()(?=\s{0,8}(?:\)|\{|[A-Za-z_]\w{0,127}\s{0,4}=))|[ \t]{0,4}(?:\[ARGS\]|\[CALL_ID\]|\r?\n)?\s{0,8}(?=\{\s{0,8}["'}]|[\w-]{1,64}\[ARGS\]))/y;
const PYTHON_LIST = /\[\s*([A-Za-z_][\w.-]{0,127})\s*\(/y;
