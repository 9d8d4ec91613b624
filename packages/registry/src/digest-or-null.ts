import { digest, type JsonValue } from '@millforge/contracts';

/** Digest of a value, or null for one without canonical JSON. */
export function digestOrNull(value: JsonValue): string | null {
  try {
    return digest(value);
  } catch {
    // A record without this digest is worth more than no record.
    return null;
  }
}
