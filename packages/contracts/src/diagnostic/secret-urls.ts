import { isPlaceholder, looksRandom } from './credential-form.ts';
import { REDACTED, type SecretReach, type SecretSpan } from './secret-span.ts';

/** Finds credentials in the authority of URLs; nothing is parsed further, so no URL is malformed. */
export function findUrlCredentials(text: string): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    const start = at + 3;
    AUTHORITY.lastIndex = start;
    AUTHORITY.test(text);
    const authority = text.slice(start, AUTHORITY.lastIndex);
    const length = authority.lastIndexOf('@');
    if (length <= 0) continue;
    const userinfo = authority.slice(0, length);
    const colon = userinfo.indexOf(':');
    const secret = userinfo.slice(colon + 1);
    // A user alone is no secret (`ssh://git@host`), unless it is a token that only poses as one.
    const isSecret =
      colon < 0
        ? secret.length >= 16 && looksRandom(secret)
        : secret !== '' && !isPlaceholder(secret);
    if (isSecret && userinfo !== REDACTED) {
      spans.push({ start, end: start + length, isCertain: colon > 0 });
    }
  }
  return spans;
}

/** Finds where the authorities of URLs stand, whatever is in them. */
export function reachOfUrls(text: string): readonly SecretReach[] {
  const reaches: SecretReach[] = [];
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    AUTHORITY.lastIndex = at + 3;
    AUTHORITY.test(text);
    reaches.push({ start: at, end: AUTHORITY.lastIndex });
  }
  return reaches;
}

const AUTHORITY = /[^\s/?#<>"'`\\]*/y;
