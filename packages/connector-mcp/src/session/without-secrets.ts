import { isRecord } from './any-result.ts';

/**
 * The same answer of a server without the secrets that it was given, should it say them back. Names of fields
 * and words of ours stay, also where a secret is spelled like one of them.
 */
export function withoutSecrets<Answer extends object>(
  answer: Answer,
  secrets: readonly string[],
): Answer {
  const known = secrets.filter((secret) => secret.length >= SHORTEST);
  // Nearly every answer has none: it is looked at once and handed on as it is.
  if (known.length === 0 || !holdsAny(answer, known)) return answer;
  const fields = Object.entries(answer).map(([name, value]) => {
    if (OURS.has(name)) return [name, value];
    if (name === 'identity' && isRecord(value)) return [name, reported(value, known)];
    if (name === 'tools' && Array.isArray(value)) {
      return [name, value.map((tool) => (isRecord(tool) ? inFields(tool, known) : tool))];
    }
    const isOfFields = name === 'metadata' && isRecord(value);
    return [name, isOfFields ? inFields(value, known) : replaced(value, known)];
  });
  // Only words of the server are replaced, by texts: the shape stays what it was.
  return Object.fromEntries(fields) as Answer;
}

/** What a server says of itself is among what is known of it otherwise. */
function reported(identity: { readonly [key: string]: unknown }, secrets: readonly string[]) {
  return Object.fromEntries(
    Object.entries(identity).map(([name, value]) => [
      name,
      name.startsWith('server_reported_') ? replaced(value, secrets) : value,
    ]),
  );
}

function inFields(record: { readonly [key: string]: unknown }, secrets: readonly string[]) {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, replaced(value, secrets)]),
  );
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
/** Fields of answers whose values this package writes. */
const OURS: ReadonlySet<string> = new Set(['kind', 'reason', 'sent', 'isError']);
