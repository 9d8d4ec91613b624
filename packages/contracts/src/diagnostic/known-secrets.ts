import { REDACTED } from './secret-span.ts';

/** The secrets that a redactor knows beforehand, in every way of writing that it looks for. */
export interface KnownSecrets {
  /** Matches one of them, longest first, or a replacement, so that no secret is found inside those. */
  readonly pattern: RegExp;
  /** What the pattern matches, sorted, so that what begins with a text is found without looking through all. */
  readonly forms: readonly string[];
  /** First code units of those. */
  readonly firsts: ReadonlySet<number>;
  /** Characters of the longest. */
  readonly longest: number;
}

/** Prepares secrets to be looked for: as they are, in JSON text and in URLs; null without any. */
export function readKnownSecrets(secrets: readonly string[]): KnownSecrets | null {
  const written = secrets
    .filter((secret) => secret.length >= SHORTEST)
    .flatMap((secret) => [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret.replace(/\p{Surrogate}/gu, '\ufffd')),
    ]);
  if (written.length === 0) return null;
  const byLength = [...new Set(written)].toSorted((a, b) => b.length - a.length);
  const forms = [REDACTED, ...byLength];
  return {
    pattern: new RegExp(forms.map(escapePattern).join('|'), 'g'),
    forms: forms.toSorted(),
    firsts: new Set(forms.map((form) => form.charCodeAt(0))),
    longest: Math.max(byLength[0]?.length ?? 0, REDACTED.length),
  };
}

/** Makes the replacement of known secrets in a text that comes in pieces; what may still become one waits. */
export function replaceKnownAsWritten(known: KnownSecrets): (piece: string) => string {
  let waiting = '';
  return (piece) => {
    const { settled, open } = replaceKnown(waiting + piece, known);
    waiting = open;
    return settled;
  };
}

/**
 * Replaces known secrets in a text that may go on, without its end where that may become one; an end of fewer
 * characters than a secret must have tells nothing.
 */
export function replaceKnownUnfinished(text: string, known: KnownSecrets): string {
  const { settled, open } = replaceKnown(text, known);
  return open.length < SHORTEST ? settled + open : settled;
}

/** A text with its secrets replaced, as far as nothing that follows can change it, and the rest as it is. */
function replaceKnown(
  text: string,
  known: KnownSecrets,
): { readonly settled: string; readonly open: string } {
  const { pattern } = known;
  let settled = '';
  let from = 0;
  let open = openAt(text, 0, known);
  // Nothing is settled yet, and a long secret that comes in small pieces must not be looked through for each.
  if (open === 0) return { settled, open: text };
  pattern.lastIndex = 0;
  // A match counts only before what is open: a longer secret may begin where a shorter one was found.
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (match.index >= open) break;
    settled += text.slice(from, match.index) + REDACTED;
    from = pattern.lastIndex;
    if (open < from) open = openAt(text, from, known);
  }
  return { settled: settled + text.slice(from, open), open: text.slice(open) };
}

/** Where the first secret may begin that the text ends in the middle of; the length of the text for none. */
function openAt(text: string, from: number, { forms, firsts, longest }: KnownSecrets): number {
  for (let at = Math.max(from, text.length - longest + 1); at < text.length; at++) {
    if (firsts.has(text.charCodeAt(at)) && isBeginning(text.slice(at), forms)) return at;
  }
  return text.length;
}

/** Whether a text goes on to be one of the sorted forms, which then stands behind it in their order. */
function isBeginning(text: string, forms: readonly string[]): boolean {
  let low = 0;
  for (let high = forms.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((forms[middle] ?? '') <= text) low = middle + 1;
    else high = middle;
  }
  return forms[low]?.startsWith(text) === true;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

const SHORTEST = 4;
