import { type LooseJson, type LooseJsonOptions, readLooseJson } from '../read-loose-json.ts';
import { ARGUMENT_WORDS, callsFromJson, NAME_WORDS } from './call-from-json.ts';
import {
  type BlockReading,
  type BlockSource,
  brokenCall,
  callsUpTo,
  otherUpTo,
  type TextCallFormat,
} from './text-call.ts';

/** Reads the JSON value that begins at a place, with the slips that mean only one thing. */
export function readJsonAt(
  { text, isCut }: BlockSource,
  at: number,
  more: LooseJsonOptions = {},
): LooseJson {
  return readLooseJson(text, at, { slips: true, mayClose: !isCut, ...more });
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
    return brokenCall(nameNear(source.text, at, isMarked), block.isCut);
  }
  const calls = callsFromJson(block.value);
  if (calls === null) {
    const name = isMarked ? nameNear(source.text, at, true) : null;
    return name === null ? otherUpTo(block.end) : brokenCall(name, false);
  }
  return callsUpTo(
    block.end,
    calls.map((call) => ({ ...call, format })),
  );
}

/** The name in the first lines of what should have been a call. */
function nameNear(text: string, at: number, isEnough: boolean): string | null {
  const head = text.slice(at, at + 400);
  const [, name] = NAME.exec(head) ?? [];
  return name !== undefined && (isEnough || ARGUMENTS.test(head)) ? name : null;
}

const NAME = new RegExp(`["'](?:${NAME_WORDS})["']\\s*:\\s*["']([\\w.:/-]{1,128})["']`);
const ARGUMENTS = new RegExp(`["'](?:${ARGUMENT_WORDS})["']\\s*:`);
