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

/** Replaces halves of characters that stayed alone, which cannot be written down. */
export function mendText(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
