import { type JsonValue, MillforgeError, readJson, toPlainJson } from '@millforge/contracts';

/** A plain value, or one sentence about why the text is none. */
export type ReadValue =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly message: string };

/** Reads what a model wrote as strict JSON; never throws. */
export function readValue(text: string): ReadValue {
  // Line feeds and tabs in file contents arrive as escapes.
  const read = readJson(text, { allowControlCharacters: true });
  if (!read.ok) {
    return {
      ok: false,
      message: `This is not JSON: ${read.message} (character ${read.offset + 1})`,
    };
  }
  try {
    return { ok: true, value: toPlainJson(read.value) };
  } catch (error) {
    if (!MillforgeError.is(error, 'json/unsafe-integer')) throw error;
    return { ok: false, message: error.message };
  }
}
