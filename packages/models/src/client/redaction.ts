import { createRedactor, type Redactor } from '@millforge/contracts';

/** Takes the secrets out of a text that came from outside. */
export type Redact = (text: string) => string;

/**
 * Makes the redaction of one exchange: the key in every form in which it could come back, then pieces of
 * those, since servers quote a part of a key or cut what they quote, then shapes.
 */
export function createRedaction(key: string | null, redactor: Redactor | undefined): Redact {
  const spellings = key === null ? [] : spellingsOf(key);
  // The redactor adds the escaped forms of JSON and of URL queries itself.
  const known = createRedactor({ secrets: spellings });
  const pieces = piecesOf(spellings);
  return (text) => {
    const clean = withoutPieces(known.text(text), pieces);
    return redactor === undefined ? clean : redactor.text(clean);
  };
}

function spellingsOf(key: string): readonly string[] {
  const query = encodeURIComponent(key);
  const base64 = [0, 1, 2].map((lead) => base64Core(key, lead));
  return [
    key,
    encodeURI(key),
    query,
    query.replaceAll('%20', '+'),
    ...[encodeURI(key), query].map(lowerEscapes),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    Array.from(key, (character) => character.charCodeAt(0).toString(16).padStart(2, '0')).join(''),
  ];
}

/** What of a base64 text depends on the key alone when so many bytes stand before it, as `Bearer ` does. */
function base64Core(key: string, lead: number): string {
  const text = btoa('\0'.repeat(lead) + key);
  const isWhole = (lead + key.length) % 3 === 0;
  return text.slice(lead === 0 ? 0 : lead + 1, isWhole ? undefined : text.indexOf('=') - 1);
}

function lowerEscapes(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
}

/** Every passage of a length at which it can be nothing else. */
function piecesOf(spellings: readonly string[]): ReadonlySet<string> {
  const pieces = new Set<string>();
  for (const text of spellings) {
    for (let at = 0; at + PIECE_CHARS <= text.length; at += 1) {
      pieces.add(text.slice(at, at + PIECE_CHARS));
    }
  }
  return pieces;
}

function withoutPieces(text: string, pieces: ReadonlySet<string>): string {
  if (pieces.size === 0) return text;
  let result = '';
  let kept = 0;
  for (let at = 0; at + PIECE_CHARS <= text.length; at += 1) {
    if (!pieces.has(text.slice(at, at + PIECE_CHARS))) continue;
    let end = at + PIECE_CHARS;
    while (pieces.has(text.slice(end + 1 - PIECE_CHARS, end + 1))) end += 1;
    result += text.slice(kept, at) + REDACTED;
    kept = end;
    at = end - 1;
  }
  return result + text.slice(kept);
}

/** As the redactor of the house writes it. */
const REDACTED = '**redacted**';
const PIECE_CHARS = 10;
