import { isRecord } from './any-result.ts';

/** The same words of a server without the secrets that it was given, should it say them back. */
export function withoutSecrets<Words extends object>(
  words: Words,
  secrets: readonly string[],
): Words {
  const known = secrets.filter((secret) => secret.length >= SHORTEST);
  // Nearly every answer has none: it is looked at once and handed on as it is.
  if (known.length === 0 || !holdsAny(words, known)) return words;
  // Only texts are replaced, by texts: the shape stays what it was.
  return replaced(words, known) as Words;
}

function holdsAny(value: unknown, secrets: readonly string[]): boolean {
  if (typeof value === 'string') return secrets.some((secret) => value.includes(secret));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([key, item]) => holdsAny(key, secrets) || holdsAny(item, secrets),
  );
}

function replaced(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') {
    return secrets.reduce((text, secret) => text.replaceAll(secret, REDACTED), value);
  }
  if (Array.isArray(value)) return value.map((item) => replaced(item, secrets));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      String(replaced(key, secrets)),
      replaced(item, secrets),
    ]),
  );
}

const REDACTED = '**redacted**';
const SHORTEST = 4;
