import { type JsonValue, MillforgeError, readJson, toPlainJson } from '@millforge/contracts';

/** A plain value, or one sentence about why the text is none. */
export type ReadValue =
  | { readonly ok: true; readonly value: JsonValue }
  | {
      readonly ok: false;
      readonly message: string;
      /** Whether the text was not read to its end because it holds more than anybody asks for. */
      readonly isTooLarge: boolean;
    };

/** Reads what a model wrote as strict JSON; never throws. */
export function readValue(text: string): ReadValue {
  // Line feeds and tabs in file contents arrive as escapes.
  const read = readJson(text, { allowControlCharacters: true, maxEntries: MAX_ENTRIES });
  if (!read.ok) {
    return {
      ok: false,
      message: `${read.reason === 'entries' ? 'This is too large' : 'This is not JSON'}: ${read.message} (character ${read.offset + 1})`,
      isTooLarge: read.reason === 'entries',
    };
  }
  try {
    return { ok: true, value: toPlainJson(read.value) };
  } catch (error) {
    if (!MillforgeError.is(error, 'json/unsafe-integer')) throw error;
    return { ok: false, message: error.message, isTooLarge: false };
  }
}

/** Keys and items of one value together. No model writes as many; an object of a million would take seconds. */
export const MAX_ENTRIES = 20_000;
