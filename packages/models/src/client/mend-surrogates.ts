import type { ExactJson } from '@millforge/contracts';
import type { JsonFields } from './dialect.ts';
import { isJsonObject } from './json-text.ts';

/**
 * Replaces escaped halves of surrogate pairs, which byte-level tokenizers leave behind.
 *
 * Escaped backslashes and whole pairs are matched first, so that they are stepped over.
 */
export function mendSurrogates(json: string): string {
  return json.replace(/\\\\|\\u[Dd][89ABab]..\\u[Dd][C-Fc-f]..|\\u[Dd][89A-Fa-f]../g, (escape) =>
    escape.length === 6 ? '\\ufffd' : escape,
  );
}

/** Replaces halves of characters that stayed alone in the texts of a body; nothing could write them down. */
export function mendBody(body: JsonFields): JsonFields {
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [mendText(key), mendValue(value)]),
  );
}

function mendValue(value: ExactJson): ExactJson {
  if (typeof value === 'string') return mendText(value);
  if (Array.isArray(value)) {
    const items: readonly ExactJson[] = value;
    return items.map(mendValue);
  }
  return isJsonObject(value) ? mendBody(value) : value;
}

function mendText(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
