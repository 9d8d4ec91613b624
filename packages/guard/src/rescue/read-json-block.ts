import type { JsonValue } from '@millforge/contracts';
import { readValue } from '../read-value.ts';
import { callsFromJson } from './call-from-json.ts';
import type { BlockReading, BlockSource, TextCallFormat } from './text-call.ts';
import { type TranscribeOptions, transcribeJson } from './transcribe-json.ts';

/** One JSON value of a text, or where it ended too early or went wrong. */
export type JsonBlock =
  | { readonly ok: true; readonly value: JsonValue; readonly end: number }
  | { readonly ok: false; readonly isCut: boolean };

/** Reads the JSON value that begins at a place, with the slips that mean only one thing. */
export function readJsonAt(
  source: BlockSource,
  at: number,
  bare?: TranscribeOptions['bare'],
): JsonBlock {
  const transcript = transcribeJson(source.text, at, {
    mayClose: !source.isCut,
    ...(bare === undefined ? {} : { bare }),
  });
  if (!transcript.ok) return { ok: false, isCut: transcript.isCut };
  const read = readValue(transcript.json);
  return read.ok
    ? { ok: true, value: read.value, end: transcript.end }
    : { ok: false, isCut: false };
}

/** Reads JSON that states calls by itself, as an object or a list. */
export function readJsonCalls(
  source: BlockSource,
  at: number,
  format: TextCallFormat = 'json',
): BlockReading {
  const block = readJsonAt(source, at);
  // Behind a mark a name says enough; without one the arguments have to be in sight as well.
  const isMarked = format !== 'json';
  if (!block.ok) {
    return { kind: 'broken', name: nameNear(source.text, at, isMarked), isCut: block.isCut };
  }
  const calls = callsFromJson(block.value);
  if (calls === null) {
    const name = isMarked ? nameNear(source.text, at, true) : null;
    return name === null
      ? { kind: 'other', end: block.end }
      : { kind: 'broken', name, isCut: false };
  }
  return { kind: 'calls', calls: calls.map((call) => ({ ...call, format })), end: block.end };
}

/** The name in the first lines of what should have been a call. */
function nameNear(text: string, at: number, isEnough: boolean): string | null {
  const head = text.slice(at, at + 400);
  const [, name] = NAME.exec(head) ?? [];
  return name !== undefined && (isEnough || ARGUMENTS.test(head)) ? name : null;
}

const NAME = /["'](?:name|tool|tool_name|function|action)["']\s*:\s*["']([\w.:/-]{1,128})["']/;
const ARGUMENTS = /["'](?:arguments|args|parameters|params|input|tool_input|action_input)["']\s*:/;
