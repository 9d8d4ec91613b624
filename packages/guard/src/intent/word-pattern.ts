/**
 * The source of a pattern that finds one of many words, whole, in lower case.
 *
 * Every list is one language; its words stand with bars between them and may be patterns themselves.
 */
export function anyWord(...languages: readonly string[]): string {
  return String.raw`\b(?:${languages.join('|')})\b`;
}

/** A pattern that finds what any of the sources finds, in whatever case. */
export function anyPattern(...sources: readonly string[]): RegExp {
  return new RegExp(sources.join('|'), 'iu');
}
