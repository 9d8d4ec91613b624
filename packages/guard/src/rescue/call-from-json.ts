import type { JsonObject, JsonValue } from '@millforge/contracts';
import { isJsonList, isJsonObject } from '../json-kind.ts';
import type { TextCall } from './text-call.ts';

/**
 * The calls that a JSON value states, or null when it states none.
 *
 * A call has one name, one place for arguments, and nothing else but what servers put beside these. A
 * record that merely has a name is no call, and arguments are never left out silently.
 */
export function callsFromJson(value: JsonValue): readonly TextCall[] | null {
  const envelope = isJsonObject(value) ? envelopeOf(value) : null;
  const listed = isJsonList(value) ? value : (envelope ?? [value]);
  const calls: TextCall[] = [];
  for (const one of listed) {
    const call = isJsonObject(one) ? callOf(one) : null;
    if (call === null) return null;
    calls.push(call);
  }
  return calls.length === 0 ? null : calls;
}

/** The name that a JSON value gives to what it calls, when it has arguments as well. */
function callOf(value: JsonObject): TextCall | null {
  const keys = Object.keys(value).filter((key) => !BESIDE.has(key));
  const inner = keys.length === 1 && NESTED.has(keys[0] ?? '') ? value[keys[0] ?? ''] : undefined;
  if (isJsonObject(inner)) return callOf(inner);
  const names = keys.filter((key) => NAME_KEYS.has(key));
  const places = keys.filter((key) => ARGUMENT_KEYS.has(key));
  const [nameKey] = names;
  const [argumentKey] = places;
  if (nameKey === undefined || argumentKey === undefined || keys.length !== 2) return null;
  const name = value[nameKey];
  const args = value[argumentKey];
  if (typeof name !== 'string' || args === undefined) return null;
  return { name, arguments: args, format: 'json' };
}

function envelopeOf(value: JsonObject): readonly JsonValue[] | null {
  const calls = value['tool_calls'];
  if (!isJsonList(calls)) return null;
  const others = Object.entries(value).filter(([key]) => key !== 'tool_calls');
  // An envelope may bring the message it came in, as long as that says nothing.
  const isBare = others.every(([key, one]) => key === 'role' || (key === 'content' && !one));
  return isBare ? calls : null;
}

/** Keys under which models put the name of what they call. */
export const NAME_WORDS = 'name|tool|tool_name|function|function_name|action';
/** Keys under which they put its arguments. */
export const ARGUMENT_WORDS = 'arguments|args|parameters|params|input|tool_input|action_input';

const NAME_KEYS = new Set(NAME_WORDS.split('|'));
const ARGUMENT_KEYS = new Set(ARGUMENT_WORDS.split('|'));
const NESTED = new Set('function|tool_call|function_call|tool_use'.split('|'));
const BESIDE = new Set('id|type|index|call_id|tool_call_id'.split('|'));
