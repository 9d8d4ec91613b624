import type { JsonObject, JsonValue } from '@millforge/contracts';
import { isJsonObject } from '../json-kind.ts';
import { readJsonAt } from './read-json-block.ts';
import {
  type BlockReading,
  type BlockSource,
  brokenCall,
  callsUpTo,
  type TextCall,
  type TextCallFormat,
} from './text-call.ts';
import { nameAt, skipSpace as skip } from './text-walk.ts';

/** Reads `name(key=value, …)` or `name({…})`; arguments without a name are no call. */
function readPythonCall(source: BlockSource, at: number): BlockReading {
  const head = nameAt(NAME, source.text, at);
  if (head === null) return brokenCall(null, at >= source.text.length);
  const { name } = head;
  const entries: [string, JsonValue][] = [];
  let place = skip(source.text, head.end);
  const broken = (isCut: boolean): BlockReading => brokenCall(name, isCut);
  const done = (args: JsonObject, end: number): BlockReading =>
    callsUpTo(end, [{ name, arguments: args, format: 'python' }]);
  if (source.text[place] === '{') {
    const block = readJsonAt(source, place);
    if (!block.ok) return broken(block.isCut);
    const end = skip(source.text, block.end);
    if (source.text[end] !== ')' || !isJsonObject(block.value)) return broken(false);
    return done(block.value, end + 1);
  }
  while (source.text[place] !== ')') {
    const key = nameAt(KEY, source.text, place);
    if (key === null || entries.some(([known]) => known === key.name)) {
      return broken(place >= source.text.length);
    }
    const block = readJsonAt(source, key.end, { mayClose: false });
    if (!block.ok) return broken(block.isCut);
    entries.push([key.name, block.value]);
    place = skip(source.text, block.end);
    if (source.text[place] === ',') place = skip(source.text, place + 1);
    else if (source.text[place] !== ')') return broken(place >= source.text.length);
  }
  return done(Object.fromEntries(entries), place + 1);
}

/** Reads one or more calls, in brackets or one after another, as `[a(x=1), b(y=2)]`. */
export function readPythonCalls(
  source: BlockSource,
  at: number,
  format: TextCallFormat = 'python',
): BlockReading {
  const { text } = source;
  const isListed = text[at] === '[';
  let place = skip(text, isListed ? at + 1 : at);
  const calls: TextCall[] = [];
  for (;;) {
    const one = readPythonCall(source, place);
    if (one.kind !== 'calls') return one;
    calls.push(...one.calls.map((call) => ({ ...call, format })));
    const next = skip(text, one.end);
    if (isListed && text[next] === ',') place = skip(text, next + 1);
    else if (isListed) {
      if (text[next] === ']') return callsUpTo(next + 1, calls);
      return brokenCall(null, next >= text.length);
    } else {
      place = text[next] === ';' ? skip(text, next + 1) : next;
      const other = nameAt(NAME, text, place);
      if (other === null || !source.isTool(other.name)) return callsUpTo(one.end, calls);
    }
  }
}

const NAME = /([A-Za-z_][\w.-]{0,127})[ \t]*\(/y;
const KEY = /([A-Za-z_]\w{0,127})\s*=(?!=)\s*/y;
