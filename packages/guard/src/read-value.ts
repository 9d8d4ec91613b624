import type { JsonValue } from '@millforge/contracts';
import { type LooseJsonOptions, readLooseJson, type SyntaxRepair } from './read-loose-json.ts';

/** A plain value, or one sentence about why the text is none. */
export type ReadValue =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      readonly repairs: readonly SyntaxRepair[];
    }
  | {
      readonly ok: false;
      readonly message: string;
      /** Whether the text was not read to its end because it holds more than anybody asks for. */
      readonly isTooLarge: boolean;
    };

/** Reads what a model wrote as JSON and nothing else, strictly unless slips are taken; never throws. */
export function readValue(text: string, options: LooseJsonOptions = {}): ReadValue {
  const read = readLooseJson(text, 0, options);
  if (!read.ok || read.end === text.length || text.slice(read.end).trim() === '') return read;
  const message = `This is not JSON: Something follows the end of the value. (character ${read.end + 1})`;
  return { ok: false, message, isTooLarge: false };
}
